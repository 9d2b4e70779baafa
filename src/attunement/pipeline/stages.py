"""The stages of a study, each from the run folder to the run folder.

A stage that asks models keeps every reply in the folder's journals, so that a study that was
stopped goes on without asking again. The other stages are cheap and made anew.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Protocol

import polars as pl

from attunement import tables
from attunement.errors import UserError
from attunement.inspect_bridge import ModelSpec, Settings
from attunement.pipeline.config import Judge, Model, Study
from attunement.runs import Run, fingerprint


class Progress(Protocol):
    """Opens a progress display: takes what is done and of how many, yields ``advance(n)``."""

    def __call__(
        self, what: str, total: int | None = None
    ) -> AbstractContextManager[Callable[[int], None]]:
        """Open the display."""
        ...


Say = Callable[[str], None]

JUDGED_ON = {"standard": "nuance-judges", "paper": "nuance-judges-paper"}
"""The instrument of a judge that names none, by the study's variant."""


class Finished(NamedTuple):
    """The report, and whether calls failed or a judge's replies could not be read at all."""

    page: Path
    failed: bool


def run_study(study: Study, run: Run, *, progress: Progress, say: Say) -> Finished:
    """Do every stage of a study.

    Parameters
    ----------
    study
        What to do.
    run
        The folder; one that holds another study is refused.
    progress, say
        Where progress and remarks go.

    Raises
    ------
    UserError
        Where the folder holds another study, or an input does not fit.
    """
    with run.lock():
        return _stages(study, run, progress=progress, say=say)


def _stages(study: Study, run: Run, *, progress: Progress, say: Say) -> Finished:
    _claim(study, run)
    items, given = load(study, run, progress=progress, say=say)
    made = generate(study, run, items, progress=progress, say=say)
    responses = pl.concat([given, *made])
    _refuse_duplicates(responses)
    run.write(responses, "responses")
    rated = [score(study, run, progress=progress, say=say)]
    who = []
    failed = any(_failed(answers) for answers in made)
    for one in study.judges:
        found = judge(study, run, one, items, responses, progress=progress, say=say)
        rated.append(found.ratings)
        who.append(found.rater)
        failed = failed or found.failed
    # Written anew: what an earlier version of the study rated is no part of this one.
    run.write(pl.concat(rated), "ratings")
    run.write(pl.concat(who) if who else tables.empty("raters"), "raters")
    return Finished(report(study, run, progress=progress), failed)


def _claim(study: Study, run: Run) -> None:
    configuration = study.model_dump(mode="json")
    seen = run.manifest().get("fingerprint")
    mine = fingerprint({k: configuration[k] for k in ("data", "responses", "variant")})
    if seen not in (None, mine):
        raise UserError(
            "this folder holds a run of other data, answers or variant.",
            where=str(run.folder),
            fix="Name another folder with --out, or remove this one.",
        )
    run.describe(
        name=study.name,
        fingerprint=mine,
        configuration=configuration,
        sample=study.data.source == "sample",
    )


