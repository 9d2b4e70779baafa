"""How long people took: visible seconds a page, by rater and by item, as median and quartiles."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from attunement.stats.median import median
from attunement.stats.result import Result
from attunement.studies.models import Assignment

WORK = ("main", "attention", "repeat")
"""The kinds of page that are the work itself."""


@dataclass(frozen=True)
class Spread:
    """Visible seconds a page.

    Parameters
    ----------
    name
        Of the rater or the item.
    n
        Pages that are complete.
    middle, low, high
        Median and quartiles, by linear interpolation.
    total
        Of all pages.

    """

    name: str
    n: int
    middle: float
    low: float
    high: float
    total: float


def spread(name: str, seconds: Sequence[float]) -> Spread:
    """Return the quartiles of some seconds; there has to be one at least.

    >>> spread("R001", [10, 20, 30, 40, 50]).middle
    30.0
    """
    low, middle, high = np.quantile(np.asarray(seconds, dtype=np.float64), [0.25, 0.5, 0.75])
    return Spread(name, len(seconds), float(middle), float(low), float(high), float(sum(seconds)))


def done_pages() -> list[Assignment]:
    """Return every complete page of the work."""
    return list(
        Assignment.objects.filter(kind__in=WORK, done_at__isnull=False)
        .select_related("participant", "item", "stage", "chat")
        .order_by("participant__code", "position")
    )


def part_of(page: Assignment) -> str:
    """Return which part of the work a page is: pages of different parts take different times.

    Its stage, with the kind of page where it is not one of the main items, or a conversation.
    """
    stage = page.stage.key if page.stage is not None else ""
    kind = "conversation" if hasattr(page, "chat") else page.kind
    return stage if kind == "main" else f"{stage}, {kind}"


def by_part(pages: Sequence[Assignment]) -> dict[str, list[Assignment]]:
    """Return the pages of each part, the parts by their names."""
    parts: dict[str, list[Assignment]] = {}
    for page in pages:
        parts.setdefault(part_of(page), []).append(page)
    return dict(sorted(parts.items()))


def by_rater(pages: Sequence[Assignment]) -> list[Spread]:
    """Return the spread of each rater, in order of their codes."""
    return _grouped(pages, lambda page: page.participant.code)


def by_item(pages: Sequence[Assignment]) -> list[Spread]:
    """Return the spread of each item, the slowest first."""
    with_item = [page for page in pages if page.item is not None]
    found = _grouped(with_item, lambda page: page.item and page.item.item_id)
    return sorted(found, key=lambda s: -s.middle)


def in_all(pages: Sequence[Assignment]) -> Result:
    """Return the median of some pages, of one part, with its interval."""
    return median([page.seconds for page in pages])


def _grouped(pages: Sequence[Assignment], key: Callable[[Assignment], Hashable]) -> list[Spread]:
    groups: dict[str, list[float]] = {}
    for page in pages:
        groups.setdefault(str(key(page)), []).append(page.seconds)
    return [spread(name, seconds) for name, seconds in groups.items()]
