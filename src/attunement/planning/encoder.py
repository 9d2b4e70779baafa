"""The encoder planner: a BERT-style network with an output for each label (extra ``train``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attunement.models.hf_training import Fitted
from attunement.planning import multilabel, networks
from attunement.planning.labels import LabelSet
from attunement.planning.networks import Network, Recipe, Row
from attunement.planning.planner import Advance, Plan
from attunement.planning.thresholds import Cut, tune
from attunement.planning.windows import Target, Window

MODEL = "AutoModelForSequenceClassification"
BASE = "google-bert/bert-base-uncased"

Floats = NDArray[np.float64]


def paper_threshold(base: str) -> float:
    """Return the published confidence threshold: 0.7 for BERT base, 0.5 for BERT large."""
    return 0.5 if "large" in base else 0.7


@dataclass(frozen=True)
class EncoderPlanner:
    """A trained encoder.

    Parameters
    ----------
    labels
        The label set.
    names
        The labels that it can plan, one an output of the network.
    network
        Its logits are of shape (contexts, names).
    cut
        From probabilities to labels.
    context
        How many turns it reads.
    trained_on
        The signature of its training.
    fitted
        How training went; None once it was written and read.
    """

    labels: LabelSet
    names: tuple[str, ...]
    network: Network
    cut: Cut
    context: int
    trained_on: str
    fitted: Fitted | None = None
    kind: str = "encoder"

    @property
    def signature(self) -> str:
        """What makes it what it is."""
        return self.trained_on

    def probabilities(
        self, contexts: Sequence[Sequence[str]], *, advance: Advance | None = None
    ) -> Floats:
        """Return the probability of each of ``names``, shape (contexts, names).

        The network's sigmoid. Contexts beside it may change the seventh decimal.
        """
        import torch

        read = [tuple(context[-self.context :]) for context in contexts]
        found = np.empty((len(contexts), len(self.names)))
        if not len(contexts):
            return found
        for places, inputs in self.network.passes(read, advance):
            with torch.inference_mode():
                logits = self.network.model(**inputs).logits
            found[places] = logits.double().sigmoid().cpu().numpy()
        return found

    def plan(
        self, contexts: Sequence[Sequence[str]], *, advance: Advance | None = None
    ) -> list[Plan]:
        """Return a plan for each context, the labels of a group in order of their sureness.

        A context without any text has none (``not_applicable``).
        """
        probability = self.probabilities(contexts, advance=advance)
        return multilabel.plans(
            self.labels, self.names, self.cut, contexts, probability, self.context
        )


def train(
    training: Sequence[Window],
    validation: Sequence[Window],
    labels: LabelSet,
    recipe: Recipe,
    *,
    context: int,
    threshold: float | None,
    target: Target = "next",
    inputs: str = "",
    advance: Advance | None = None,
) -> EncoderPlanner:
    """Return an encoder fine-tuned on windows.

    Each label is an output of its own with a binary cross-entropy loss.

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
    threshold
        A label is planned at or above this probability, 0 to 1; a turn may then have no label. None
        tunes one a label, and the greatest length, on the validation turns; at least one label is
        then planned where every training turn has one.
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
        Where there are no windows or no labels, or the threshold is none.
    """
    windows = networks.described(training, validation, context, target)
    if threshold is not None and not 0 < threshold < 1:
        raise ValueError(f"a threshold lies between 0 and 1, not at {threshold:g}")
    names = multilabel.learned_labels(training, labels)
    network = Network.of(
        recipe,
        MODEL,
        num_labels=len(names),
        id2label=dict(enumerate(names)),
        label2id={name: i for i, name in enumerate(names)},
        problem_type="multi_label_classification",
    )
    fitted = networks.train(
        network,
        _rows(network, training, names),
        _rows(network, validation, names),
        lambda rows: _batch(network, rows),
        recipe,
        fingerprint={"kind": "encoder", "labels": list(names), "data": inputs, **windows},
        advance=advance,
    )
    made = networks.signed(
        "plan-encoder",
        network,
        recipe,
        fitted,
        inputs=inputs,
        labels=labels.name,
        threshold="tuned" if threshold is None else threshold,
        **windows,
    )
    fixed = Cut(np.full(len(names), threshold or 1.0), len(names), 0)
    planner = EncoderPlanner(labels, names, network, fixed, context, made, fitted)
    if threshold is not None:
        return planner
    cut = tune(
        planner.probabilities([w.context for w in validation]),
        multilabel.truth(validation, names),
        shortest=min(1, *(len(w.target) for w in training)),
    )
    return replace(planner, cut=cut)


def _rows(network: Network, found: Sequence[Window], names: Sequence[str]) -> list[Row]:
    ids = network.token_ids([w.context for w in found])
    has = multilabel.truth(found, names).astype(np.float32)
    return [{"input_ids": row, "labels": label} for row, label in zip(ids, has, strict=True)]


def _batch(network: Network, rows: Sequence[Row]) -> dict[str, Any]:
    import torch

    batch = network.padded([row["input_ids"] for row in rows])
    batch["labels"] = torch.tensor(np.stack([row["labels"] for row in rows]))
    return batch
