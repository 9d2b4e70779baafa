"""Why something about a scale is undefined, with the item's name in place of its number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from attunement.stats.item_moments import Missing, moments
from attunement.stats.reliability import why_not


def with_name(reason: str, items: Sequence[str]) -> str:
    """Return a reason that ends in the number of an item with that item's name.

    >>> with_name("everyone gave the same answer to item 2", ["a", "b"])
    'everyone gave the same answer to b'

    """
    head, word, number = reason.rpartition(" item ")
    return f"{head} {items[int(number) - 1]}" if word and number.isdigit() else reason


def why_undefined(
    values: NDArray[np.float64], items: Sequence[str], missing: Missing
) -> str | None:
    """Return why the correlations between some items are undefined, or None."""
    reason = why_not(values, moments(values, missing), missing)
    return None if reason is None else with_name(reason, items)
