"""How far two categories agree: 1 where they are the same, 0 where they are farthest apart."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from attunement.stats.agreement.matrix import few_values
from attunement.stats.agreement.resampling import Floats

Weights = Literal["identity", "linear", "quadratic", "ordinal"]
WEIGHTS: tuple[Weights, ...] = get_args(Weights)


def agreement_weights(categories: ArrayLike, weights: Weights = "identity") -> Floats:
    """Return the weight of every pair of categories, shape (categories, categories), 0 to 1.

    Linear and quadratic weights go by the distance between the categories' numbers, ordinal ones by
    how many pairs of categories lie between (Gwet 2014, chapter 3): a scale 1, 2, 5 is not evenly
    spaced to the first two.

    Parameters
    ----------
    categories
        All values of the scale, ascending.
    weights
        Which weights.

    Raises
    ------
    ValueError
        Where the weights are unknown, or a table of them would not fit into memory.

    >>> agreement_weights([1, 2, 3], "quadratic")[0].tolist()
    [1.0, 0.75, 0.0]
    """
    if weights not in WEIGHTS:
        raise ValueError(f"weights must be one of {', '.join(WEIGHTS)}, not {weights!r}")
    values = np.asarray(categories, dtype=np.float64)
    few_values(values)
    if values.size < 2:
        return np.ones((values.size, values.size))
    if weights == "identity":
        return np.eye(values.size)
    if weights == "ordinal":
        steps = np.abs(np.subtract.outer(np.arange(values.size), np.arange(values.size)))
        apart = (steps * (steps + 1) / 2).astype(np.float64)
    else:
        apart = np.abs(values[:, None] - values)
        if weights == "quadratic":
            apart = np.square(apart)
    return np.asarray(1 - apart / apart.max(), dtype=np.float64)
