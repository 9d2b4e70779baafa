"""``attunement plan``: which labels the next turn should show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

from attunement.cli._common import console, friendly, out, print_json, progress
from attunement.cli._options import CI_LEVEL, JSON, SEED, choose, refuse_level, resamples

if TYPE_CHECKING:
    from attunement.planning import LabelSet, Plan, Planner, Split
    from attunement.planning.evaluation import Evaluation, Resample, Scoring

app = typer.Typer(help="Plan which dialogue acts and emotions the next turn should show.")

_DATA = typer.Option(
    ...,
    "--data",
    help="Folder with the splits: DailyDialog's original files, or tables (train.csv and so on); "
    "or hub:OWNER/NAME.",
)
_MODEL = typer.Argument(..., help="Folder of a trained planner.")


@app.command()
@friendly
def train(
    data: str = _DATA,
    out: Path = typer.Option(..., "--out", help="Folder for the trained planner."),
    planner: str = typer.Option(
        "linear", "--planner", help="linear, random, majority or constant."
    ),
    label_set: Path | None = typer.Option(
        None, "--label-set", help="YAML file of the labels; by default DailyDialog's eleven."
    ),
    context: int = typer.Option(3, "--context", min=1, max=100, help="Turns of context at most."),
    full_windows: bool = typer.Option(
        False, "--full-windows", help="Learn from turns with the whole context before them only."
    ),
    drop_duplicates: bool = typer.Option(
        False,
        "--drop-duplicates",
        help="Leave out training dialogues that stand in the validation or test split as well.",
    ),
    sequence: str = typer.Option(
        "inform", "--sequence", help="Of the constant planner: labels with commas between them."
    ),
    seed: int = typer.Option(1, "--seed", min=0, help="Of the random planner."),
    force: bool = typer.Option(False, "--force", help="Write over a planner in --out."),
) -> None:
    """Train a planner on dialogues whose turns have labels, and write it to a folder.

    A planner that was trained on DailyDialog is bound by its license, CC BY-NC-SA 4.0: no
    commercial use.
    """
    from attunement.planning import storage, training

    kind = training.require(planner)
    storage.refuse(out, force=force)
    labels = _labels(label_set)
    order = training.Order(
        labels=labels,
        context=context,
        full=full_windows,
        seed=seed,
        sequence=labels.require(_words(sequence)) if kind == "constant" else (),
    )
    given = training.material(data, order, drop_duplicates=drop_duplicates)
    for split in given.splits:
        _say_faults(split)
    if kind in ("random", "majority", "constant"):
        made = training.train(kind, given, order)
    else:
        with progress(f"Training {kind}", training.steps(kind, given)) as advance:
            made = training.train(kind, given, order, advance=advance)
    storage.write(
        made,
        out,
        force=force,
        training_windows=len(given.training),
        validation_windows=len(given.validation),
        duplicates_left_out=sum(s.left_out for s in given.splits),
        full_windows=full_windows,
        data=given.hash,
    )
    console().print(
        f"{kind}: {len(given.training):,} training and {len(given.validation):,} validation "
        f"windows; written to {out}."
    )


@app.command()
@friendly
def predict(
    model: Path = _MODEL,
    table: Path = typer.Argument(
        ..., help="Table of items (a column turns), or with a column context."
    ),
    out: Path = typer.Option(..., "--out", help="Table for the plans: Parquet, CSV, TSV or JSONL."),
    force: bool = typer.Option(False, "--force", help="Write over --out."),
) -> None:
    """Plan the next turn of each row of a table; a status says where there is no plan."""
    from collections import Counter

    from attunement.cli._existing import refuse_loss, refuse_no_table
    from attunement.planning import contexts, storage
    from attunement.tables import write_frame

    refuse_no_table(out)
    refuse_loss(out, {"planner": ()}, force=force)
    planner = storage.read(model)
    given = contexts.read(table)
    plans = _plan(planner, given.contexts)
    write_frame(contexts.as_frame(given.ids, plans, planner), out)
    counts = Counter(plan.status for plan in plans)
    said = ", ".join(f"{n:,} {status}" for status, n in counts.most_common()) or "no rows"
    empty = sum(plan.status == "ok" and not plan.labels for plan in plans)
    nothing = f"; {empty:,} plan no label" if empty else ""
    console().print(f"{len(plans):,} plans: {said}{nothing}; written to {out}.")


@app.command()
@friendly
def evaluate(
    model: Path = _MODEL,
    data: str = _DATA,
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
    replicates: int = resamples(2000),
    ci_level: float = CI_LEVEL,
    seed: int = SEED,
    as_json: bool = JSON,
) -> None:
    """Score a planner on a split: set scores, similarity of sequences, length, with intervals."""
    from attunement.planning import evaluation, storage, training

    choose(scoring, "--scoring", evaluation.SCORINGS)
    choose(resample, "--resample", evaluation.RESAMPLES)
    refuse_level(ci_level)
    planner = storage.read(model)
    order = training.Order(labels=planner.labels, context=planner.context, full=full_windows)
    found, turns = training.turns_of(data, split, order, drop_duplicates=drop_duplicates)
    _say_faults(found)
    plans = _plan(planner, [w.context for w in turns])
    scored = evaluation.evaluate(
        plans,
        turns,
        planner.labels,
        scoring=cast("Scoring", scoring),
        resample=cast("Resample", resample),
        replicates=replicates,
        level=ci_level,
        seed=seed,
        planner=planner.kind,
    )
    if as_json:
        print_json(
            scored.results,
            **scored.as_json(),
            split=split,
            windows=len(turns),
            dialogues=len(found.dialogues),
            duplicates_left_out=found.left_out,
            faults=found.fault_counts(),
            planner_signature=planner.signature,
        )
        return
    _show(planner.kind, scored, f"{split}: {len(turns):,} windows")


def _plan(
    planner: Planner, contexts: list[tuple[str, ...]] | tuple[tuple[str, ...], ...]
) -> list[Plan]:
    with progress("Planning", len(contexts)) as advance:
        return planner.plan(contexts, advance=advance)


def _labels(file: Path | None) -> LabelSet:
    from attunement.planning import DAILYDIALOG, LabelSet

    return DAILYDIALOG if file is None else LabelSet.read(file)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _say_faults(split: Split) -> None:
    """Say what is wrong with the data, the first three places of each kind."""
    show = console()
    if split.left_out:
        show.print(
            f"{split.name}: {split.left_out:,} dialogues that stand in another split left out"
        )
    for kind, times in split.fault_counts().items():
        first = [fault for fault in split.faults if fault.kind == kind][:3]
        show.print(f"{split.name}: {kind} ({times:,})")
        for fault in first:
            show.print(f"  {fault.where}: {fault.detail}")


def _show(name: str, scored: Evaluation, title: str) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from attunement.planning.table_ii import HEADS
    from attunement.reproduce.text import cell

    table = Table(
        title=f"{name}, {title}, {scored.scoring} scoring", title_justify="left", box=SIMPLE_HEAD
    )
    table.add_column("score")
    table.add_column("average")
    for head in ("estimate", "interval", "n"):
        table.add_column(head, justify="right", no_wrap=True)
    for r in scored.results:
        low, high = (cell(x, short=True) for x in (r.ci_low, r.ci_high))
        table.add_row(
            HEADS.get(r.name, r.name.replace("_", " ")),
            r.group["average"],
            cell(r.estimate, short=True),
            "-" if low == "-" else f"{low} to {high}",
            f"{r.n:,}",
        )
    out().print(table)
    said = ", ".join(f"{n:,} {status}" for status, n in scored.statuses.items())
    notes = [f"plans: {said}; {scored.empty:,} of them without a label"]
    if scored.unknown:
        names = ", ".join(f"{label} ({n:,})" for label, n in list(scored.unknown.items())[:5])
        notes.append(f"labels outside the label set: {names}")
    for reason in dict.fromkeys(r.reason for r in scored.results if r.reason):
        notes.append(reason)
    for note in notes:
        console().print(f"  {note}")
