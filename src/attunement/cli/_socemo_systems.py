"""People's scores beside automatic metrics of the same systems: what ``attunement socemo`` says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from attunement.cli._plain import plain
from attunement.cli._result_cells import estimate, interval

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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


def side_by_side(found: SystemScores, width: int) -> list[Any]:
    """Return the paper's Table I, a row each system: people's scores, then metrics."""
    people = {name: found.people[name] for name in OF_TABLE_I if name in found.people}
    columns = {
        name: [estimate(scores.get(source)) for source in found.sources]
        for name, scores in {**people, **found.metrics}.items()
    }
    return in_tables(found.sources, columns, width)


def in_tables(
    sources: Sequence[str], columns: Mapping[str, Sequence[str]], width: int
) -> list[Any]:
    """Return a table with a row for each source, of cells by column.

    Where it is wider than the console, it goes on in further tables: a folded number is not read.
    """
    from rich.table import Table

    rest = width - max(len("source"), *map(len, sources))
    tables = []
    for names in _fitting({name: max(map(len, (name, *columns[name]))) for name in columns}, rest):
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column("source", overflow="fold")
        for name in names:
            table.add_column(plain(name), justify="right", no_wrap=True)
        for row, source in enumerate(sources):
            table.add_row(plain(source), *(columns[name][row] for name in names))
        tables.append(table)
    return tables


def _fitting(widths: Mapping[str, int], width: int) -> list[list[str]]:
    """Return the columns in groups that fit beside each other, two spaces between."""
    groups: list[list[str]] = [[]]
    left = width
    for name, own in widths.items():
        if groups[-1] and own + 2 > left:
            groups.append([])
            left = width
        groups[-1].append(name)
        left -= own + 2
    return groups


def correlation_table(found: SystemScores) -> Any:
    """Return a row for each metric under each of people's scores, a column a coefficient."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("metric", overflow="fold")
    for name in COEFFICIENTS:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("n", justify="right")
    rows: dict[str, dict[str, dict[str, Result]]] = {}
    for result in found.correlations:
        of_human = rows.setdefault(result.group["human"], {})
        of_human.setdefault(result.group["metric"], {})[result.name] = result
    for human, metrics in rows.items():
        table.add_row(plain(f"with {human}", "bold"))
        for metric, by_name in metrics.items():
            cells = (interval(by_name[name]) for name in COEFFICIENTS)
            table.add_row(plain(metric), *cells, str(by_name[COEFFICIENTS[0]].n))
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
