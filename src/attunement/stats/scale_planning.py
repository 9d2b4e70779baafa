"""How many respondents a scale takes, by simulation.

Answers are drawn from the model (normal factors, cut into steps of the scale), analyzed as real
ones would be, and counted. Muthén and Muthén (2002), Structural Equation Modeling 9, 599-620.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attunement.stats.cfa import confirm
from attunement.stats.item_moments import moments
from attunement.stats.proportion import wilson
from attunement.stats.reliability import cronbach, feldt_interval
from attunement.stats.result import Result
from attunement.stats.threads import one_thread

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Population:
    """Where simulated answers come from.

    Parameters
    ----------
    n_factors, per_factor
        How many dimensions of how many items.
    loading
        Of every item on its factor, between 0 and 1.
    between
        Correlation between factors, 0 to below 1.
    steps
        Points of the scale, at least 2.

    """

    n_factors: int
    per_factor: int
    loading: float
    between: float = 0.5
    steps: int = 5

    def __post_init__(self) -> None:
        """Refuse numbers that no population has."""
        if self.n_factors < 1 or self.per_factor < 1 or self.steps < 2:
            raise ValueError("needs at least one factor, one item and two steps")
        if not 0 < self.loading < 1 or not 0 <= self.between < 1:
            raise ValueError("needs a loading above 0 and below 1, and a correlation from 0 to 1")

    def draw(self, n: int, rng: np.random.Generator) -> Floats:
        """Return answers of ``n`` respondents, 1 to ``steps``, with cuts that make a bell."""
        from scipy.special import ndtri

        factor = math.sqrt(self.between) * rng.standard_normal((n, 1))
        factor = factor + math.sqrt(1 - self.between) * rng.standard_normal((n, self.n_factors))
        unique = rng.standard_normal((n, self.n_factors * self.per_factor))
        latent = self.loading * factor.repeat(self.per_factor, axis=1)
        latent = latent + math.sqrt(1 - self.loading**2) * unique
        # Equal steps over the middle 90 % of the normal distribution.
        reach = float(ndtri(0.95)) if self.steps > 2 else 0.0
        cuts = np.linspace(-reach, reach, self.steps - 1)
        return np.asarray(1.0 + np.searchsorted(cuts, latent.ravel()).reshape(latent.shape))


def loading_for_alpha(alpha: float, items: int) -> float:
    """Return the loading at which ``items`` parallel items have this alpha (before the cutting).

    Raises
    ------
    ValueError
        Where alpha is not between 0 and 1 or there are fewer than two items.

    """
    if not 0 < alpha < 1 or items < 2:
        raise ValueError(f"needs an alpha between 0 and 1 and two items: {alpha}, {items}")
    return math.sqrt(alpha / (items - alpha * (items - 1)))


@dataclass(frozen=True)
class Trial:
    """What happened with one number of respondents.

    Parameters
    ----------
    n
        Respondents.
    succeeded
        Share of the simulated studies that did what was wanted, with Wilson's interval.
    typical
        The median of what was measured: an interval's half-width, or RMSEA.

    """

    n: int
    succeeded: Result
    typical: float


@one_thread()
def respondents_for_alpha(
    population: Population,
    half_width: float,
    *,
    assurance: float = 0.8,
    replicates: int = 500,
    level: float = 0.95,
    seed: int = 1,
    most: int = 20_000,
) -> tuple[int | None, list[Trial]]:
    """Return the fewest respondents whose interval of alpha is mostly as narrow as wanted.

    Parameters
    ----------
    population
        With one factor; several are analyzed as one scale.
    half_width
        Half of the whole width of Feldt's interval, above 0.
    assurance
        Share of studies that have to reach it.
    replicates, level, seed
        Simulated studies for each number, coverage of the interval, and the seed.
    most
        Respondents beyond which no answer is looked for.

    Returns
    -------
    tuple
        The number, or None where ``most`` do not suffice, and every number that was tried.

    Raises
    ------
    ValueError
        Where a number is out of its range.

    """
    if not half_width > 0 or not 0 < assurance < 1:
        raise ValueError(f"needs a half-width above 0 and assurance below 1: {half_width}")
    tried: dict[int, Trial] = {}

    def enough(n: int) -> bool:
        if n not in tried:
            widths = [
                _half_width(population.draw(n, rng), level) for rng in _streams(seed, n, replicates)
            ]
            tried[n] = _trial(n, [w <= half_width for w in widths], widths)
        return tried[n].succeeded.estimate >= assurance

    low, high = 5, 10
    while not enough(high):
        low, high = high, high * 2
        if high > most:
            return None, sorted(tried.values(), key=lambda t: t.n)
    while high - low > max(1, low // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high, sorted(tried.values(), key=lambda t: t.n)


@one_thread()
def respondents_for_structure(
    population: Population,
    sizes: Sequence[int],
    *,
    precision: float = 0.15,
    replicates: int = 100,
    level: float = 0.95,
    seed: int = 1,
) -> list[Trial]:
    """Return how often a confirmatory analysis would come out well, for several numbers.

    A study succeeds where the model converges to a proper solution, fits closely (RMSEA's interval
    includes 0.05 or lies below), and the median loading's interval is no wider than twice
    ``precision``.

    Parameters
    ----------
    population
        The model that holds.
    sizes
        Numbers of respondents to try.
    precision
        Wanted half-width of a loading's interval (the median loading's), above 0.
    replicates, level, seed
        Simulated studies for each number, coverage of the intervals, and the seed.

    Raises
    ------
    ValueError
        Where the model is not determined: see `attunement.stats.cfa.model`.

    """
    from scipy.special import ndtri

    z = float(ndtri((1 + level) / 2))
    factor = np.repeat(np.arange(population.n_factors), population.per_factor)
    trials = []
    for n in sizes:
        outcomes, closeness = [], []
        for rng in _streams(seed, n, replicates):
            try:
                found = confirm(population.draw(n, rng), factor)
            except ValueError:  # fewer respondents than the correlations need
                outcomes.append(False)
                continue
            width = z * float(np.median(found.loading_errors))
            closeness.append(found.fit.rmsea)
            outcomes.append(
                found.converged
                and not found.improper
                and found.fit.rmsea_low <= 0.05
                and width <= precision
            )
        trials.append(_trial(n, outcomes, closeness))
    return trials


def _streams(seed: int, n: int, replicates: int) -> Iterator[np.random.Generator]:
    """Yield generators that do not depend on which other numbers are tried."""
    for child in np.random.SeedSequence([seed, n]).spawn(replicates):
        yield np.random.default_rng(child)


def _half_width(answers: Floats, level: float) -> float:
    n, k = answers.shape
    low, high = feldt_interval(float(cronbach(moments(answers).covariance)), n, k, level=level)
    return (high - low) / 2 if math.isfinite(high - low) else math.inf


def _trial(n: int, outcomes: Sequence[bool], measured: Sequence[float]) -> Trial:
    known = [m for m in measured if math.isfinite(m)]
    typical = float(np.median(known)) if known else math.nan
    return Trial(n, wilson(sum(outcomes), len(outcomes)), typical)
