"""Gold-standard answers that stand in the items table but not among the responses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from attunement.tables.conform import conform, empty
from attunement.tables.schema import REFERENCE


def missing_references(
    references: Mapping[str, str | None], answered: Iterable[tuple[str, str]]
) -> pl.DataFrame:
    """Return responses of source ``reference`` for answered items that have none among them.

    Whoever rates answers has to rate the reference as well, or there is nothing to hold them
    against.

    Parameters
    ----------
    references
        Item id to gold-standard answer, None where there is none.
    answered
        Item id and source of each response.
    """
    seen: dict[str, bool] = {}
    for item_id, source in answered:
        seen[item_id] = seen.get(item_id, False) or source == REFERENCE
    rows = [
        {"item_id": item_id, "source": REFERENCE, "text": text}
        for item_id, there in seen.items()
        if not there and (text := references.get(item_id))
    ]
    return conform(pl.DataFrame(rows), "responses") if rows else empty("responses")
