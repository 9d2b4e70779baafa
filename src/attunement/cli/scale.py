"""``attunement scale``: scores, comparisons, structure and planning of a scale."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

from attunement.cli import _scale_input as o
from attunement.cli._common import friendly, print_json, progress
from attunement.cli._options import CI_LEVEL, JSON, SEED, choose, refuse_level

if TYPE_CHECKING:
    from attunement.psychometrics.compare import Design
    from attunement.psychometrics.scores import Kind
    from attunement.stats.factor import Extraction
    from attunement.stats.item_moments import Missing
    from attunement.stats.rotation import Rotation

app = typer.Typer(help="Scores, comparisons, structure and planning of a scale.")

_MIN_ITEMS = typer.Option(
    None,
    "--min-items",
    min=1,
    help="Items of a subscale that have to be answered for a score; by default two thirds.",
)


@app.command()
@friendly
def score(
    answers: Path = o.ANSWERS,
    instrument: str | None = o.INSTRUMENT,
    items: list[str] = o.ITEMS,
    reverse: str | None = o.REVERSE,
    ends: str | None = o.ENDS,
    kind: str = typer.Option("mean", "--kind", help="mean of the answered items, or sum."),
    min_items: int | None = _MIN_ITEMS,
    short: int | None = typer.Option(
        None,
        "--short",
        min=1,
        help="Score a short form: this many items a subscale, by the authors' priority.",
    ),
    out: Path | None = typer.Option(
        None, "--out", help="Write every respondent's scores to this CSV, JSONL or Parquet file."
    ),
    source: str | None = o.SOURCE,
    id_column: str | None = o.ID,
    missing_word: list[str] = o.MISSING_WORD,
    ci_level: float = CI_LEVEL,
    seed: int = SEED,
    as_json: bool = JSON,
) -> None:
    """Score subscales and the whole, with a minimum of answered items, or a short form."""
    from attunement.cli import _scale_text as text
    from attunement.cli._existing import refuse_no_table
    from attunement.psychometrics import scores as s
    from attunement.tables import write_frame

    choose(kind, "--kind", ("mean", "sum"))
    if out is not None:
        refuse_no_table(out)
    refuse_level(ci_level)
    given = o.read(
        answers, o.scale_of(instrument, items, reverse, ends), id_column, source, missing_word
    )
    shorts: list[s.Short] = []
    parts = None
    if short is not None:
        form, shorts = s.shortened(given, short, min_items=min_items, level=ci_level, seed=seed)
        parts = form.parts()
    found = s.score(given, kind=cast("Kind", kind), min_items=min_items, parts=parts)
    results = found.results(level=ci_level)
    if out is not None:
        write_frame(found.table(), out, spreadsheet=True)
    if as_json:
        print_json(
            [*results, *(r for one in shorts for r in one.results())],
            minimum=dict(found.least),
            sentences=s.described(shorts) if shorts else [],
            notes=list(given.notes),
        )
        return
    text.table(
        f"Scores ({kind})",
        ("scale", "chatbot", "n", "no score", "mean", "items needed"),
        [
            (
                r.group["scale"],
                r.group.get("source", ""),
                f"{r.n:,}",
                f"{r.n_missing:,}",
                text.interval(r),
                str(found.least[r.group["scale"]]),
            )
            for r in results
        ],
    )
    if shorts:
        text.show_shorts(shorts, s.described(shorts))
    text.say(given.notes)


@app.command()
@friendly
def compare(
    answers: Path = o.ANSWERS,
    first: str = typer.Argument(..., help="One chatbot, as the column 'source' has it."),
    second: str = typer.Argument(..., help="The other."),
    instrument: str | None = o.INSTRUMENT,
    items: list[str] = o.ITEMS,
    reverse: str | None = o.REVERSE,
    ends: str | None = o.ENDS,
    design: str = typer.Option(
        "auto",
        "--design",
        help="paired: each respondent's two scores; independent: two groups; auto: paired if at "
        "least half rated both.",
    ),
    min_items: int | None = _MIN_ITEMS,
    id_column: str | None = o.ID,
    missing_word: list[str] = o.MISSING_WORD,
    ci_level: float = CI_LEVEL,
    as_json: bool = JSON,
) -> None:
    """Compare two chatbots on every subscale and the whole, with effect sizes and intervals."""
    from attunement.cli import _scale_text as text
    from attunement.psychometrics import compare as c

    choose(design, "--design", ("auto", "paired", "independent"))
    refuse_level(ci_level)
    given = o.read(
        answers, o.scale_of(instrument, items, reverse, ends), id_column, None, missing_word
    )
    found = c.compare(
        given,
        first,
        second,
        design=cast("Design", design),
        min_items=min_items,
        level=ci_level,
    )
    said = c.described(found)
    if as_json:
        print_json(
            found.results(),
            tests=[t.as_json() for t in found.tests()],
            design=found.design,
            sentences=said,
            notes=list(found.notes),
        )
        return
    text.show_comparison(found, said)


@app.command()
@friendly
def structure(
    answers: Path = o.ANSWERS,
    instrument: str | None = o.INSTRUMENT,
    items: list[str] = o.ITEMS,
    reverse: str | None = o.REVERSE,
    ends: str | None = o.ENDS,
    factors: int | None = typer.Option(
        None, "--factors", min=1, help="Factors to extract; by default as many as are suggested."
    ),
    extraction: str = typer.Option("minres", "--extraction", help="minres or ml."),
    rotation: str = typer.Option("oblimin", "--rotation", help="oblimin, promax or none."),
    missing: str = o.MISSING,
    source: str | None = o.SOURCE,
    id_column: str | None = o.ID,
    missing_word: list[str] = o.MISSING_WORD,
    replicates: int = typer.Option(
        200, "--replicates", min=0, max=10_000, help="Resamples for the intervals of loadings."
    ),
    ci_level: float = CI_LEVEL,
    seed: int = SEED,
    as_json: bool = JSON,
) -> None:
    """Parallel analysis, exploratory factors, and how well the instrument's own model fits."""
    from attunement.cli import _scale_text as text
    from attunement.psychometrics import structure as s

    choose(missing, "--missing", ("pairwise", "listwise"))
    choose(extraction, "--extraction", ("minres", "ml"))
    choose(rotation, "--rotation", ("oblimin", "promax", "none"))
    refuse_level(ci_level)
    given = o.read(
        answers, o.scale_of(instrument, items, reverse, ends), id_column, source, missing_word
    )
    found = s.structure(
        given,
        n_factors=factors,
        extraction=cast("Extraction", extraction),
        rotation=cast("Rotation", rotation),
        missing=cast("Missing", missing),
        level=ci_level,
        replicates=replicates,
        seed=seed,
    )
    if as_json:
        print_json(found.results(), **text.structure_json(found))
        return
    text.show_structure(found, given.items)


