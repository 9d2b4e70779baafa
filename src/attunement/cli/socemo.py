"""``attunement socemo``: whose answers people keep, choose and rate well."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import typer

from attunement.cli._common import console, friendly, out, print_json
from attunement.cli._options import CI_LEVEL, JSON, SEED, refuse_level, resamples
from attunement.cli._plain import plain
from attunement.cli._result_cells import interval

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from attunement.stats.result import Result
    from attunement.stats.system_scores import SystemScores
    from attunement.studies.scores import SocioEmotional


@friendly
def socemo(
    ratings: Path = typer.Argument(
        ..., help="Table of ratings, or the folder that a study was exported to."
    ),
    responses: Path | None = typer.Option(
        None, "--responses", help="Table of the answers; a folder has its own."
    ),
    items: Path | None = typer.Option(
        None,
        "--items",
        help="Table of the items, which says which were drawn for annotation; a folder has its "
        "own. Without it those with an annotated answer count, and those where none was chosen.",
    ),
    instrument: str | None = typer.Option(
        None, "--instrument", help="A name or a YAML file; by default socio-emotional."
    ),
    systems: Path | None = typer.Option(
        None,
        "--systems",
        help="Table of automatic metrics of the same sources, as attunement score --systems writes "
        "it, to stand beside people's scores and be correlated with them.",
    ),
    table: Path | None = typer.Option(
        None,
        "--table",
        help="Where the scores of all sources go, a row each: .csv, .tsv, .jsonl or .parquet.",
    ),
    correlations: Path | None = typer.Option(
        None, "--correlations", help="Where the correlations over systems go, a row each."
    ),
    kind: str = typer.Option("human", "--rater-kind", help="Whose ratings: human or judge."),
    replicates: int = resamples(2000, of="the bootstrap over contexts"),
    ci_level: float = CI_LEVEL,
    seed: int = SEED,
    as_json: bool = JSON,
) -> None:
    """Score a study in which answers were filtered, chosen and annotated.

    For each source: how often its answers were kept and chosen, the logical, emotional and social
    axes, the socemo index and the weighted fluency; and how far raters agree. With --systems also
    automatic metrics of the same sources, and how far they order them as people do.
    """
    from attunement.cli import _socemo_systems as beside
    from attunement.cli._existing import refuse_clash
    from attunement.errors import UserError
    from attunement.instruments import load_instrument
    from attunement.studies.equal_answers import shown_once
    from attunement.studies.scores import socio_emotional_scores

    refuse_level(ci_level)
    folder = [ratings / f"{name}.parquet" for name in ("ratings", "responses", "items")]
    refuse_clash(
        {"--table": table, "--correlations": correlations},
        [ratings, responses, items, systems, *folder],
    )
    _refuse_files(systems, table, correlations)
    if kind not in ("human", "judge"):
        raise UserError(f"--rater-kind {kind!r} is unknown.", fix="Use human or judge.")
    rated, answers, asked = _tables(ratings, responses, items)
    once, credited = shown_once(rated, answers)
    contexts = None if asked is None else _drawn(asked)
    scores = socio_emotional_scores(
        once,
        answers,
        instrument=None if instrument is None else load_instrument(instrument),
        kind=cast("Literal['human', 'judge']", kind),
        credited=credited,
        contexts=contexts,
        replicates=replicates,
        ci_level=ci_level,
        seed=seed,
    )
    found = None
    if systems is not None or table is not None:
        people = [result for result in scores.results() if "source" in result.group]
        found = beside.joined(people, systems, ci_level)
        beside.write(found, table, correlations)
    if as_json:
        _print_json(scores, found, contexts)
        return
    show = out()
    parts = [*_scores(scores, show.width), _agreement(scores.agreement)]
    if found is not None and systems is not None:
        parts += [*beside.side_by_side(found, show.width), beside.correlation_table(found)]
    for place, part in enumerate(parts):
        if place:
            show.print()
        show.print(part)
    if found is not None and systems is not None:
        for remark in beside.remarks(found):
            console().print(plain(remark))
    console().print(
        "These numbers compare answers in one study. They are no clinical validation, and say "
        "nothing of what is safe to put before people in distress."
    )


def _refuse_files(systems: Path | None, table: Path | None, correlations: Path | None) -> None:
    from attunement.cli._existing import refuse_other_table
    from attunement.errors import UserError
    from attunement.raters.metrics.files import refuse_suffix

    refuse_other_table(table, "--table", ("source", "socemo"))
    refuse_other_table(correlations, "--correlations", ("human", "metric"))
    for file in (table, correlations):
        if file is not None:
            refuse_suffix(file)
    if correlations is not None and systems is None:
        raise UserError(
            "--correlations needs automatic metrics.", fix="Name their table with --systems."
        )


def _print_json(
    scores: SocioEmotional, found: SystemScores | None, contexts: list[str] | None
) -> None:
    if found is None or not found.metrics:
        print_json(scores.results(), contexts=contexts)
        return
    metrics = [result for of in found.metrics.values() for result in of.values()]
    print_json(
        [*scores.results(), *metrics, *found.correlations],
        contexts=contexts,
        tests=[test.as_json() for test in found.tests],
        points=found.points,
        unrated=found.unrated,
    )


def _tables(
    ratings: Path, responses: Path | None, items: Path | None
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame | None]:
    from attunement import tables
    from attunement.errors import UserError
    from attunement.runs import Run

    answers = asked = None
    if ratings.is_dir():
        run = Run(ratings)
        rated = run.read("ratings")
        answers = run.read("responses") if run.has("responses") else None
        asked = run.read("items") if run.has("items") else None
    else:
        rated = tables.read_table(ratings, "ratings")
    if responses is not None:
        answers = tables.read_table(responses, "responses")
    if items is not None:
        asked = tables.read_table(items, "items")
    if answers is None:
        raise UserError(
            "the answers are missing.",
            where=str(ratings),
            fix="Name their table with --responses.",
        )
    return rated, answers, asked


def _drawn(items: pl.DataFrame) -> list[str] | None:
    """Return the items that were drawn for annotation, None where the table does not say."""
    from attunement.decoding import decode_json
    from attunement.errors import UserError

    drawn = []
    for id, meta in items.select("item_id", "meta").iter_rows():
        try:
            said = decode_json(meta) if meta else None
        except ValueError:
            raise UserError("its meta is no JSON.", where=f"items table, item {id!r}") from None
        if isinstance(said, dict) and said.get("annotate") is True:
            drawn.append(id)
    return drawn or None


def _scores(scores: SocioEmotional, width: int) -> Iterator[Any]:
    """Yield a row for each source, in as many tables as it takes, and what the scores are."""
    from attunement.cli._socemo_systems import in_tables

    columns = {"filter": scores.filter, "top3": scores.top3}
    for result in scores.axes:
        columns.setdefault(result.name, []).append(result)
    columns |= {"socemo": scores.socemo, "weighted_fluency": scores.fluency}
    sources = [result.group["source"] for result in scores.filter]
    cells: dict[str, list[str]] = {}
    for name, results in columns.items():
        if results:
            found = {result.group["source"]: result for result in results}
            cells[name] = [interval(found[source]) for source in sources]
    yield from in_tables(sources, cells, width)
    first = scores.socemo[0].n if scores.socemo else 0
    yield (
        "All 0 to 1. filter, top3: share of the contexts that a rater saw, mean over raters. The "
        "axes: mean rating of annotated answers. socemo, weighted_fluency: the mean of the axes "
        f"and the fluency of annotated answers, over {first} contexts, 0 where none was annotated."
    )


def _agreement(results: list[Result]) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("agreement on", "statistic", "estimate", "contexts or answers"):
        table.add_column(name, justify="left" if name in ("agreement on", "statistic") else "right")
    for result in results:
        said = (result.group.get("dimension", ""), result.name.replace("_", " "))
        table.add_row(*map(plain, said), interval(result), str(result.n))
    return table
