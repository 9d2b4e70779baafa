"""The structure of a scale: how many factors, which items go together, does the model fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attunement.errors import UserError
from attunement.psychometrics.answers import Answers
from attunement.psychometrics.confirmed import ESTIMATORS, Confirmed, confirmed, model_of
from attunement.psychometrics.reasons import why_undefined
from attunement.stats.factor import Extraction, Factors, factors, matched
from attunement.stats.item_moments import Missing, answered, moments, resampled
from attunement.stats.parallel_analysis import ParallelAnalysis, parallel_analysis
from attunement.stats.result import Result, input_hash, signature
from attunement.stats.rotation import Rotation
from attunement.stats.threads import one_thread

Floats = NDArray[np.float64]

FEW = 200
"""Below this many respondents a structure is not to be trusted (Kline 2016; MacCallum 1999)."""


@dataclass(frozen=True)
class Exploratory:
    """Factors that the answers themselves suggest.

    Parameters
    ----------
    found
        The solution.
    loadings
        For each item and factor, with bootstrap intervals.
    correlations
        Between factors, with bootstrap intervals.

    """

    found: Factors
    loadings: tuple[Result, ...]
    correlations: tuple[Result, ...]


@dataclass(frozen=True)
class Structure:
    """What is known of a scale's structure.

    Parameters
    ----------
    parallel
        Parallel analysis; None with ``reason_parallel`` where it failed.
    exploratory
        The factors; None where there are none to extract.
    confirmed
        The instrument's model by each estimator; empty where it has no subscales.
    factors
        The names of the model's factors.
    notes
        What to be careful with.

    """

    parallel: ParallelAnalysis
    exploratory: Exploratory | None
    confirmed: tuple[Confirmed, ...]
    factors: tuple[str, ...]
    notes: tuple[str, ...]

    def results(self) -> list[Result]:
        """Return every estimate."""
        found: list[Result] = []
        if self.exploratory is not None:
            found += [*self.exploratory.loadings, *self.exploratory.correlations]
        return found + [r for c in self.confirmed for r in c.results]


@one_thread()
def structure(
    answers: Answers,
    *,
    n_factors: int | None = None,
    extraction: Extraction = "minres",
    rotation: Rotation = "oblimin",
    missing: Missing = "pairwise",
    level: float = 0.95,
    replicates: int = 200,
    seed: int = 1,
) -> Structure:
    """Return how many factors the answers have, which, and how well the instrument's model fits.

    Parameters
    ----------
    answers
        As `read_answers` returns them, reversed items turned.
    n_factors
        Of the exploratory analysis; by default as many as parallel analysis suggests.
    extraction, rotation
        See `attunement.stats.factor.factors`.
    missing
        Of the exploratory part; the confirmatory one takes complete answers.
    level, replicates, seed
        Of the intervals; 0 replicates for none of the exploratory ones.

    Raises
    ------
    UserError
        Where the items are fewer than three, constant, or too few for the factors.

    """
    x, names = answers.values, answers.items
    reason = why_undefined(x, names, missing)
    if reason is not None:
        raise UserError(f"no factors: {reason}.", fix="Leave the item out with --items.")
    try:
        parallel = parallel_analysis(x, missing=missing, seed=seed)
        wanted = parallel.suggested if n_factors is None else n_factors
        exploratory = None
        if wanted:
            exploratory = _explored(
                x, names, wanted, extraction, rotation, missing, level, replicates, seed
            )
    except ValueError as error:
        raise UserError(f"no factors: {error}.") from None
    except np.linalg.LinAlgError:
        raise UserError("no factors: the correlations have no inverse.") from None
    model = model_of(answers)
    fitted = tuple(
        confirmed(answers, estimator, model, level=level) for estimator in ESTIMATORS if model
    )
    return Structure(
        parallel=parallel,
        exploratory=exploratory,
        confirmed=fitted,
        factors=tuple(model),
        notes=(*answers.notes, *_notes(parallel, exploratory, fitted)),
    )


def _explored(
    x: Floats,
    names: tuple[str, ...],
    m: int,
    extraction: Extraction,
    rotation: Rotation,
    missing: Missing,
    level: float,
    replicates: int,
    seed: int,
) -> Exploratory:
    known = moments(x, missing)
    found = factors(known.correlation, m, extraction=extraction, rotation=rotation)
    drawn = _resamples(x, found, extraction, rotation, missing, replicates, seed)
    tail = (1 - level) / 2
    below = np.tril_indices(m, -1)
    pattern = _ends([d.loadings for d in drawn], found.loadings.shape, tail)
    between = _ends([d.correlations for d in drawn], (m, m), tail)
    how = f"{extraction}, {rotation}, {missing}, percentile interval of {len(drawn)} resamples"
    reason = None if drawn else "no resamples: no interval"

    def result(name: str, value: float, ends: tuple[float, float], group: dict[str, str]) -> Result:
        return Result(
            name=name,
            estimate=value,
            ci_low=ends[0],
            ci_high=ends[1],
            ci_level=level,
            n=known.n,
            n_missing=known.n_missing,
            method=how,
            group=group,
            signature=signature(
                name,
                extraction=extraction,
                rotation=rotation,
                factors=m,
                missing=missing,
                replicates=replicates,
                seed=seed,
                inputs=input_hash(x),
            ),
            reason=reason,
        )

    loadings = tuple(
        result(
            "loading",
            float(found.loadings[i, f]),
            (float(pattern[0, i, f]), float(pattern[1, i, f])),
            {"item": names[i], "factor": str(f + 1)},
        )
        for i in range(len(names))
        for f in range(m)
    )
    correlations = tuple(
        result(
            "factor_correlation",
            float(found.correlations[f, g]),
            (float(between[0, f, g]), float(between[1, f, g])),
            {"factor": str(g + 1), "with": str(f + 1)},
        )
        for f, g in zip(*below, strict=True)
    )
    return Exploratory(found, loadings, correlations)


def _resamples(
    x: Floats,
    found: Factors,
    extraction: Extraction,
    rotation: Rotation,
    missing: Missing,
    replicates: int,
    seed: int,
) -> list[Factors]:
    if not replicates:
        return []
    _, stack = resampled(answered(x, missing), missing, replicates=replicates, seed=seed)
    m = found.loadings.shape[1]
    drawn = []
    for correlation in stack:
        try:
            again = factors(
                correlation, m, extraction=extraction, rotation=rotation, start=found.turned
            )
        except (ValueError, np.linalg.LinAlgError):
            continue
        drawn.append(matched(again, found))
    return drawn


def _ends(drawn: list[Floats], shape: tuple[int, ...], tail: float) -> Floats:
    if len(drawn) < 2:
        return np.full((2, *shape), np.nan)
    return np.asarray(np.quantile(np.stack(drawn), [tail, 1 - tail], axis=0))


def _notes(
    parallel: ParallelAnalysis,
    exploratory: Exploratory | None,
    fitted: tuple[Confirmed, ...],
) -> list[str]:
    said = []
    fewest = min([parallel.n, *(c.n for c in fitted)])
    if fewest < FEW:
        said.append(
            f"WARNING: {fewest} respondents are fewer than {FEW}: the structure of so few answers "
            "changes from sample to sample. Take it as a rehearsal, not as evidence."
        )
    if exploratory is None:
        said.append("Parallel analysis suggests no factor: the items have nothing in common.")
    elif exploratory.found.improper:
        said.append(
            "The exploratory factors leave an item no variance of its own (a Heywood case): there "
            "are too many factors, or too few respondents."
        )
    for one in fitted:
        if one.found is not None and one.found.improper:
            said.append(
                f"The model fitted by {one.estimator} is improper: an item has no variance of its "
                "own, or two factors are one. Its numbers are not to be relied on."
            )
    return said
