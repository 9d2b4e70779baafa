"""One published number beside the computed one."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class Comparison:
    """One published number beside the computed one.

    Parameters
    ----------
    where
        The table of the paper.
    row, column
        The cell.
    published, computed
        NaN where the paper prints none, or where it could not be computed; ``note`` says why.
    tolerance
        The difference up to which the two count as equal: half a unit of the last printed decimal,
        rounded up where the input was printed with few decimals itself.
    n
        What the computed value rests on.
    note
        One sentence where the two differ, or where something has to be known.
    ci_low, ci_high
        Interval of the computed value, 95 %; NaN where none was made.
    """

    where: str
    row: str
    column: str
    published: float
    computed: float
    tolerance: float
    n: int
    note: str = ""
    ci_low: float = math.nan
    ci_high: float = math.nan

    @property
    def difference(self) -> float:
        """Computed minus published."""
        return self.computed - self.published

    @property
    def agrees(self) -> bool | None:
        """Whether the two are equal within the tolerance; None where one is missing."""
        if math.isnan(self.published) or math.isnan(self.computed):
            return None
        return abs(self.difference) <= self.tolerance


def published(name: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a table of published facts, as text."""
    text = files("attunement.reproduce").joinpath(f"published/{name}.csv").read_text("utf-8")
    yield from csv.DictReader(text.splitlines())
