"""What planners that are fine-tuned networks have in common: tokens of turns, batches, training."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attunement.models import hf_models
from attunement.models.hf_training import Fit, Fitted, fit
from attunement.planning.planner import Advance
from attunement.planning.windows import Target, Window
from attunement.stats.result import signature

LONGEST = 512
"""The most tokens that a network is given; the earliest are left out."""

_BATCH_TOKENS = 8_192

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Recipe:
    """What a network is made from, and how.

    Parameters
    ----------
    base
        The pretrained network: a name on the hub or a folder.
    fit
        How it is fine-tuned.
    revision
        Branch, tag or commit on the hub.
    checkpoints
        The folder that keeps checkpoints, which is for the caller to delete once the planner is
        written; None keeps them only until training ends.
    resume
        Go on from the checkpoints there; where not, they are deleted first.
    """

    base: str
    fit: Fit
    revision: str | None = None
    checkpoints: Path | None = None
    resume: bool = True


@dataclass(frozen=True, eq=False)
class Network:
    """A network and what makes its tokens.

    Parameters
    ----------
    model, tokenizer
        Of transformers.
    base
        What it was made from, with the hub's commit where there is one: ``name@commit``.
    """

    model: Any
    tokenizer: Any
    base: str

    @classmethod
    def of(cls, recipe: Recipe, auto: str, **config: Any) -> Network:
        """Return the pretrained network of a recipe, see `hf_models.load_base`."""
        model, tokenizer = hf_models.load_base(
            recipe.base, auto, revision=recipe.revision, seed=recipe.fit.seed, **config
        )
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
            model.config.pad_token_id = tokenizer.pad_token_id
        commit = hf_models.commit(model, recipe.revision)
        # A signature names no place on somebody's machine.
        folder = Path(recipe.base)
        name = folder.resolve().name if folder.is_dir() else recipe.base
        return cls(model, tokenizer, f"{name}@{commit}" if commit else name)

    def token_ids(self, contexts: Sequence[Sequence[str]]) -> list[list[int]]:
        """Return the token ids of each context: its turns, with the network's separator between.

        Where there are too many, those of the earliest turns are left out.
        """
        if not contexts:
            return []
        between = self.tokenizer.sep_token or self.tokenizer.eos_token or "\n"
        texts = [f" {between} ".join(turn.strip() for turn in context) for context in contexts]
        self.tokenizer.truncation_side = "left"
        limit = min(hf_models.window(self.model, self.tokenizer), LONGEST)
        found: list[list[int]] = self.tokenizer(
            texts, truncation=True, max_length=limit, verbose=False
        )["input_ids"]
        return found

    def padded(self, ids: Sequence[Sequence[int]]) -> dict[str, Any]:
        """Return token ids of different lengths as tensors: ``input_ids``, ``attention_mask``.

        They are in main memory, where the Trainer expects a batch to be.
        """
        found = self.tokenizer.pad({"input_ids": [list(row) for row in ids]}, return_tensors="pt")
        return {name: found[name] for name in ("input_ids", "attention_mask")}

    def passes(
        self, contexts: Sequence[Sequence[str]], advance: Advance | None = None
    ) -> Iterator[tuple[list[int], dict[str, Any]]]:
        """Yield the places of some contexts, and what the network reads of them, until all are.

        The inputs lie where the network computes. ``advance`` is told of each pass that is done.
        """
        ids = self.token_ids(contexts)
        for places in _batches(ids):
            batch = self.padded([ids[i] for i in places])
            yield places, {name: part.to(self.model.device) for name, part in batch.items()}
            if advance is not None:
                advance(len(places))


def _batches(ids: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield the places of rows of similar length, so that little is padding."""
    batch: list[int] = []
    for place in sorted(range(len(ids)), key=lambda i: len(ids[i])):
        if batch and (len(batch) + 1) * len(ids[place]) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def train(
    network: Network,
    training: Sequence[Row],
    validation: Sequence[Row],
    collate: Callable[[list[Row]], dict[str, Any]],
    recipe: Recipe,
    *,
    fingerprint: Mapping[str, object],
    advance: Advance | None = None,
) -> Fitted:
    """Train a network in place, see `hf_training.fit`; afterwards it is that of the best epoch.

    Raises
    ------
    UserError
        Where an interrupted training of another kind is there, or the loss is no number.
    """
    what = {**fingerprint, "base": network.base}
    place = recipe.checkpoints
    with tempfile.TemporaryDirectory() as scratch:
        fitted = fit(
            network.model,
            training,
            validation,
            collate,
            recipe.fit,
            Path(scratch) if place is None else place,
            fingerprint=what,
            resume=recipe.resume,
            advance=advance,
        )
    network.model.eval()
    return fitted


def signed(
    name: str, network: Network, recipe: Recipe, fitted: Fitted, *, inputs: str, **more: object
) -> str:
    """Return the signature of a planner that was fine-tuned; the best epoch is part of it."""
    return signature(
        name,
        inputs=inputs or None,
        base=network.base,
        **recipe.fit.signed(fitted),
        **more,
    )


def described(
    training: Sequence[Window], validation: Sequence[Window], context: int, target: Target
) -> dict[str, object]:
    """Return what a signature says of the windows.

    Raises
    ------
    ValueError
        Where there are none to learn from, or to watch the loss on.
    """
    if not training or not validation:
        raise ValueError("a planner needs training and validation turns")
    return {
        "context": context,
        "target": None if target == "next" else target,
        "windows": f"{len(training)}+{len(validation)}",
    }
