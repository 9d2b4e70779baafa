"""Fine-tune a generator on dialogues, with the paper's settings where nothing else is said.

Vanel et al. (2024, Socio-Emotional Response Generation), section III-B, IV-A and Table IV.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from attunement.errors import UserError, nearest
from attunement.models import hf_models
from attunement.models.hf_training import Fit, Fitted, checkpoints, fit
from attunement.planning.dailydialog import load_split
from attunement.planning.dialogues import Split, without_duplicates
from attunement.planning.windows import CONTEXT
from attunement.respond import generator_storage as storage
from attunement.respond.exchanges import Exchange, exchanges
from attunement.respond.generator_storage import load_generator
from attunement.stats.result import input_hash, signature

__all__ = [
    "DEFAULT_BASE",
    "PAPER",
    "Material",
    "Order",
    "defaults",
    "load_generator",
    "material",
    "require",
    "train",
]

PAPER: dict[str, Fit] = {
    "gpt2": Fit(epochs=12, learning_rate=2e-5, batch_size=32),
    "gpt2-medium": Fit(epochs=5, learning_rate=2e-5, batch_size=16),
    "dialogpt-small": Fit(epochs=8, learning_rate=2e-5, batch_size=32),
    "dialogpt-medium": Fit(epochs=4, learning_rate=2e-5, batch_size=16),
    "bart-base": Fit(epochs=10, learning_rate=2e-5, batch_size=32),
    "bart-large": Fit(epochs=6, learning_rate=2e-5, batch_size=16),
}
"""Table IV, by the last part of a base model's name. Early stopping is not the paper's."""

DEFAULT_BASE = {"causal": "gpt2", "seq2seq": "facebook/bart-base"}
"""The base model of a kind of generator; its settings are also those of models not in `PAPER`."""


@dataclass(frozen=True)
class Order:
    """What to train.

    Parameters
    ----------
    kind
        ``causal`` or ``seq2seq``.
    base
        The base model, on the hub or a folder.
    revision
        Its branch, tag or commit on the hub.
    fit
        How it is trained.
    """

    kind: str
    base: str
    fit: Fit
    revision: str | None = None


@dataclass(frozen=True)
class Material:
    """Training and validation exchanges, the splits that they are from, and their turns at most."""

    training: tuple[Exchange, ...]
    validation: tuple[Exchange, ...]
    splits: tuple[Split, ...]
    context: int

    @property
    def hash(self) -> str:
        """Eight hex digits that change when any exchange does."""
        return input_hash(
            *("\n".join(map(repr, part)) for part in (self.training, self.validation))
        )


def require(kind: str) -> str:
    """Return the kind of generator.

    Raises
    ------
    UserError
        Where it is unknown.
    """
    if kind not in storage.KINDS:
        guess = nearest(kind, list(storage.KINDS))
        raise UserError(
            f"no generator {kind!r}; there are {', '.join(storage.KINDS)}.",
            fix=f"Did you mean {guess!r}?" if guess else None,
        )
    return kind


def defaults(kind: str, base: str) -> Fit:
    """Return the paper's settings for a base model; of another one, those of its kind's default."""
    name = base.rstrip("/").split("/")[-1].casefold()
    return PAPER.get(name) or PAPER[DEFAULT_BASE[kind].split("/")[-1]]


def material(
    data: str | Path, *, context: int = CONTEXT, full: bool = False, drop_duplicates: bool = False
) -> Material:
    """Return what a generator is trained on.

    Parameters
    ----------
    data
        See `load_split`; labels are not needed.
    context, full
        See `exchanges`.
    drop_duplicates
        Leave out training dialogues whose text stands in the validation or test split.

    Raises
    ------
    UserError
        Where a split is missing or has no answer to learn from.
    """
    split, validation = (load_split(data, name, None) for name in ("train", "validation"))
    if drop_duplicates:
        split = without_duplicates(split, validation, load_split(data, "test", None))
    learned, held = (tuple(exchanges(s, context=context, full=full)) for s in (split, validation))
    return Material(learned, held, (split, validation), context)


def train(
    given: Material,
    order: Order,
    out: Path,
    *,
    force: bool = False,
    resume: bool = True,
    advance: Callable[[int], None] | None = None,
) -> Fitted:
    """Train a generator and write it to a folder.

    Checkpoints are kept beside it until it is written; an interrupted training goes on from them.

    Parameters
    ----------
    given
        What it learns from.
    order
        How.
    out
        The folder.
    force
        Write over a generator that is there.
    resume
        Go on from what an interrupted training left; where not, begin again.
    advance
        Is told how many steps were done; see `Fit.steps`.

    Raises
    ------
    UserError
        Where something is in the folder, the base model cannot be loaded, or training fails.
    """
    kind = storage.KINDS[require(order.kind)]
    storage.refuse(out, force=force)
    model, tokenizer = hf_models.load_base(
        order.base, kind.auto, revision=order.revision, seed=order.fit.seed
    )
    base = order.base + _at(hf_models.commit(model, order.revision))
    generator = kind(model, tokenizer, context=given.context)
    folder = checkpoints(out)
    what = {"kind": order.kind, "base": base, "context": given.context, "data": given.hash}
    fitted = fit(
        model,
        given.training,
        given.validation,
        generator.batch,
        order.fit,
        folder,
        fingerprint=what,
        resume=resume,
        advance=advance,
    )
    generator.signature = signature(
        f"respond-{order.kind}",
        base=base,
        context=given.context,
        longest=generator.longest,
        **order.fit.signed(fitted),
        inputs=given.hash,
    )
    storage.write(
        generator,
        out,
        base=base,
        data=given.hash,
        training_exchanges=len(given.training),
        validation_exchanges=len(given.validation),
        duplicates_left_out=sum(s.left_out for s in given.splits),
        **fitted.about,
    )
    shutil.rmtree(folder)
    return fitted


def _at(commit: str | None) -> str:
    return f"@{commit}" if commit else ""
