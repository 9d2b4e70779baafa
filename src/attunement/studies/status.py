"""How a study stands, in numbers: participants, stages, and what is still to come."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from typing import Any

from django.db.models import Max

from attunement.studies.chat.conversation import CUT
from attunement.studies.coverage import by_item, overall
from attunement.studies.flow import is_closed
from attunement.studies.invitations import STATES, state_of
from attunement.studies.models import Change, Message, Participant, Stage, Study
from attunement.studies.opened import the_study


@dataclass(frozen=True)
class StageStatus:
    """How a stage stands.

    Parameters
    ----------
    key
        Its name.
    state
        ``waiting``, ``open`` or ``closed``.
    wanted, begun, complete
        Pages of main items: all that the design asks for, those that somebody is at, those done.
    short
        Pages that are nobody's, since whoever had them left and was not replaced.
    items, items_complete
        How many items it has, and how many have all of their raters.
    digest
        Of what it froze when it opened.

    """

    key: str
    state: str
    wanted: int
    begun: int
    complete: int
    short: int
    items: int
    items_complete: int
    digest: str


@dataclass(frozen=True)
class Replies:
    """How a chatbot under test does.

    Parameters
    ----------
    bot
        Its name in the study.
    done, failed
        Its replies that came whole, and those that did not; what a participant cut off is neither.
    error
        Why the last of them failed; None where none did.

    """

    bot: str
    done: int
    failed: int
    error: str | None


@dataclass(frozen=True)
class Status:
    """How a study stands.

    Parameters
    ----------
    study
        Its id.
    state
        ``open`` or ``closed``, by its owner or by its last day.
    closes
        Its last day.
    participants
        How many there are of each state; see `attunement.studies.invitations.STATES`.
    stages
        In their order.
    saves
        How many there were, and ``last_save`` when.
    last_save
        Null before the first.
    replies
        Of each chatbot that was talked to.

    """

    study: str
    state: str
    closes: date | None
    participants: dict[str, int]
    stages: tuple[StageStatus, ...]
    saves: int
    last_save: datetime | None
    replies: tuple[Replies, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it as ``study status --json`` prints it."""
        return {
            **asdict(self),
            "closes": self.closes and self.closes.isoformat(),
            "last_save": self.last_save and self.last_save.isoformat(timespec="seconds"),
        }


def status_of(study: Study | None = None) -> Status:
    """Return how the study of this database stands."""
    study = study or the_study()
    counts = Counter(state_of(person) for person in Participant.objects.all())
    return Status(
        study=study.key,
        state="closed" if is_closed() else "open",
        closes=study.last_day,
        participants={state: counts[state] for state in STATES},
        stages=tuple(_stage(stage) for stage in study.stages.all()),
        saves=Change.objects.count(),
        last_save=Change.objects.aggregate(last=Max("saved_at"))["last"],
        replies=replies(),
    )


def replies() -> tuple[Replies, ...]:
    """Return how often each chatbot that was talked to replied, and how often it failed."""
    rows = Message.objects.filter(role="assistant", status__in=("done", "failed")).exclude(
        error=CUT
    )
    found: dict[str, Replies] = {}
    for bot, state, error in rows.order_by("pk").values_list("chat__bot", "status", "error"):
        one = found.get(bot, Replies(bot, 0, 0, None))
        found[bot] = (
            replace(one, failed=one.failed + 1, error=error)
            if state == "failed"
            else replace(one, done=one.done + 1)
        )
    return tuple(found[bot] for bot in sorted(found))


def _stage(stage: Stage) -> StageStatus:
    rows = by_item(stage)
    all_of_it = overall(stage, rows)
    items = [row for row in rows if row.name]  # a chat or a panel's page is about no item
    state = "waiting" if stage.opened_at is None else "open"
    return StageStatus(
        key=stage.key,
        state=state if stage.closed_at is None else "closed",
        wanted=all_of_it.wanted,
        begun=all_of_it.begun,
        complete=all_of_it.complete,
        short=all_of_it.short,
        items=len(items),
        items_complete=sum(item.complete == item.wanted for item in items),
        digest=stage.digest,
    )
