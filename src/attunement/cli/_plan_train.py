"""``attunement plan train``: a planner, or a tagger, from dialogues whose turns have labels."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

from attunement.cli._common import console, friendly, progress
from attunement.cli._fine_tuning import (
    BATCH_SIZE,
    DROP_DUPLICATES,
    EPOCHS,
    FULL_WINDOWS,
    LEARNING_RATE,
    PATIENCE,
    RESUME,
    REVISION,
    fit_of,
    say_fit,
    say_fitted,
)
from attunement.cli._options import choose, refuse_unused
from attunement.cli._plan_text import say_faults

if TYPE_CHECKING:
    from attunement.planning import LabelSet
    from attunement.planning.windows import Target

DATA = typer.Option(
    ...,
    "--data",
    help="Folder with the splits: DailyDialog's original files, or tables (train.csv and so on); "
    "or hub:OWNER/NAME.",
)


@friendly
def train(
    called: typer.Context,
    data: str = DATA,
    out: Path = typer.Option(..., "--out", help="Folder for the trained planner."),
    planner: str = typer.Option(
        "linear",
        "--planner",
        help="linear; encoder (as BERT) or seq2seq (as BART), fine-tuned, which need the extra "
        "train; random, majority or constant.",
    ),
    label_set: Path | None = typer.Option(
        None, "--label-set", help="YAML file of the labels; by default DailyDialog's eleven."
    ),
    target: str = typer.Option(
        "next",
        "--target",
        help="next: plan the labels of the turn that follows. current: tag the turn itself, for "
        "plan tag.",
    ),
    context: int | None = typer.Option(
        None,
        "--context",
        min=1,
        max=100,
        help="Turns that it reads at most: by default 3, and 1 with --target current, where 2 adds "
        "the turn before.",
    ),
    full_windows: bool = FULL_WINDOWS,
    drop_duplicates: bool = DROP_DUPLICATES,
    sequence: str = typer.Option(
        "inform", "--sequence", help="Of the constant planner: labels with commas between them."
    ),
    base_model: str | None = typer.Option(
        None,
        "--base-model",
        help="What encoder and seq2seq are made from: a name on the hub, or a folder. By default "
        "google-bert/bert-base-uncased and facebook/bart-base.",
    ),
    revision: str | None = REVISION,
    epochs: int | None = EPOCHS,
    learning_rate: float | None = LEARNING_RATE,
    batch_size: int | None = BATCH_SIZE,
    patience: int = PATIENCE,
    threshold: str | None = typer.Option(
        None,
        "--threshold",
        help="Of the encoder: a label is planned at or above this probability; or tuned, for one "
        "that validation turns tell for each label. By default the paper's: 0.7, and 0.5 for "
        "a large base model.",
    ),
    resume: bool = RESUME,
    seed: int = typer.Option(
        1, "--seed", min=0, help="Of the random planner, and of what fine-tuning draws by chance."
    ),
    force: bool = typer.Option(False, "--force", help="Write over a planner in --out."),
) -> None:
    """Train a planner or a tagger on dialogues whose turns have labels; write it to a folder.

    A planner that was trained on DailyDialog is bound by its license, CC BY-NC-SA 4.0: no
    commercial use.
    """
    from dataclasses import replace

    from attunement.models.hf_models import libraries
    from attunement.models.hf_training import checkpoints
    from attunement.planning import storage, training
    from attunement.planning.encoder import EncoderPlanner
    from attunement.planning.networks import Recipe
    from attunement.planning.seq2seq import Seq2SeqPlanner
    from attunement.planning.windows import TARGETS

    kind = training.require(planner)
    choose(target, "--target", TARGETS)
    _refuse_unused(called, kind)
    storage.refuse(out, force=force)
    labels = labels_of(label_set)
    order = training.Order(
        labels=labels,
        context=_context(context, target),
        full=full_windows,
        target=cast("Target", target),
        seed=seed,
        sequence=labels.require(_words(sequence)) if kind == "constant" else (),
    )
    if kind in training.BASES:
        default = training.paper_recipe(kind, order.target)
        fit = fit_of(
            default.fit,
            epochs=epochs,
            learning_rate=learning_rate,
            batch_size=batch_size,
            patience=patience,
            seed=seed,
        )
        base = base_model or default.base
        kept = checkpoints(out)
        recipe = Recipe(base, fit, revision, checkpoints=kept, resume=resume)
        order = replace(order, recipe=recipe, threshold=_threshold(threshold, base))
        libraries(f"attunement plan train --planner {kind}")
    given = training.material(data, order, drop_duplicates=drop_duplicates)
    for split in given.splits:
        say_faults(split)
    if order.recipe is not None:
        say_fit(f"{kind} from {order.recipe.base}", order.recipe.fit)
    if training.steps(kind, given, order) is None:
        made = training.train(kind, given, order)
    else:
        with progress(f"Training {kind}", training.steps(kind, given, order)) as advance:
            made = training.train(kind, given, order, advance=advance)
    fitted = made.fitted if isinstance(made, EncoderPlanner | Seq2SeqPlanner) else None
    storage.write(
        made,
        out,
        target=order.target,
        force=force,
        training_windows=len(given.training),
        validation_windows=len(given.validation),
        duplicates_left_out=sum(s.left_out for s in given.splits),
        full_windows=full_windows,
        data=given.hash,
        **(fitted.about if fitted is not None else {}),
    )
    if order.recipe is not None and order.recipe.checkpoints is not None:
        shutil.rmtree(order.recipe.checkpoints, ignore_errors=True)
    if fitted is not None and order.recipe is not None:
        say_fitted(fitted, order.recipe.fit.epochs)
    console().print(
        f"{kind}: {len(given.training):,} training and {len(given.validation):,} validation "
        f"windows; written to {out}."
    )


_TUNING = (
    "base_model", "revision", "epochs", "learning_rate", "batch_size", "patience", "resume",
)  # fmt: skip
_USES = {
    "linear": (),
    "encoder": (*_TUNING, "threshold", "seed"),
    "seq2seq": (*_TUNING, "seed"),
    "random": ("seed",),
    "majority": (),
    "constant": ("sequence",),
}
"""Kind of planner -> the options that some planners use and others do not."""


def _refuse_unused(called: typer.Context, kind: str) -> None:
    every = {name for used in _USES.values() for name in used}
    refuse_unused(called, f"to the planner {kind}", *(every - set(_USES[kind])))


def _threshold(given: str | None, base: str) -> float | None:
    """Return the encoder's threshold; None where it is tuned."""
    from attunement.errors import UserError
    from attunement.planning.encoder import paper_threshold

    if given is None:
        return paper_threshold(base)
    if given == "tuned":
        return None
    try:
        value = float(given)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise UserError(
            f"--threshold lies between 0 and 1, not {given!r}.", fix="Give 0.5, or tuned."
        )
    return value


def _context(given: int | None, target: str) -> int:
    """Return how many turns are read; a tagger gets a text and the turn before it, no more."""
    from attunement.errors import UserError
    from attunement.planning.tagging import READS
    from attunement.planning.windows import CONTEXT

    if target == "next":
        return CONTEXT if given is None else given
    if given is not None and given > READS:
        raise UserError(
            f"a tagger reads the turn and the one before it, not {given} turns.",
            fix=f"Give --context 1 or {READS}.",
        )
    return 1 if given is None else given


def labels_of(file: Path | None) -> LabelSet:
    """Return the labels of a file, by default DailyDialog's."""
    from attunement.planning import DAILYDIALOG, LabelSet

    return DAILYDIALOG if file is None else LabelSet.read(file)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
