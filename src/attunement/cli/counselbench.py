"""``attunement counselbench``: the two parts of CounselBench, and its question set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from attunement.cli._common import console, friendly, out, print_json, progress
from attunement.cli._options import JSON
from attunement.cli._plain import plain

if TYPE_CHECKING:
    import polars as pl

    from attunement.datasets.counselbench import Annotations
    from attunement.stats.result import Result
    from attunement.tables import Kind

app = typer.Typer(
    help="Analyze ratings as CounselBench does (Li et al. 2025), and build its question set.",
    no_args_is_help=True,
)


@app.command("eval")
@friendly
def evaluate_ratings(
    ratings: Path = typer.Argument(
        help="The published annotations (CSV), a table of ratings on counselbench-eval, or a run "
        "folder."
    ),
    responses: Path | None = typer.Option(
        None,
        "--responses",
        help="Table of the answers, where ratings do not name their source; a run folder has its "
        "own.",
    ),
    raters: Path | None = typer.Option(
        None,
        "--raters",
        help="Table of the annotators: rater or survey_id, minutes, experience.",
    ),
    issues: Path | None = typer.Option(
        None,
        "--issues",
        help="Table of ratings on low-rating-issues, or a run folder, if not among the ratings.",
    ),
    kind: str | None = typer.Option(
        None, "--kind", help="human, judge, metric or all; by default people where there are any."
    ),
    folder: Path | None = typer.Option(
        None, "--out", help="Folder for evaluation.json, and the tables of a published file."
    ),
    seed: int = typer.Option(1, "--seed", min=0, help="Seed of bootstrap and permutations."),
    replicates: int = typer.Option(
        2000, "--replicates", min=100, help="Resamples of the bootstrap, and permutations."
    ),
    as_json: bool = JSON,
) -> None:
    """Compare sources on six dimensions, say how well raters agree and what that means."""
    import polars as pl

    from attunement import tables
    from attunement.cli._counselbench_text import show_evaluation
    from attunement.cli._run_folder import ratings_file, table_beside
    from attunement.counselbench import evaluate, with_attributes
    from attunement.datasets import counselbench as published

    run, ratings = ratings, ratings_file(ratings)
    frame = tables.read_frame(ratings)
    annotations = None
    if published.is_annotations(frame.columns):
        annotations = published.from_frame(frame, where=str(ratings))
        rated = annotations.ratings
        answers: pl.DataFrame | None = annotations.loaded.responses
        people: pl.DataFrame | None = annotations.raters
    else:
        rated = tables.require(frame, "ratings", where=str(ratings))
        answers = _table(table_beside(run, "responses", responses), "responses")
        people = _table(table_beside(run, "raters", None), "raters")
    if issues is not None:
        rated = _with_issues(rated, issues)
    if raters is not None:
        if people is None or annotations is None:
            names = rated["rater"].unique(maintain_order=True)
            people = pl.DataFrame({"rater": names, "kind": ["human"] * len(names)})
        people = with_attributes(people, tables.read_frame(raters))
    found = evaluate(rated, answers, people, kind=kind, seed=seed, replicates=replicates)
    account = annotations.account() if annotations is not None else None
    _write(folder, "evaluation.json", annotations, found.results(), found.beside())
    if as_json:
        print_json(found.results(), **found.beside(), loaded=account)
        return
    if annotations is not None:
        _account(annotations)
    show_evaluation(found)


@app.command("adv")
@friendly
def adversarial_verdicts(
    ratings: Path = typer.Argument(
        help="The published verdicts (CSV), a long table of verdicts, a table of ratings on "
        "counselbench-adv, or a run folder."
    ),
    responses: Path | None = typer.Option(
        None, "--responses", help="Table of the answers, to read the failures."
    ),
    items: Path | None = typer.Option(
        None,
        "--items",
        help="Table of the questions, with the failure mode each aims at; needed where answers "
        "were rated on several. A run folder has its own.",
    ),
    folder: Path | None = typer.Option(
        None, "--out", help="Folder for adversarial.json, failures.csv and the tables of a file."
    ),
    as_json: bool = JSON,
) -> None:
    """Say how often each model falls into each failure mode, and whether models differ."""
    from attunement import tables
    from attunement.cli._counselbench_adv_text import show_adversarial
    from attunement.cli._run_folder import ratings_file, table_beside
    from attunement.counselbench import adversarial
    from attunement.datasets import counselbench_adv as published

    run, ratings = ratings, ratings_file(ratings)
    frame = tables.read_frame(ratings)
    annotations = None
    if "unit_id" not in frame.columns:
        annotations = published.annotations_from_frame(frame, where=str(ratings))
        rated = annotations.ratings
        answers: pl.DataFrame | None = annotations.loaded.responses
        asked: pl.DataFrame | None = annotations.loaded.items
    else:
        rated = tables.require(frame, "ratings", where=str(ratings))
        answers = _table(table_beside(run, "responses", responses), "responses")
        asked = _table(table_beside(run, "items", items), "items")
    found = adversarial(rated, answers, asked)
    beside: dict[str, Any] = {
        "tests": [t.as_json() for t in found.tests],
        "left_out": found.outcomes.drop_nulls("without").to_dicts(),
        "failures": found.failures.to_dicts(),
        "notes": found.notes,
    }
    _write(folder, "adversarial.json", annotations, found.rates, beside)
    if folder is not None:
        tables.for_spreadsheet(found.failures).write_csv(folder / "failures.csv")
    if as_json:
        account = annotations.account() if annotations is not None else None
        print_json(found.rates, **beside, loaded=account)
        return
    if annotations is not None:
        _account(annotations)
    show_adversarial(found, folder)


@app.command("questions")
@friendly
def build_questions(
    counselchat: Path = typer.Argument(help="CounselChat's CSV file, either layout."),
    folder: Path = typer.Option(
        ..., "--out", help="Folder for the tables, questions.csv and study.yaml."
    ),
    topics: str | None = typer.Option(
        None, "--topics", help="A,B,...; by default the paper's twenty topics."
    ),
    per_topic: int = typer.Option(5, "--per-topic", min=1, help="Questions a topic."),
    words: int = typer.Option(250, "--words", min=1, help="Longest human answer, in words."),
    exclude: list[str] | None = typer.Option(
        None, "--exclude", help="Id of a question to leave out. May be given several times."
    ),
    model: list[str] | None = typer.Option(
        None,
        "--model",
        help="Model for study.yaml, as Inspect AI names it. May be given several times; by "
        "default the embedded one, which is of demonstration quality.",
    ),
    seed: int = typer.Option(1, "--seed", min=0, help="Breaks ties between upvotes."),
    as_json: bool = JSON,
) -> None:
    """Build the question set as the paper did, with a study file under the paper's settings."""
    from attunement import datasets
    from attunement.counselbench import PAPER_TOPICS, question_set, write_question_set

    loaded = datasets.load("counselchat", counselchat, seed=seed, track=progress)
    chosen = question_set(
        loaded,
        topics=PAPER_TOPICS if topics is None else [t for t in topics.split(",") if t.strip()],
        per_topic=per_topic,
        words=words,
        exclude=exclude or (),
        seed=seed,
    )
    paths = write_question_set(chosen, folder, models=model or ("local",))
    if as_json:
        print_json([], loaded=chosen.account(), files=[str(p) for p in paths])
        return
    show = out()
    show.print(f"{chosen.items.height} questions of {chosen.rows_read} are chosen.")
    for reason, count, _ in chosen.dropped.iter_rows():
        show.print(plain(f"- {count}: {reason}"))
    for note in chosen.notes:
        show.print(plain(f"- {note}"))
    for path in paths:
        console().print(plain(f"wrote {path}"))
    console().print(plain(f"Next: attunement run {folder / 'study.yaml'}"))


