"""``attunement respond train``: a generator of responses, fine-tuned on dialogues."""

from __future__ import annotations

from pathlib import Path

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


@friendly
def train(
    data: str = typer.Option(
        ...,
        "--data",
        help="Folder with the splits train and validation: DailyDialog's original files, or tables "
        "(train.csv and so on); or hub:OWNER/NAME. No labels are needed.",
    ),
    out: Path = typer.Option(..., "--out", help="Folder for the trained generator."),
    generator: str = typer.Option(
        "causal",
        "--generator",
        help="causal: goes on with the conversation, as GPT-2. seq2seq: reads it with an encoder, "
        "as BART.",
    ),
    base_model: str | None = typer.Option(
        None,
        "--base-model",
        help="What is fine-tuned: a name on the hub such as microsoft/DialoGPT-medium, or a "
        "folder. By default gpt2, or facebook/bart-base.",
    ),
    revision: str | None = REVISION,
    context: int = typer.Option(3, "--context", min=1, max=100, help="Turns of context at most."),
    full_windows: bool = FULL_WINDOWS,
    drop_duplicates: bool = DROP_DUPLICATES,
    epochs: int | None = EPOCHS,
    learning_rate: float | None = LEARNING_RATE,
    batch_size: int | None = BATCH_SIZE,
    patience: int = PATIENCE,
    seed: int = typer.Option(1, "--seed", min=0, help="Of dropout and of the order of examples."),
    resume: bool = RESUME,
    force: bool = typer.Option(False, "--force", help="Write over a generator in --out."),
) -> None:
    """Fine-tune a language model on dialogues, and write it to a folder.

    Needs the extra train. A generator that was trained on DailyDialog is bound by its license,
    CC BY-NC-SA 4.0: no commercial use. What it answers was not checked by anyone: show it to
    nobody in distress.
    """
    from attunement.cli._plan_text import say_faults
    from attunement.models.hf_models import libraries
    from attunement.respond import generator_storage, training

    kind = training.require(generator)
    generator_storage.refuse(out, force=force)
    libraries("attunement respond train")
    base = base_model or training.DEFAULT_BASE[kind]
    fit = fit_of(
        training.defaults(kind, base),
        epochs=epochs,
        learning_rate=learning_rate,
        batch_size=batch_size,
        patience=patience,
        seed=seed,
    )
    given = training.material(
        data, context=context, full=full_windows, drop_duplicates=drop_duplicates
    )
    for split in given.splits:
        say_faults(split)
    order = training.Order(kind, base, fit, revision=revision)
    say_fit(f"{kind} from {base}", fit)
    with progress(f"Training {kind}", fit.steps(len(given.training))) as advance:
        fitted = training.train(given, order, out, force=force, resume=resume, advance=advance)
    say_fitted(fitted, fit.epochs)
    console().print(
        f"{kind}: {len(given.training):,} training and {len(given.validation):,} validation "
        f"exchanges; written to {out}."
    )