def load(
    study: Study, run: Run, *, progress: Progress, say: Say
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Load the items, and the answers that exist already."""
    from attunement import datasets

    data = study.data
    loaded = datasets.load(
        data.source,
        data.path,
        mapping=data.map,
        topics=data.topics,
        limit=data.limit,
        seed=data.seed,
        track=progress,
    )
    known = set(loaded.items["item_id"].to_list())
    answers = [loaded.responses]
    for path in study.responses:
        table = tables.read_table(path, "responses")
        mine = table.filter(pl.col("item_id").is_in(known))
        if mine.height < table.height:
            say(f"{path.name}: {table.height - mine.height} answers to other items are left out.")
        answers.append(mine)
    for row in loaded.dropped.iter_rows(named=True):
        say(f"Left out: {row['count']} {loaded.unit}s, {row['reason']}.")
    for note in loaded.notes:
        say(note)
    run.write(loaded.items, "items")
    run.record("load", **loaded.account())
    return loaded.items, pl.concat(answers)


def generate(
    study: Study, run: Run, items: pl.DataFrame, *, progress: Progress, say: Say
) -> list[pl.DataFrame]:
    """Ask each model for its answers."""
    if not study.models:
        return []
    from attunement.raters.judges import subset_items
    from attunement.respond import generate as ask
    from attunement.respond import preset

    how = study.generate
    asked = items if how.limit is None else subset_items(items, how.limit, seed=study.data.seed)
    made = []
    for model in study.models:
        spec = model_spec(model)
        with progress(f"Answers of {spec.name}", asked.height * how.candidates) as advance:
            answers = ask(
                asked,
                [spec],
                preset=preset(how.system),
                word_limit=how.words,
                candidates=how.candidates,
                journal_folder=run.calls,
                on_progress=advance,
            )
        failed = _failed(answers)
        if failed:
            say(f"{spec.name}: {failed} of {answers.height} answers failed; run again to retry.")
        run.record(f"generate {spec.name}", answers=answers.height, failed=failed)
        made.append(answers)
    return made


def _failed(answers: pl.DataFrame) -> int:
    from attunement.respond import OVER_LIMIT

    over = pl.col("error").str.starts_with(OVER_LIMIT)
    return answers.filter(pl.col("error").is_not_null() & ~over).height


def score(study: Study, run: Run, *, progress: Progress, say: Say) -> pl.DataFrame:
    """Rate every answer of the folder with the automatic metrics.

    Metrics that compare systems (BLEU, length, ...) have their numbers in ``systems.csv``: they are
    no distance, and the analysis leaves them out.
    """
    from attunement.raters.metrics import RESPONSE_METRICS, score_file
    from attunement.raters.metrics.system_table import system_table

    answers = run.table_path("responses")
    total = pl.scan_parquet(answers).select(pl.len()).collect().item()
    with TemporaryDirectory() as scratch, progress("Metrics", total) as advance:
        out = Path(scratch) / "ratings.parquet"
        found = score_file(
            answers,
            out,
            run.table_path("items"),
            metrics=study.score.metrics,
            variant=study.variant,
            on_rows=advance,
        )
        ratings = tables.read_table(out, "ratings")
    whole = set(ratings.filter(instrument=RESPONSE_METRICS)["dimension"])
    systems = run.folder / "systems.csv"
    systems.unlink(missing_ok=True)
    if whole:
        how = study.analyze
        numbers = found.by_system(replicates=how.replicates, seed=how.seed)
        kept = [one for one in numbers if one.group["metric"] in whole]
        tables.write_frame(system_table(kept), systems, spreadsheet=True)
        say(f"Systems: {systems}")
    run.record("score", ratings=ratings.height, variant=study.variant)
    return ratings


class Judged(NamedTuple):
    """What one judge said, its row of the raters, and whether asking it came to nothing."""

    ratings: pl.DataFrame
    rater: pl.DataFrame
    failed: bool


def judge(
    study: Study,
    run: Run,
    who: Judge,
    items: pl.DataFrame,
    responses: pl.DataFrame,
    *,
    progress: Progress,
    say: Say,
) -> Judged:
    """Have one judge rate the answers, all or those of a subset of the items."""
    from attunement.instruments import load_instrument
    from attunement.raters.judges import journal_path, make_plan, rater_row, run_plan
    from attunement.raters.judges.outcome import failed, unread

    plan = make_plan(
        items,
        responses,
        load_instrument(who.instrument or JUDGED_ON[study.variant]),
        model_spec(who, temperature=0.0),
        repeats=who.repeats,
        subset=who.subset,
        seed=study.data.seed,
    )
    for said in plan.warnings:
        say(said)
    with progress(f"Judge {plan.rater}", len(plan.jobs())) as advance:
        ratings = run_plan(plan, journal=journal_path(run.calls, plan), on_progress=advance)
    counts = dict(ratings.group_by("status").len().sort("status").iter_rows())
    run.record(f"judge {plan.rater}", ratings=counts, signature=plan.signature)
    if "error" in counts:
        lost = f"{counts['error']} of {ratings.height} ratings failed; run again to retry."
        say(f"{plan.rater}: {lost}")
    if lost_replies := unread(plan, ratings):
        say(lost_replies)
    return Judged(ratings, rater_row(plan), failed(plan, ratings))


def report(study: Study, run: Run, *, progress: Progress) -> Path:
    """Analyze the ratings and write the report."""
    from attunement.analysis import analyze
    from attunement.report import write_report

    items, responses, ratings = (run.read(k) for k in ("items", "responses", "ratings"))
    with progress("Analysis and report", 2) as advance:
        analysis = analyze(
            items,
            responses,
            ratings,
            raters=run.read("raters") if study.judges else None,
            variant=study.variant,
            seed=study.analyze.seed,
            replicates=study.analyze.replicates,
        )
        analysis.write(run.folder)
        advance(1)
        run.record("analyze", seed=study.analyze.seed, replicates=study.analyze.replicates)
        page = write_report(
            run.folder / "report",
            analysis=analysis,
            items=items,
            responses=responses,
            ratings=ratings,
            manifest=run.manifest(),
            title=study.report.title,
        )
        advance(1)
    return page


def model_spec(model: Model, **defaults: Any) -> ModelSpec:
    """Return how a model of a study file is asked."""
    temperature = (
        model.temperature if model.temperature is not None else defaults.get("temperature")
    )
    return ModelSpec(
        name=model.name or model.model,
        model=model.model,
        base_url=model.base_url,
        api_key_env=model.api_key_env,
        settings=Settings(
            temperature=temperature,
            top_p=model.top_p,
            max_tokens=model.max_tokens,
            max_connections=model.connections,
        ),
        price_in=model.price_in,
        price_out=model.price_out,
    )


def _refuse_duplicates(responses: pl.DataFrame) -> None:
    twice = responses.filter(pl.col("response_id").is_duplicated())
    if twice.height:
        first = twice.row(0, named=True)
        raise UserError(
            f"two answers have the id {first['response_id']!r}.",
            fix="Give each source a name of its own, and each of its answers to an item another "
            "candidate number.",
        )