def _table(path: Path | None, kind: Kind) -> pl.DataFrame | None:
    from attunement import tables

    return None if path is None else tables.read_table(path, kind)


def _with_issues(rated: pl.DataFrame, issues: Path) -> pl.DataFrame:
    """Add the ratings on issues of another table, and no others; they replace earlier ones."""
    import polars as pl

    from attunement import tables
    from attunement.cli._run_folder import ratings_file
    from attunement.counselbench.issues import issue_rows

    path = ratings_file(issues)
    own = issue_rows(tables.read_table(path, "ratings"), where=f"{path}, --issues")
    keys = list(tables.KEYS["ratings"])
    return pl.concat([rated.join(own, on=keys, how="anti", nulls_equal=True), own])


def _write(
    folder: Path | None,
    name: str,
    annotations: Annotations | None,
    results: list[Result],
    beside: dict[str, Any],
) -> None:
    if folder is None:
        return
    import json

    from attunement.errors import UserError
    from attunement.stats.result import report_json

    if folder.exists() and not folder.is_dir():
        raise UserError("this is a file, not a folder.", where=str(folder))
    folder.mkdir(parents=True, exist_ok=True)
    if annotations is not None:
        annotations.write(folder)
    text = json.dumps(report_json(results, **beside), ensure_ascii=False, indent=2, allow_nan=False)
    (folder / name).write_text(text + "\n", encoding="utf-8")
    console().print(plain(f"wrote {folder / name}"))


def _account(annotations: Annotations) -> None:
    loaded, show = annotations.loaded, out()
    said = (
        f"{loaded.name}: {loaded.kept.height:,} of {loaded.rows_read:,} {loaded.unit}s are used; "
        f"{annotations.ratings.height:,} ratings by {annotations.raters.height:,} raters."
    )
    show.print(plain(said))
    for reason, count, rows in loaded.dropped.iter_rows():
        where = ", ".join(map(str, rows))
        show.print(plain(f"- left out, {count}: {reason} (rows {where})"))
    for note in loaded.notes:
        show.print(plain(f"- {note}"))
    show.print()
