"""The sequence-to-sequence planner: a BART-style network that writes labels (extra ``train``)."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attunement.models.hf_models import quiet
from attunement.models.hf_training import Fitted
from attunement.planning import networks
from attunement.planning.answers import plan_of
from attunement.planning.labels import LabelSet
from attunement.planning.multilabel import has_text, learned_labels
from attunement.planning.networks import Network, Recipe, Row
from attunement.planning.planner import NO_CONTEXT, Advance, Plan
from attunement.planning.windows import Target, Window

MODEL = "AutoModelForSeq2SeqLM"
BASE = "facebook/bart-base"

NOTHING = "none"
"""What is written for a turn without a label."""

_SPARE = 8
"""Tokens that an answer may have beyond the longest target."""
_IGNORED = -100
"""The token id that no loss is taken of."""


@dataclass(frozen=True)
class Seq2SeqPlanner:
    """A trained network that writes the labels, with commas between them.

    Parameters
    ----------
    labels
        The label set.
    network
        An encoder and decoder.
    longest
        The most tokens that it writes.
    context
        How many turns it reads.
    trained_on
        The signature of its training.
    fitted
        How training went; None once it was written and read.
    """

    labels: LabelSet
    network: Network
    longest: int
    context: int
    trained_on: str
    fitted: Fitted | None = None
    kind: str = "seq2seq"

    @property
    def signature(self) -> str:
        """What makes it what it is."""
        return self.trained_on

    def plan(
        self, contexts: Sequence[Sequence[str]], *, advance: Advance | None = None
    ) -> list[Plan]:
        """Return a plan for each context: what the network writes, token by likeliest token.

        A context without any text has none (``not_applicable``), nor has one for which no label of
        the label set is written (``unparsed``).
        """
        answers = self.written(contexts, advance=advance)
        return [
            _read(answer, self.labels) if has_text(context, self.context) else NO_CONTEXT
            for context, answer in zip(contexts, answers, strict=True)
        ]

    def written(
        self, contexts: Sequence[Sequence[str]], *, advance: Advance | None = None
    ) -> list[str]:
        """Return what the network writes for each context."""
        import torch

        read = [tuple(context[-self.context :]) for context in contexts]
        found = [""] * len(read)
        if not read:
            return found
        how = copy.deepcopy(self.network.model.generation_config)
        # A base model may bring settings for summaries: beams, lengths, words not to repeat.
        for name, value in _GREEDY.items():
            setattr(how, name, value)
        how.max_new_tokens = self.longest
        for places, inputs in self.network.passes(read, advance):
            with torch.inference_mode(), quiet():
                made = self.network.model.generate(**inputs, generation_config=how)
            texts = self.network.tokenizer.batch_decode(made, skip_special_tokens=True)
            for place, text in zip(places, texts, strict=True):
                found[place] = text
        return found


_GREEDY: dict[str, Any] = {
    "do_sample": False, "num_beams": 1, "max_length": None, "min_length": 0,
    "no_repeat_ngram_size": 0, "early_stopping": False, "length_penalty": 1.0,
    "num_return_sequences": 1, "repetition_penalty": 1.0,
}  # fmt: skip


def train(
    training: Sequence[Window],
    validation: Sequence[Window],
    labels: LabelSet,
    recipe: Recipe,
    *,
    context: int,
    target: Target = "next",
    inputs: str = "",
    advance: Advance | None = None,
) -> Seq2SeqPlanner:
    """Return a network fine-tuned to write the labels of windows.

    Parameters
    ----------
    training, validation
        Windows of at most ``context`` turns.
    labels
        The label set.
    recipe
        The base model and how it is fine-tuned.
    context
        Turns of context.
    target
        Whose labels the windows have, for the signature.
    inputs
        A hash of the data, for the signature.
    advance
        Is told of each step.

    Raises
    ------
    UserError
        Where the base model cannot be loaded, or training fails.
    ValueError
        Where there are no windows or no labels.
    """
    windows = networks.described(training, validation, context, target)
    learned_labels(training, labels)
    network = Network.of(recipe, MODEL)
    rows = _rows(network, training)
    fitted = networks.train(
        network,
        rows,
        _rows(network, validation),
        lambda batch: _batch(network, batch),
        recipe,
        fingerprint={"kind": "seq2seq", "data": inputs, **windows},
        advance=advance,
    )
    made = networks.signed(
        "plan-seq2seq",
        network,
        recipe,
        fitted,
        inputs=inputs,
        labels=labels.name,
        decoding="greedy",
        **windows,
    )
    longest = max(len(row["labels"]) for row in rows) + _SPARE
    return Seq2SeqPlanner(labels, network, longest, context, made, fitted)


def _written(sequence: Sequence[str]) -> str:
    return ", ".join(sequence) or NOTHING


def _read(answer: str, labels: LabelSet) -> Plan:
    words = [word.strip() for word in answer.split(",") if word.strip()]
    if [word.casefold() for word in words] == [NOTHING] and NOTHING not in labels.labels:
        return Plan(())
    return plan_of(words, labels, answer)


def _rows(network: Network, found: Sequence[Window]) -> list[Row]:
    ids = network.token_ids([w.context for w in found])
    written = network.tokenizer(text_target=[_written(w.target) for w in found])["input_ids"]
    return [{"input_ids": i, "labels": w} for i, w in zip(ids, written, strict=True)]


def _batch(network: Network, rows: Sequence[Row]) -> dict[str, Any]:
    import torch

    batch = network.padded([row["input_ids"] for row in rows])
    longest = max(len(row["labels"]) for row in rows)
    batch["labels"] = torch.tensor(
        [[*row["labels"], *[_IGNORED] * (longest - len(row["labels"]))] for row in rows]
    )
    return batch
