"""``attunement plan``: which labels the next turn should show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

from attunement.cli._common import EXIT_PROBLEMS, friendly, print_json, progress
from attunement.cli._options import (
    CI_LEVEL,
    JSON,
    SEED,
    choose,
    refuse_level,
    refuse_unused,
    resamples,
)
from attunement.cli._plan_prompt import prompt, say_asked
from attunement.cli._plan_tag import OVER_OTHERS, tag
from attunement.cli._plan_text import say_counts, say_faults, show_scores
from attunement.cli._plan_train import DATA, train

if TYPE_CHECKING:
    from attunement.planning import Plan, Planner, Window
    from attunement.planning.evaluation import Resample, Scoring
    from attunement.planning.planner import Advance
    from attunement.planning.tagging import Tagger
    from attunement.planning.training import Order
    from attunement.stats.result import Result

    Answer = Callable[[Sequence[Window], Advance], list[Plan]]

app = typer.Typer(help="Plan which dialogue acts and emotions the next turn should show.")
app.command()(train)
app.command()(prompt)
app.command()(tag)

_MODEL = typer.Argument(..., help="Folder of a trained planner.")


@app.command()
@friendly
def predict(
    model: Path = _MODEL,
    table: Path = typer.Argument(
        ..., help="Table of items (a column turns), or with a column context."
    ),
    out: Path = typer.Option(..., "--out", help="Table for the plans: Parquet, CSV, TSV or JSONL."),
    force: bool = OVER_OTHERS,
) -> None:
    """Plan the next turn of each row of a table; a status says where there is no plan.

    The answers of a prompted planner are kept beside --out: stopped and started again, no call is
    made twice. Exit code 1 where some calls failed; they are marked in the table.
    """
    from attunement.cli._existing import refuse_clash, refuse_loss, refuse_no_table
    from attunement.planning import contexts, storage
    from attunement.planning.prompted import journaled
    from attunement.tables import write_frame

    refuse_no_table(out)
    refuse_clash({"--out": out}, [table])
    planner = journaled(storage.read(model), out.parent / f"{out.stem}.calls" / "plans.jsonl")
    given = contexts.read(table)
    own = {"planner": [planner.kind], "signature": [planner.signature], "item_id": given.ids}
    refuse_loss(out, own, force=force)
    say_asked(planner)
    with progress("Planning", len(given.contexts)) as advance:
        plans = planner.plan(given.contexts, advance=advance)
    write_frame(contexts.as_frame(given.ids, plans, planner), out)
    say_counts(plans, "plans", out)
    _exit_failed(plans)


def _exit_failed(plans: Sequence[Plan]) -> None:
    """End with the exit code of calls that failed, where some did."""
    if any(plan.status == "error" for plan in plans):
        raise typer.Exit(EXIT_PROBLEMS)


@app.command()
@friendly
def evaluate(
    called: typer.Context,
    model: str = typer.Argument(
        ..., help="Folder of a trained planner or tagger, or embedded for the tagger of that name."
    ),
    data: str = DATA,
    split: str = typer.Option("test", "--split", help="train, validation or test."),
    scoring: str = typer.Option(
        "standard",
        "--scoring",
        help="standard, or paper: as the published code scores, to compare with Table II.",
    ),
    full_windows: bool = typer.Option(
        False, "--full-windows", help="Only turns with the whole context before them."
    ),
    drop_duplicates: bool = typer.Option(
        False,
        "--drop-duplicates",
        help="Leave out dialogues that stand in the training split as well.",
    ),
    resample: str = typer.Option(
        "dialogues",
        "--resample",
        help="What the bootstrap draws: dialogues, whose turns belong together, or windows.",
    ),
    journal: Path | None = typer.Option(
        None,
        "--journal",
        help="File that keeps the answers of a prompted planner, so that no call is made twice.",
    ),
    replicates: int = resamples(2000),
    ci_level: float = CI_LEVEL,
    seed: int = SEED,
    as_json: bool = JSON,
) -> None:
    """Score a planner on a split: set scores, similarity of sequences, length, with intervals.

    A tagger is held against the labels of the turns that it reads, with the accuracy of each kind
    of label, and that of the most frequent label, besides. Exit code 1 where some calls failed.
    """
    from attunement.planning import evaluation, training
    from attunement.planning.prompted import PromptedPlanner
    from attunement.planning.tag_scores import accuracies

    choose(scoring, "--scoring", evaluation.SCORINGS)
    choose(resample, "--resample", evaluation.RESAMPLES)
    refuse_level(ci_level)
    if split == "train":
        refuse_unused(called, "of the training split itself", "drop_duplicates")
    asked, order, answer = _answerer(model, full_windows, journal)
    if not isinstance(asked, PromptedPlanner):
        refuse_unused(called, "where no model is asked", "journal")
    found, turns = training.turns_of(data, split, order, drop_duplicates=drop_duplicates)
    say_faults(found)
    with progress("Planning" if order.target == "next" else "Tagging", len(turns)) as advance:
        plans = answer(turns, advance)
    scored = evaluation.evaluate(
        plans,
        turns,
        asked.labels,
        scoring=cast("Scoring", scoring),
        resample=cast("Resample", resample),
        replicates=replicates,
        level=ci_level,
        seed=seed,
        planner=asked.kind,
    )
    shares: list[Result] = []
    if order.target == "current":
        shares = accuracies(
            plans,
            turns,
            asked.labels,
            replicates=replicates,
            level=ci_level,
            seed=seed,
            tagger=asked.kind,
        )
    if as_json:
        print_json(
            [*shares, *scored.results],
            **scored.as_json(),
            split=split,
            windows=len(turns),
            dialogues=len(found.dialogues),
            duplicates_left_out=found.left_out,
            faults=found.fault_counts(),
            planner_signature=asked.signature,
        )
    else:
        show_scores(asked.kind, scored, f"{split}: {len(turns):,} windows", shares)
    _exit_failed(plans)


def _answerer(
    model: str, full: bool, journal: Path | None
) -> tuple[Planner | Tagger, Order, Answer]:
    """Return a planner or tagger, the windows that it is asked about, and how it is asked."""
    from attunement.planning import storage
    from attunement.planning.prompted import journaled
    from attunement.planning.tagging import EMBEDDED, READS, load_tagger, tags_of
    from attunement.planning.training import Order

    if model == EMBEDDED or storage.header_of(Path(model))["target"] == "current":
        tagger = load_tagger(model)
        order = Order(labels=tagger.labels, context=READS, full=full, target="current")
        return tagger, order, lambda turns, advance: tags_of(tagger, turns, advance=advance)
    planner = storage.read(Path(model))
    if journal is not None:
        planner = journaled(planner, journal)
    say_asked(planner)
    order = Order(labels=planner.labels, context=planner.context, full=full)
    return (
        planner,
        order,
        lambda turns, advance: planner.plan([w.context for w in turns], advance=advance),
    )
