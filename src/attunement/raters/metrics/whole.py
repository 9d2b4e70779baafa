"""A system's number where it is not the mean of its answers': corpus BLEU, distinct-n, and such."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from attunement.raters.metrics.base import Batch, Variant
from attunement.stats.agreement.resampling import Bootstrap, estimate
from attunement.stats.result import Result, input_hash

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Answers:
    """What is kept of a system's answers until its number is made.

    Parameters
    ----------
    parts
        One an answer, as the metric's `Whole.part` returns them.
    items
        Which item each of them answers; answers to one item are drawn together.

    """

    parts: Sequence[Any]
    items: Sequence[str]


class Combine(Protocol):
    """Makes a system's number of what was kept of its answers."""

    def __call__(
        self,
        answers: Answers,
        variant: Variant,
        parameters: Mapping[str, object],
        bootstrap: Bootstrap,
    ) -> Result:
        """Return the number with its interval; ``parameters`` go into the signature."""


@dataclass(frozen=True)
class Whole:
    """How a metric rates all answers of a system together.

    Parameters
    ----------
    parts
        Called with a batch and a variant; returns what has to be kept of each answer. Answers
        without a value of their own are left out by the caller.
    combine
        Makes the number.
    parameters
        Called with a batch and a variant; returns what the number's signature has to say.

    """

    parts: Callable[[Batch, Variant], Sequence[Any]]
    combine: Combine
    parameters: Callable[[Batch, Variant], Mapping[str, object]]


def of_sums(
    name: str, score: Callable[[Floats, Variant], Floats], *, method: str, undefined: str
) -> Combine:
    """Return how a number is made that needs only sums over the answers.

    Parameters
    ----------
    name
        Of the result.
    score
        Called with sums, shape (b, k), and the variant; returns shape (b,), NaN where undefined.
    method, undefined
        What is said of it, and why it may be NaN.

    Notes
    -----
    The interval is a percentile bootstrap over items (Koehn 2004): each resample adds up the parts
    of the items that were drawn.

    """

    def combine(
        answers: Answers,
        variant: Variant,
        parameters: Mapping[str, object],
        bootstrap: Bootstrap,
    ) -> Result:
        parts = np.array(answers.parts, dtype=np.float64)
        draws: Bootstrap = {**bootstrap, "clusters": list(answers.items)}
        found = estimate(
            name,
            lambda weights: score(weights @ parts, variant),
            np.ones(len(parts), dtype=np.bool_),
            method=method,
            inputs=input_hash(parts),
            nothing="no values",
            constant=undefined,
            parameters=dict(parameters),
            **draws,
        )
        # What is drawn together are the answers to one item.
        return replace(
            found,
            method=found.method.replace("clusters", "items"),
            signature=found.signature.replace("bootstrap:clusters", "bootstrap:items"),
            reason=found.reason and found.reason.replace("clusters", "items"),
        )

    return combine
