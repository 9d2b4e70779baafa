"""Tables of ``attunement counselbench``, and what stands in their cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attunement.cli._plain import plain

if TYPE_CHECKING:
    from rich.console import JustifyMethod
    from rich.table import Table

    from attunement.stats.result import Result

_ABREAST = 4


def table(title: str, *columns: str, left: int = 1) -> Table:
    """Return a table whose cells fold rather than being cut; the first ``left`` hold text."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    title_ = plain(title, "table.title")
    made = Table(title=title_, title_justify="left", box=SIMPLE_HEAD, padding=(0, 0))
    for place, column in enumerate(columns):
        side: JustifyMethod = "left" if place < left else "right"
        made.add_column(plain(column), justify=side, overflow="fold")
    return made


def row(to: Table, *cells: str) -> None:
    """Add a row of texts that somebody else may have written."""
    to.add_row(*map(plain, cells))


def in_columns(names: Sequence[str]) -> list[Sequence[str]]:
    """Return names in groups of which each fits into a table on 80 columns."""
    return [names[start : start + _ABREAST] for start in range(0, len(names), _ABREAST)]


def span(result: Result | None, *, digits: int = 2, between: str = " ") -> str:
    """Return an estimate and its interval."""
    if result is None or result.estimate != result.estimate:
        return "–"
    text = f"{result.estimate:.{digits}f}"
    if result.ci_low != result.ci_low:
        return text
    return f"{text}{between}[{result.ci_low:.{digits}f}, {result.ci_high:.{digits}f}]"


def p_value(value: float) -> str:
    """Return a p value as people write it."""
    if value != value:
        return "–"
    return "<.001" if value < 0.001 else f"{value:.3f}"
