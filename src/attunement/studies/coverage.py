"""How much of the work is done: by item, by participant, and over a whole stage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Q, QuerySet

from attunement.studies.models import Assignment, Participant, Stage

Pages = QuerySet[Assignment]


@dataclass(frozen=True)
class Covered:
    """How many ratings of something are wanted, begun and complete.

    Parameters
    ----------
    name
        Of the item, or of the stage.
    wanted
        Ratings that the design asks for, whoever gives them.
    begun
        Of these, opened and not complete, by people who are still with us.
    complete
        Of these, complete.
    short
        Of these, not complete and nobody's: whoever had them left, and was not replaced.

    """

    name: str
    wanted: int = 0
    begun: int = 0
    complete: int = 0
    short: int = 0

    @property
    def to_come(self) -> int:
        """Ratings that nobody has begun, of people who are still with us."""
        return self.wanted - self.begun - self.complete - self.short

    @property
    def share(self) -> float:
        """The complete part of those wanted, 0 to 1; 0 where none is wanted."""
        return self.complete / self.wanted if self.wanted else 0.0


@dataclass(frozen=True)
class Progress:
    """Where a participant stands: pages done of all that they have, and the visible time."""

    participant: Participant
    pages: int
    done: int
    seconds: float
    last_seen: datetime | None


def counted(stage: Stage) -> Pages:
    """Return a stage's own pages that count: complete, or not taken over by somebody else.

    Pages of whoever had their answers erased are not complete any more; they count as long as
    nobody has replaced them, so that the design does not shrink where somebody leaves.
    """
    own = Q(participant__participant=None)
    return Assignment.objects.filter(stage=stage, kind="main").filter(
        Q(done_at__isnull=False) | own
    )


def by_item(stage: Stage) -> list[Covered]:
    """Return the coverage of each item of a stage, the least complete first.

    Items that are as complete come as the items table has them. Pages without an item, such as
    chats, are one row of their own.
    """
    rows = counted(stage).order_by("item", "pk")
    found: dict[str, Covered] = {}
    columns = (
        "item__item_id",
        "opened_at",
        "done_at",
        "participant__revoked_at",
        "participant__withdrawn_at",
    )
    for item_id, opened_at, done_at, revoked_at, withdrawn_at in rows.values_list(*columns):
        name = item_id or ""
        left = revoked_at is not None or withdrawn_at is not None
        found[name] = _plus(found.get(name, Covered(name)), opened_at, done_at, left=left)
    return sorted(found.values(), key=lambda c: c.share)


def overall(stage: Stage, items: Iterable[Covered]) -> Covered:
    """Return the coverage of a whole stage from that of its items."""
    total = Covered(stage.key)
    for item in items:
        total = replace(
            total,
            wanted=total.wanted + item.wanted,
            begun=total.begun + item.begun,
            complete=total.complete + item.complete,
            short=total.short + item.short,
        )
    return total


def _plus(
    before: Covered, opened_at: datetime | None, done_at: datetime | None, *, left: bool
) -> Covered:
    done = done_at is not None
    begun = opened_at is not None and not done and not left
    return replace(
        before,
        wanted=before.wanted + 1,
        begun=before.begun + begun,
        complete=before.complete + done,
        short=before.short + (left and not done),
    )


def by_participant() -> list[Progress]:
    """Return everybody's progress, in order of their codes."""
    return [progress_of(p) for p in Participant.objects.prefetch_related("assignments")]


def progress_of(participant: Participant) -> Progress:
    """Return where one participant stands."""
    pages = list(participant.assignments.all())
    return Progress(
        participant,
        len(pages),
        sum(page.done_at is not None for page in pages),
        sum(page.seconds for page in pages),
        participant.last_seen_at,
    )
