"""The database of a study: who takes part, who rates what, what was answered, and what was done.

One database holds one study. Answers are kept twice: as they stand now (`Answer`), one row a unit
and dimension, and as they were saved (`Change`), one row a save, never altered.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q


class Study(models.Model):
    """The study as it was opened; there is one row.

    ``source`` is the study file's text; its tables are not needed any more: items and answers are
    in the database. ``last_day`` begins as the file's ``closes``, and the owner may move it.
    """

    key = models.CharField(max_length=100, unique=True)
    source = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    last_day = models.DateField(null=True, blank=True)
    demo = models.BooleanField(default=False)

    class Meta:
        verbose_name_plural = "studies"

    def __str__(self) -> str:
        return self.key


class Stage(models.Model):
    """A stage of the protocol, or a round: frozen when it opens.

    ``instrument`` is the YAML that raters are asked by from then on; ``digest`` the hash of
    instrument, items and answers, to show that nothing changed.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="stages")
    key = models.SlugField(max_length=50)
    position = models.PositiveSmallIntegerField()
    instrument = models.TextField()
    step = models.CharField(max_length=50, blank=True)
    seed = models.BigIntegerField(default=1)
    digest = models.CharField(max_length=64, blank=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["position"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["study", "key"], name="one_stage")]

    def __str__(self) -> str:
        return self.key


class Item(models.Model):
    """What is answered: turns as the items table has them. ``kind`` tells known items apart."""

    item_id = models.CharField(max_length=200, unique=True)
    kind = models.CharField(
        max_length=10,
        choices=[(k, k) for k in ("main", "training", "attention")],
        default="main",
    )
    topic = models.CharField(max_length=200, null=True, blank=True)
    turns = models.JSONField()
    failure_mode = models.CharField(max_length=100, null=True, blank=True)
    lang = models.CharField(max_length=20, null=True, blank=True)
    meta = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return self.item_id


class Response(models.Model):
    """An answer to an item; ``sources`` are all that produced the same text.

    ``known`` holds the right ratings, the tolerance and the feedback of a training or attention
    item.
    """

    item = models.ForeignKey(Item, models.CASCADE, related_name="responses")
    response_id = models.CharField(max_length=200, unique=True)
    sources = models.JSONField()
    merged = models.JSONField(default=list, blank=True)
    text = models.TextField()
    labels = models.JSONField(null=True, blank=True)
    known = models.JSONField(null=True, blank=True)

    def __str__(self) -> str:
        return self.response_id


class Participant(models.Model):
    """Somebody who takes part, by a personal link and with no account.

    Only a hash of the link's token is stored; `attunement.studies.links` makes the link again from
    the study's secret and ``nonce``, so that it can be sent once more, and a new nonce revokes it.
    """

    code = models.CharField(max_length=20, unique=True)
    nonce = models.CharField(max_length=32)
    token_hash = models.CharField(max_length=64, unique=True)
    address = models.CharField(max_length=254, blank=True)
    language = models.CharField(max_length=5, blank=True)
    arm = models.CharField(max_length=100, blank=True)
    invited_at = models.DateTimeField(null=True, blank=True)
    reminded_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    last_seen_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    completion = models.CharField(max_length=40, blank=True)
    replaces = models.ForeignKey("self", models.SET_NULL, null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["code"]

    def __str__(self) -> str:
        return self.code


class Consent(models.Model):
    """That somebody agreed, and to which words."""

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="consents")
    version = models.PositiveIntegerField()
    language = models.CharField(max_length=5)
    text = models.TextField()
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.participant_id} v{self.version}"


class Assignment(models.Model):
    """One page's worth of work for one participant: an item with its answers, or questions.

    ``kind`` is ``background``, ``training``, ``main``, ``attention``, ``repeat`` or ``closing``;
    ``order`` the response ids as they are shown to this participant (empty for plain questions).
    ``stage`` is null for background, training and closing. ``seconds`` is how long the page was
    visible. ``session`` numbers a chat.
    """

    KINDS: ClassVar = ["background", "training", "main", "attention", "repeat", "closing"]

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="assignments")
    stage = models.ForeignKey(Stage, models.CASCADE, null=True, blank=True)
    kind = models.CharField(max_length=12, choices=[(k, k) for k in KINDS])
    position = models.PositiveIntegerField()
    item = models.ForeignKey(Item, models.CASCADE, null=True, blank=True)
    order = models.JSONField(default=list, blank=True)
    prefill = models.JSONField(default=dict, blank=True)
    seconds = models.FloatField(default=0)
    opened_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        # Places are a participant's own: without the key, pages of one place come in any order
        ordering: ClassVar = ["position", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["participant", "position"], name="one_place"),
            models.UniqueConstraint(
                fields=["participant", "stage", "item", "kind"],
                condition=Q(item__isnull=False),
                name="an_item_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.participant_id}/{self.position}"


class AnswerFields(models.Model):
    """What an answer and a change of one have in common: the columns of the ratings table."""

    dimension = models.CharField(max_length=100)
    unit_id = models.CharField(max_length=200)
    value = models.FloatField(null=True)
    labels = models.JSONField(null=True)
    status = models.CharField(max_length=20)
    spans = models.JSONField(null=True)
    rationale = models.TextField(null=True)

    class Meta:
        abstract = True


class Answer(AnswerFields):
    """An answer as it stands: one a unit and dimension of an assignment."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="answers")
    saved_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["assignment", "unit_id", "dimension"], name="one_answer"
            )
        ]

    def __str__(self) -> str:
        return f"{self.unit_id}/{self.dimension}"


class Change(AnswerFields):
    """One save; status ``cleared`` where an answer was taken back."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="changes")
    client = models.CharField(max_length=40)
    saved_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            # A save that is sent again, after the network was lost, is the same save
            models.UniqueConstraint(fields=["assignment", "client"], name="a_save_once")
        ]

    def __str__(self) -> str:
        return f"{self.unit_id}/{self.dimension}"


