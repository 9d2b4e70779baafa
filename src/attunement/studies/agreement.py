"""How well raters agree so far: one coefficient a question, by its level of measurement."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from django.core.cache import cache

from attunement.instruments import Dimension
from attunement.stats.agreement import alpha, alpha_of_sets, from_long
from attunement.stats.bootstrap import FEW
from attunement.stats.result import Result
from attunement.studies.asked import dimensions_of
from attunement.studies.models import Answer, Stage

KEPT_S = 60
"""Seconds that a result is kept: ratings come in while somebody looks on."""
REPLICATES = 400
"""Of the bootstrap: enough to look on, few enough to leave raters the processor."""

_one_at_a_time = threading.Lock()


def agreement_so_far(stage: Stage) -> list[Result]:
    """Return the agreement on each question of a stage, a minute old at most.

    The result's ``n`` counts units with at least two ratings.
    """
    key = f"agreement:{stage.pk}"
    # Whoever looks while it is computed waits for that result rather than computing another
    with _one_at_a_time:
        found: list[Result] | None = cache.get(key)
        if found is None:
            found = [agreement_on(stage, d) for d in dimensions_of(stage).values()]
            cache.set(key, found, KEPT_S)
    return found


def agreement_on(stage: Stage, dimension: Dimension, *, replicates: int = REPLICATES) -> Result:
    """Return Krippendorff's alpha of a question over complete main pages.

    Ordinal, interval and nominal answers by their level, sets of labels by Jaccard's distance. The
    answers to one item are drawn together where there are enough items to draw from.

    Parameters
    ----------
    stage, dimension
        Whose answers, on which question.
    replicates
        Of the bootstrap.

    Returns
    -------
    Result
        Undefined, with the reason, for passages and words.

    """
    level = dimension.scale.level
    group = {"stage": stage.key, "dimension": dimension.id}
    if level == "text" or level == "spans":
        what = "words are coded first" if level == "text" else "passages are compared after export"
        return Result("none", math.nan, 0, "none", group=group, reason=f"undefined: {what}")
    rows = [
        _Row(*row)
        for row in rated(stage)
        .filter(dimension=dimension.id, status="ok")
        .values_list(
            "unit_id", "assignment__participant_id", "assignment__item_id", "value", "labels"
        )
    ]
    units = [row.unit_id for row in rows]
    items = {row.unit_id: row.item for row in rows}
    of_item = [items[unit] or 0 for unit in dict.fromkeys(units)]
    clusters = of_item if len(set(of_item)) >= FEW else None
    if level == "set":
        sets = _sets(rows)
        found = alpha_of_sets(sets, "jaccard", replicates=replicates, clusters=clusters)
    else:
        values = _codes(rows) if level == "nominal" else [row.value for row in rows]
        people = [row.participant for row in rows]
        matrix, _, _ = from_long(units, people, [math.nan if v is None else v for v in values])
        found = alpha(matrix, level, replicates=replicates, clusters=clusters)
    return replace(found, group=group)


def rated(stage: Stage):  # type: ignore[no-untyped-def]
    """Return the answers of a stage's complete main pages."""
    return (
        Answer.objects.filter(
            assignment__stage=stage,
            assignment__kind="main",
            assignment__done_at__isnull=False,
        )
        .select_related("assignment__participant")
        .order_by("pk")
    )


class _Row(NamedTuple):
    """What of a rating agreement is computed from."""

    unit_id: str
    participant: int
    item: int | None
    value: float | None
    labels: list[str] | None


def _codes(rows: Sequence[_Row]) -> list[float | None]:
    """Return a number for each answer in words, the same for the same words."""
    index: dict[str, float] = {}
    return [
        r.value if r.labels is None else index.setdefault("\n".join(r.labels), float(len(index)))
        for r in rows
    ]


def _sets(rows: Sequence[_Row]) -> list[list[list[str] | None]]:
    people = {p: i for i, p in enumerate(dict.fromkeys(row.participant for row in rows))}
    units: dict[str, list[list[str] | None]] = {}
    for row in rows:
        unit = units.setdefault(row.unit_id, [None] * len(people))
        unit[people[row.participant]] = row.labels or []
    return list(units.values())
