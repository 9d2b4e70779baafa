"""Options of every command that trains on dialogues, and what is said of how it went."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from attunement.cli._common import console

if TYPE_CHECKING:
    from attunement.models.hf_training import Fit, Fitted

FULL_WINDOWS = typer.Option(
    False, "--full-windows", help="Learn from turns with the whole context before them only."
)
DROP_DUPLICATES = typer.Option(
    False,
    "--drop-duplicates",
    help="Leave out training dialogues that stand in the validation or test split as well.",
)
REVISION = typer.Option(
    None, "--revision", help="Branch, tag or commit of the base model on the hub."
)
EPOCHS = typer.Option(
    None, "--epochs", min=1, help="Epochs at most; by default the paper's for the base model."
)
LEARNING_RATE = typer.Option(
    None, "--learning-rate", min=0.0, help="At the start; by default the paper's."
)
BATCH_SIZE = typer.Option(
    None, "--batch-size", min=1, help="Examples a step; by default the paper's."
)
PATIENCE = typer.Option(
    2,
    "--patience",
    min=0,
    help="Stop after so many epochs without a lower loss on validation examples; 0 never does. "
    "The weights of the best epoch are kept either way.",
)
RESUME = typer.Option(
    True,
    "--resume/--restart",
    help="Go on from the checkpoints of an interrupted training, or begin again.",
)


def fit_of(
    default: Fit,
    *,
    epochs: int | None,
    learning_rate: float | None,
    batch_size: int | None,
    patience: int,
    seed: int,
) -> Fit:
    """Return how a model is trained: what the user says, and else the default."""
    from dataclasses import replace

    return replace(
        default,
        epochs=default.epochs if epochs is None else epochs,
        learning_rate=default.learning_rate if learning_rate is None else learning_rate,
        batch_size=default.batch_size if batch_size is None else batch_size,
        patience=patience or None,
        seed=seed,
    )


def say_fit(what: str, fit: Fit) -> None:
    """Say how a model is going to be trained."""
    stops = "no early stopping" if fit.patience is None else f"patience {fit.patience}"
    console().print(
        f"{what}: {fit.epochs} epochs at most, learning rate {fit.learning_rate:g}, batches of "
        f"{fit.batch_size}, {stops}, seed {fit.seed}."
    )


def say_fitted(fitted: Fitted, most: int) -> None:
    """Say how the loss went, and where training went on from."""
    show = console()
    if fitted.resumed:
        show.print(f"It went on from step {fitted.resumed:,} of an interrupted training.")
    losses = ", ".join(f"{loss:.3f}" for loss in fitted.losses)
    early = "" if len(fitted.losses) >= most else f"; it stopped early, of {most} epochs"
    show.print(f"Validation loss by epoch: {losses}; epoch {fitted.best} is kept{early}.")