class Chat(models.Model):
    """A conversation of a participant with a chatbot under test.

    It starts with the first message. ``stopped`` tells one that the participant broke off from one
    that came to its end.
    """

    assignment = models.OneToOneField(Assignment, models.CASCADE, related_name="chat")
    bot = models.CharField(max_length=100)
    number = models.PositiveSmallIntegerField()
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    stopped = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.assignment_id}"


class Message(models.Model):
    """A turn of a chat. A reply is ``waiting``, then ``writing``, then ``done`` or ``failed``.

    A reply that failed stays, with its error and what was shown of it; the next attempt is a row of
    its own. ``client`` is the sender's id of a participant's message, so that it is stored once.
    """

    chat = models.ForeignKey(Chat, models.CASCADE, related_name="messages")
    position = models.PositiveIntegerField()
    role = models.CharField(max_length=10)
    text = models.TextField(blank=True)
    status = models.CharField(max_length=10, default="done")
    client = models.CharField(max_length=40, blank=True)
    model = models.CharField(max_length=200, blank=True)
    error = models.TextField(blank=True)
    latency_s = models.FloatField(null=True)
    tokens_in = models.PositiveIntegerField(null=True)
    tokens_out = models.PositiveIntegerField(null=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["chat", "position"], name="one_turn"),
            models.UniqueConstraint(
                fields=["chat", "client"], condition=~Q(client=""), name="a_message_once"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["status"], name="open_replies")]

    def __str__(self) -> str:
        return f"{self.chat_id}/{self.position}"


class Adjudication(models.Model):
    """What the owner, or coders together, settled on where raters differ."""

    stage = models.ForeignKey(Stage, models.CASCADE)
    unit_id = models.CharField(max_length=200)
    dimension = models.CharField(max_length=100)
    value = models.FloatField(null=True)
    labels = models.JSONField(null=True)
    status = models.CharField(max_length=20, default="ok")
    note = models.TextField(blank=True)
    by = models.CharField(max_length=150)
    at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["stage", "unit_id", "dimension"], name="one_consensus")
        ]

    def __str__(self) -> str:
        return f"{self.unit_id}/{self.dimension}"


class CommentCode(models.Model):
    """The owner's short codes for a text that a panellist wrote.

    ``hidden`` keeps a text from the panel, such as one that tells who wrote it. Both go with the
    text where somebody withdraws it.
    """

    answer = models.OneToOneField(Answer, models.CASCADE, related_name="coding")
    codes = models.CharField(max_length=300, blank=True)
    hidden = models.BooleanField(default=False)
    by = models.CharField(max_length=150)
    at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.codes


class PanelDecision(models.Model):
    """What the owner of a Delphi decided after a round, over what the thresholds say.

    The columns are those of `attunement.delphi.OwnerDecision`. ``item`` is empty where items are
    added: then ``dimension`` is the one they belong to, and ``label`` its name where it is new.
    ``rests_on`` is the panellist's text behind the decision; it goes where that is withdrawn.
    """

    stage = models.ForeignKey(Stage, models.CASCADE, related_name="decisions")
    action = models.CharField(max_length=10)
    item = models.CharField(max_length=100, blank=True)
    dimension = models.CharField(max_length=100, blank=True)
    label = models.JSONField(default=dict, blank=True)
    into = models.JSONField(default=list, blank=True)
    reason = models.TextField()
    rests_on = models.ForeignKey(Answer, models.SET_NULL, null=True, blank=True)
    by = models.CharField(max_length=150)
    at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["stage", "item"], condition=~Q(item=""), name="an_item_decided_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.item or self.dimension}"


class Event(models.Model):
    """The audit log: who did what, when. Rows are added, never changed."""

    at = models.DateTimeField(auto_now_add=True)
    actor = models.CharField(max_length=150)
    action = models.CharField(max_length=50)
    detail = models.JSONField(default=dict)

    class Meta:
        ordering: ClassVar = ["-id"]

    def __str__(self) -> str:
        return f"{self.actor} {self.action}"
