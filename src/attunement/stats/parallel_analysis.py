"""How many factors there are: parallel analysis.

Horn (1965), Psychometrika 30, 179-185; Buja and Eyuboglu (1992), Multivariate Behavioral Research
27, 509-540, for answers shuffled within their column in place of normal noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attunement.stats.item_moments import Missing, answered, moments
from attunement.stats.result import input_hash, signature
from attunement.stats.threads import one_thread

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ParallelAnalysis:
    """Eigenvalues beside those of answers that have nothing to do with one another.

    Parameters
    ----------
    eigenvalues
        Of the correlation matrix, largest first, shape (k,).
    noise_mean, noise_high
        Mean and upper quantile of the same eigenvalues of shuffled answers, shape (k,).
    suggested
        How many eigenvalues, from the first on, are above the quantile.
    quantile
        Which one.
    n, n_missing
        Respondents, and those left out or incomplete.
    signature
        To repeat it by.

    """

    eigenvalues: Floats
    noise_mean: Floats
    noise_high: Floats
    suggested: int
    quantile: float
    n: int
    n_missing: int
    signature: str


@one_thread()
def parallel_analysis(
    values: ArrayLike,
    *,
    missing: Missing = "pairwise",
    replicates: int = 500,
    quantile: float = 0.95,
    seed: int = 1,
) -> ParallelAnalysis:
    """Return which eigenvalues are larger than chance makes them.

    Each column's answers, its gaps among them, are shuffled among the respondents: the noise has
    the steps and the skew of the answers at hand, which normal noise has not.

    Parameters
    ----------
    values
        Shape (n, k): respondents and items, NaN where there is no answer.
    missing
        ``pairwise`` or ``listwise``.
    replicates, quantile, seed
        Of the shuffling.

    Raises
    ------
    ValueError
        Where a correlation is undefined, or there are fewer than three items.

    """
    x = answered(values, missing)
    found = moments(x, missing)
    if x.shape[1] < 3:
        raise ValueError("needs at least three items")
    if np.isnan(found.correlation).any():
        raise ValueError("a correlation is undefined: an item is constant, or too few answered")
    real = _eigenvalues(found.correlation)
    rng = np.random.default_rng(seed)
    noise: list[Floats] = []
    while len(noise) < replicates:
        shuffled = moments(rng.permuted(x, axis=0), missing).correlation
        noise.append(_eigenvalues(np.nan_to_num(shuffled)))
    high = np.quantile(noise, quantile, axis=0)
    above = real > high
    return ParallelAnalysis(
        eigenvalues=real,
        noise_mean=np.mean(noise, axis=0),
        noise_high=high,
        suggested=int(above.argmin()) if not above.all() else len(real),
        quantile=quantile,
        n=found.n,
        n_missing=np.asarray(values).shape[0] - found.n,
        signature=signature(
            "parallel_analysis",
            missing=missing,
            noise="shuffled",
            quantile=quantile,
            replicates=replicates,
            seed=seed,
            inputs=input_hash(np.asarray(values, dtype=np.float64)),
        ),
    )


def _eigenvalues(correlation: Floats) -> Floats:
    return np.asarray(np.linalg.eigvalsh(correlation)[::-1])
