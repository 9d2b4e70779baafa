"""Fine-tune any Hugging Face model (extra ``train``): early stopping, checkpoints, going on.

One set-up for planners and generators. The loss on validation examples is taken after each epoch;
training stops where it no longer falls, and the weights with the lowest one are what is returned.
Optimizer, schedule and order are the Trainer's: AdamW, a learning rate that falls to 0 in a
straight line, examples shuffled by the seed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from attunement.errors import UserError
from attunement.models.checkpoints import ended, losses_of, prepare, state_of, step_of
from attunement.models.hf_models import libraries, quiet

Collate = Callable[[list[Any]], dict[str, Any]]
"""Makes a batch of examples, whatever they are."""

SAVE_EVERY_S = 300.0
"""Seconds between two checkpoints within an epoch."""


@dataclass(frozen=True)
class Fit:
    """How a model is trained.

    Parameters
    ----------
    epochs
        At most, at least 1.
    learning_rate
        At the start, above 0.
    batch_size
        Examples a step, at least 1.
    patience
        Epochs without a lower loss on validation examples after which training stops; None where
        it never does.
    seed
        Of new layers, of dropout and of the examples' order.

    Raises
    ------
    UserError
        Where a value is out of its range.
    """

    epochs: int
    learning_rate: float
    batch_size: int
    patience: int | None = 2
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        for name in ("epochs", "batch_size", "patience"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UserError(f"{name.replace('_', ' ')} must be 1 or more, not {value}.")
        if not (math.isfinite(self.learning_rate) and self.learning_rate > 0):
            raise UserError(f"the learning rate must be above 0, not {self.learning_rate}.")

    def steps(self, examples: int) -> int:
        """Return how many steps training takes where it does not stop early."""
        return self.epochs * math.ceil(examples / self.batch_size)

    def signed(self, fitted: Fitted) -> dict[str, Any]:
        """Return what a signature says of training; the best epoch is part of it."""
        return {
            "epochs": f"{fitted.best}/{self.epochs}",
            "learning_rate": self.learning_rate,
            "batch_size": self.batch_size,
            "patience": self.patience,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class Fitted:
    """What came of training; the model itself was changed in place.

    Parameters
    ----------
    losses
        On validation examples, after each epoch: mean over tokens or labels of a batch, then over
        examples.
    best
        The epoch whose weights the model has now; the first is 1.
    resumed
        The step that training went on from; 0 where it began.
    """

    losses: tuple[float, ...]
    best: int
    resumed: int

    @property
    def about(self) -> dict[str, Any]:
        """What a trained model's file says of its training."""
        return {"epochs_trained": len(self.losses), "best_epoch": self.best,
                "validation_losses": list(self.losses)}  # fmt: skip


def checkpoints(out: Path) -> Path:
    """Return the folder beside a model's folder that keeps checkpoints until it is trained."""
    return out.parent / f"{out.name}.training"


def fit(
    model: Any,
    training: Sequence[Any],
    validation: Sequence[Any],
    collate: Collate,
    order: Fit,
    folder: Path,
    *,
    fingerprint: Mapping[str, Any],
    resume: bool = True,
    advance: Callable[[int], None] | None = None,
    save_every_s: float = SAVE_EVERY_S,
) -> Fitted:
    """Train a model in place; an interrupted training goes on where its last checkpoint was.

    The same examples, order and software give the same weights on one CPU, interrupted or not.

    Parameters
    ----------
    model
        A model of transformers, whose forward pass returns a loss for what ``collate`` makes.
    training, validation
        Examples, neither empty.
    collate
        Makes a batch of examples.
    order
        How to train.
    folder
        Where checkpoints are kept, see `checkpoints`; the caller deletes it once the trained model
        is written.
    fingerprint
        What else must be the same for training to go on: data, base model and so on; JSON.
    resume
        Go on from what is in ``folder``; where not, it is deleted first.
    advance
        Is told how many steps were done.
    save_every_s
        Seconds between two checkpoints within an epoch.

    Raises
    ------
    UserError
        Where the interrupted training was another one, or the loss on validation examples is no
        number.
    """
    if not training or not validation:
        raise ValueError("training needs training and validation examples")
    folder = folder.resolve()
    last = prepare(folder, {**fingerprint, **asdict(order)}, resume)
    state = {} if last is None else state_of(last)
    with quiet():
        if ended(state, order.patience):
            _load(model, Path(state["best_model_checkpoint"]))
            history = state["log_history"]
        else:
            trainer = _trainer(model, training, validation, collate, order, folder)
            callback = type("Watch", (_Watch, libraries("training")[1].TrainerCallback), {})
            trainer.add_callback(callback(advance, save_every_s))
            _run(trainer, last)
            history = trainer.state.log_history
    losses = losses_of(history)
    known = [loss for loss in losses if math.isfinite(loss)]
    if not known:
        raise UserError(
            "training failed: the loss on validation examples is no number.",
            fix="Try a lower learning rate.",
        )
    best = losses.index(min(known)) + 1
    return Fitted(tuple(losses), best, 0 if last is None else step_of(last))


def _run(trainer: Any, last: Path | None) -> None:
    torch, _ = libraries("training")
    try:
        trainer.train(resume_from_checkpoint=None if last is None else str(last))
    except torch.OutOfMemoryError as error:
        raise UserError(
            "the graphics card has not enough memory.",
            fix="Give a smaller --batch-size, or a smaller base model.",
        ) from error


def _trainer(
    model: Any,
    training: Sequence[Any],
    validation: Sequence[Any],
    collate: Collate,
    order: Fit,
    folder: Path,
) -> Any:
    _, transformers = libraries("training")
    arguments = transformers.TrainingArguments(
        output_dir=str(folder),
        num_train_epochs=order.epochs,
        learning_rate=order.learning_rate,
        per_device_train_batch_size=order.batch_size,
        per_device_eval_batch_size=order.batch_size,
        seed=order.seed,
        eval_strategy="epoch",
        save_strategy="epoch",
        logging_strategy="epoch",
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        greater_is_better=False,
        restore_callback_states_from_checkpoint=True,
        prediction_loss_only=True,
        remove_unused_columns=False,
        dataloader_pin_memory=False,  # a batch may be made on the graphics card
        disable_tqdm=True,
        report_to="none",
    )
    arguments._n_gpu = min(1, arguments.n_gpu)  # several would make larger batches of these
    callbacks = []
    if order.patience is not None:
        callbacks.append(transformers.EarlyStoppingCallback(early_stopping_patience=order.patience))
    trainer = transformers.Trainer(
        model=model,
        args=arguments,
        data_collator=collate,
        train_dataset=training,
        eval_dataset=validation,
        callbacks=callbacks,
    )
    trainer.remove_callback(transformers.PrinterCallback)
    return trainer


class _Watch:
    """Counts steps, and asks for a checkpoint now and then; mixed into a Trainer's callback."""

    def __init__(self, advance: Callable[[int], None] | None, save_every_s: float) -> None:
        self._advance = advance or (lambda _: None)
        self._save_every_s = save_every_s
        self._saved = time.monotonic()

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.global_step:
            self._advance(state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._advance(1)
        if time.monotonic() - self._saved >= self._save_every_s:
            control.should_save = True

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._saved = time.monotonic()


def _load(model: Any, checkpoint: Path) -> None:
    found = type(model).from_pretrained(checkpoint, use_safetensors=True, local_files_only=True)
    model.load_state_dict(found.state_dict())
