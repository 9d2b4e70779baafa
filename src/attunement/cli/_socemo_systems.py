"""People's scores beside automatic metrics of the same systems: what ``attunement socemo`` says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from attunement.cli._plain import plain
from attunement.cli._result_cells import estimate, interval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from attunement.stats.result import Result
    from attunement.stats.system_scores import SystemScores

OF_TABLE_I = ("filter", "top3", "socemo")
"""People's scores that stand beside the metrics in the paper's Table I."""
COEFFICIENTS = ("pearson", "spearman", "kendall")


def joined(people: list[Result], table: Path | None, level: float) -> SystemScores:
    """Return people's scores, beside those of a table that ``attunement score`` wrote if any.

    Raises
    ------
    UserError
        Where the table cannot be read, or has none of the sources.

    """
    from attunement.errors import UserError
    from attunement.raters.metrics.system_table import read_system_table
    from attunement.stats.system_scores import join
    from attunement.tables import REFERENCE

    if table is None:
        return join(people, [], level=level)
    try:
        return join(people, read_system_table(table), without=[REFERENCE], level=level)
    except ValueError as error:
        raise UserError(
            f"{error}.",
            where=str(table),
            fix="Score the same responses with 'attunement score --systems'.",
        ) from None


def write(found: SystemScores, table: Path | None, correlations: Path | None) -> None:
    """Write the scores of all systems and the correlations, where files are named for them."""
    from attunement.tables import write_frame

    if table is not None:
        write_frame(found.table(), table, spreadsheet=True)
    if correlations is not None:
        write_frame(found.correlation_table(), correlations, spreadsheet=True)


def side_by_side(found: SystemScores) -> Any:
    """Return the paper's Table I: people's scores, then metrics, a row each system."""
    from rich.table import Table

    shown = [name for name in OF_TABLE_I if name in found.people]
    table = Table()
    table.add_column("source", overflow="fold")
    for name in [*shown, *found.metrics]:
        table.add_column(plain(name), justify="right", overflow="fold")
    for source in found.sources:
        people = (found.people[name].get(source) for name in shown)
        metrics = (scores.get(source) for scores in found.metrics.values())
        table.add_row(plain(source), *map(estimate, (*people, *metrics)))
    table.caption = "People's scores, then metrics. --table has the intervals, --json all of it."
    return table


def correlation_table(found: SystemScores) -> Any:
    """Return a row for each pair of scores and a column for each coefficient."""
    from rich.table import Table

    table = Table()
    table.add_column("people's score", overflow="fold")
    table.add_column("metric", overflow="fold")
    for name in (*COEFFICIENTS, "systems"):
        table.add_column(name, justify="right")
    rows: dict[tuple[str, str], dict[str, Result]] = {}
    for result in found.correlations:
        key = (result.group["human"], result.group["metric"])
        rows.setdefault(key, {})[result.name] = result
    for (human, metric), by_name in rows.items():
        cells = (interval(by_name[name]) for name in COEFFICIENTS)
        table.add_row(plain(human), plain(metric), *cells, str(by_name["pearson"].n))
    return table


def remarks(found: SystemScores) -> Iterator[str]:
    """Yield what has to be said beside the correlations."""
    from attunement.stats.over_systems import warning

    few = warning(len(found.points))
    if few:
        yield f"Warning: {few}"
    left = [s for s in found.sources if s not in found.points]
    if left:
        yield f"No points of the correlations: {', '.join(left)}."
    if found.unrated:
        yield f"Not rated by people, and left out: {', '.join(found.unrated)}."
    yield (
        "A correlation over systems takes them for independent; variants of one model are not, and "
        "the intervals are then too narrow. Perplexity is expected to go the other way. With "
        f"{len(found.correlations)} correlations some are large by chance: --json and "
        "--correlations have p values corrected for that."
    )