@app.command()
@friendly
def plan(
    factors: int = typer.Option(9, "--factors", min=1, help="Dimensions of the scale."),
    per_factor: int = typer.Option(3, "--items", min=2, help="Items a dimension."),
    alpha: float | None = typer.Option(
        None, "--alpha", help="Plan for the interval of this alpha of one dimension."
    ),
    half_width: float | None = typer.Option(
        None,
        "--half-width",
        help="Wanted half-width of alpha's interval (0.1 if not given), or of a loading's (0.15).",
    ),
    loading: float = typer.Option(
        0.7, "--loading", help="Without --alpha: every item's loading on its factor."
    ),
    between: float = typer.Option(0.5, "--between", help="Correlation between factors."),
    steps: int = typer.Option(5, "--steps", min=2, help="Points of the items' scale."),
    respondents: str = typer.Option(
        "100,200,300,500", "--respondents", help="Numbers to try for a confirmatory analysis."
    ),
    replicates: int = typer.Option(
        100, "--replicates", min=10, max=10_000, help="Simulated studies of each number."
    ),
    seed: int = SEED,
    as_json: bool = JSON,
) -> None:
    """Say by simulation how many respondents alpha's interval or a confirmatory model takes."""
    from attunement.cli import _scale_plan as p

    usual = 0.1 if alpha is not None else 0.15
    half = usual if half_width is None else half_width
    wanted = p.Wanted(factors, per_factor, loading, between, steps, half, replicates, seed)
    with progress("simulated studies") as advance:
        planned = (
            p.for_alpha(wanted, alpha)
            if alpha is not None
            else p.for_structure(wanted, respondents, advance)
        )
    p.show(planned, as_json=as_json)
