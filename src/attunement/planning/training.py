"""Train a planner by name on the splits of a folder or of the hub."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from attunement.errors import UserError, nearest
from attunement.models.hf_training import Fit
from attunement.planning import baselines, encoder, linear, seq2seq
from attunement.planning.dailydialog import load_split
from attunement.planning.dialogues import Split, without_duplicates
from attunement.planning.labels import DAILYDIALOG, LabelSet
from attunement.planning.networks import Recipe
from attunement.planning.planner import Advance, Planner
from attunement.planning.windows import CONTEXT, Target, Window, require_windows, windows
from attunement.stats.result import input_hash


@dataclass(frozen=True)
class Order:
    """What to train.

    Parameters
    ----------
    labels
        The label set.
    context, full, target
        Of the windows.
    seed
        Of planners that draw by chance.
    sequence
        What the constant planner plans.
    recipe
        How the encoder and the sequence-to-sequence planner are fine-tuned; None for the paper's
        settings, see `paper_recipe`.
    threshold
        Of the encoder, see `encoder.train`; None to tune it on the validation turns.
    """

    labels: LabelSet = DAILYDIALOG
    context: int = CONTEXT
    full: bool = False
    target: Target = "next"
    seed: int = 1
    sequence: tuple[str, ...] = ()
    recipe: Recipe | None = None
    threshold: float | None = None


@dataclass(frozen=True)
class Material:
    """Training and validation turns, and the splits that they are from."""

    training: tuple[Window, ...]
    validation: tuple[Window, ...]
    splits: tuple[Split, ...]

    @property
    def hash(self) -> str:
        """Eight hex digits that change when the data do."""
        return input_hash("+".join(s.hash for s in self.splits))


def material(data: str | Path, order: Order, *, drop_duplicates: bool = False) -> Material:
    """Return what a planner is trained on.

    Parameters
    ----------
    data
        See `load_split`.
    order
        Label set and windows.
    drop_duplicates
        Leave out training dialogues whose text stands in the validation or test split.

    Raises
    ------
    UserError
        Where a split is missing or has no turn to ask about.
    """
    train, validation = (load_split(data, name, order.labels) for name in ("train", "validation"))
    if drop_duplicates:
        train = without_duplicates(train, validation, load_split(data, "test", order.labels))
    parts = []
    for split in (train, validation):
        found = _windows(split, order)
        require_windows(found, split)
        parts.append(tuple(found))
    return Material(parts[0], parts[1], (train, validation))


def train(kind: str, given: Material, order: Order, *, advance: Advance | None = None) -> Planner:
    """Return a trained planner.

    Parameters
    ----------
    kind
        A name from `TRAINERS`.
    given
        What it learns from.
    order
        How.
    advance
        Is told of each step that is done, see `steps`.

    Raises
    ------
    UserError
        Where the kind is unknown.
    """
    return TRAINERS[require(kind)](given, order, advance)


def require(kind: str) -> str:
    """Return the kind of planner.

    Raises
    ------
    UserError
        Where it is unknown.
    """
    if kind not in TRAINERS:
        guess = nearest(kind, list(TRAINERS))
        raise UserError(
            f"no planner {kind!r}; there are {', '.join(TRAINERS)}.",
            fix=f"Did you mean {guess!r}?" if guess else None,
        )
    return kind


def paper_recipe(kind: str, target: Target = "next") -> Recipe:
    """Return the published settings (Table III): 10 epochs, and 20 to tag the turn itself.

    Parameters
    ----------
    kind
        ``encoder`` or ``seq2seq``.
    target
        Whose labels are learned.
    """
    epochs = 20 if (kind, target) == ("encoder", "current") else 10
    return Recipe(BASES[kind], Fit(epochs, learning_rate=3e-5, batch_size=32))


def steps(kind: str, given: Material, order: Order) -> int | None:
    """Return how many steps training has at most, None where it is one."""
    if kind in BASES:
        return (order.recipe or paper_recipe(kind, order.target)).fit.steps(len(given.training))
    if kind != "linear":
        return None
    return 1 + len({label for w in given.training for label in w.target})


def _linear(given: Material, order: Order, advance: Advance | None) -> Planner:
    return linear.train(
        given.training,
        given.validation,
        order.labels,
        context=order.context,
        target=order.target,
        inputs=given.hash,
        advance=advance,
    )


def _encoder(given: Material, order: Order, advance: Advance | None) -> Planner:
    return encoder.train(
        given.training,
        given.validation,
        order.labels,
        order.recipe or paper_recipe("encoder", order.target),
        context=order.context,
        threshold=order.threshold,
        target=order.target,
        inputs=given.hash,
        advance=advance,
    )


def _seq2seq(given: Material, order: Order, advance: Advance | None) -> Planner:
    return seq2seq.train(
        given.training,
        given.validation,
        order.labels,
        order.recipe or paper_recipe("seq2seq", order.target),
        context=order.context,
        target=order.target,
        inputs=given.hash,
        advance=advance,
    )


def _random(given: Material, order: Order, _: Advance | None) -> Planner:
    return baselines.random(given.training, order.labels, seed=order.seed, context=order.context)


def _majority(given: Material, order: Order, _: Advance | None) -> Planner:
    return baselines.majority(given.training, order.labels, context=order.context)


def _constant(_: Material, order: Order, __: Advance | None) -> Planner:
    sequence = order.labels.require(order.sequence)
    return baselines.ConstantPlanner(order.labels, sequence, context=order.context)


Trainer = Callable[[Material, Order, Advance | None], Planner]

TRAINERS: dict[str, Trainer] = {
    "linear": _linear,
    "encoder": _encoder,
    "seq2seq": _seq2seq,
    "random": _random,
    "majority": _majority,
    "constant": _constant,
}
"""Kind of planner -> what trains it. Further kinds are entered here and in `formats.READERS`."""

BASES: dict[str, str] = {"encoder": encoder.BASE, "seq2seq": seq2seq.BASE}
"""Kind of planner that is fine-tuned -> the pretrained network that it begins with by default."""


def turns_of(
    data: str | Path, split: str, order: Order, *, drop_duplicates: bool = False
) -> tuple[Split, Sequence[Window]]:
    """Return a split and its windows, to evaluate on.

    Parameters
    ----------
    data, split
        See `load_split`.
    order
        Label set and windows.
    drop_duplicates
        Leave out dialogues whose text stands in the training split.

    Raises
    ------
    UserError
        Where a split is missing or has no turn to ask about.
    """
    found = load_split(data, split, order.labels)
    if drop_duplicates and split != "train":
        found = without_duplicates(found, load_split(data, "train", order.labels))
    turns = _windows(found, order)
    require_windows(turns, found)
    return found, turns


def _windows(split: Split, order: Order) -> list[Window]:
    return windows(split, context=order.context, full=order.full, target=order.target)
