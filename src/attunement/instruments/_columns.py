"""The columns that a dimension has in the wide layout of `attunement.instruments.export`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attunement.instruments._scales import ChoiceScale, SpansScale

if TYPE_CHECKING:
    from attunement.instruments.schema import Dimension

KEYS = ("unit", "unit_id", "item_id", "source", "rater", "rater_kind", "replicate", "round")


def columns_of(dimension: Dimension) -> list[str]:
    """Return the names of a dimension's columns, in their order."""
    id, scale = dimension.id, dimension.scale
    names = [f"{id}_status"]
    if isinstance(scale, ChoiceScale) and scale.type == "multi":
        names = [*(f"{id}_{o.id}" for o in scale.options), *names]
    else:
        names = [id, *names]
    names += [f"{id}_rationale"] if "rationale" in dimension.evidence else []
    wants_spans = "spans" in dimension.evidence or isinstance(scale, SpansScale)
    return names + ([f"{id}_spans"] if wants_spans else [])
