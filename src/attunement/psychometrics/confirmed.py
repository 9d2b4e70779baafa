"""The model of an instrument, its subscales as factors, fitted to answers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attunement.psychometrics.answers import Answers
from attunement.psychometrics.reasons import with_name
from attunement.stats.cfa import Confirmatory, confirm
from attunement.stats.cfa_ordinal import confirm_ordinal
from attunement.stats.fit_indices import RMSEA_LEVEL
from attunement.stats.item_moments import answered
from attunement.stats.result import Result, input_hash, signature

Floats = NDArray[np.float64]
Estimator = Literal["ml", "wlsmv"]

MOST_STEPS = 10
"""More different answers than this are no ordered categories."""


@dataclass(frozen=True)
class Confirmed:
    """The model of the instrument, fitted by one estimator.

    Parameters
    ----------
    estimator
        ``ml`` takes answers as continuous, ``wlsmv`` as ordered.
    found
        The fit; None where it failed, ``reason`` then says why.
    n, n_missing
        Respondents who answered every item, and the others.
    reason
        Why there is no fit, or None.
    results
        Fit indices, standardized loadings and correlations of the factors.

    """

    estimator: Estimator
    found: Confirmatory | None
    n: int
    n_missing: int
    reason: str | None
    results: tuple[Result, ...]


ESTIMATORS: dict[Estimator, Callable[[Floats, list[int]], Confirmatory]] = {
    "ml": confirm,
    "wlsmv": confirm_ordinal,
}


def model_of(answers: Answers) -> dict[str, tuple[str, ...]]:
    """Return which items each factor has: the subscales, if they cover the scale once."""
    subscales = answers.scale.subscales
    listed = [i for own in subscales.values() for i in own]
    if sorted(listed) == sorted(answers.items):
        return dict(subscales)
    return {} if subscales else {"one": answers.items}


def confirmed(
    answers: Answers,
    estimator: Estimator,
    model: dict[str, tuple[str, ...]],
    *,
    level: float = 0.95,
) -> Confirmed:
    """Fit a model by one estimator to the respondents who answered every item.

    Parameters
    ----------
    answers
        As `read_answers` returns them, reversed items turned.
    estimator
        ``ml`` or ``wlsmv``.
    model
        Which items each factor has.
    level
        Coverage of the intervals of loadings and correlations; RMSEA has its customary 90 %.

    """
    order = [i for own in model.values() for i in own]
    x, _ = answers.of(order)
    whole = answered(x, "listwise")
    lost = len(x) - len(whole)
    factor = [f for f, own in enumerate(model.values()) for _ in own]
    found, reason = None, None
    if len(whole) < 3:
        reason = "fewer than three respondents answered every item"
    elif estimator == "wlsmv" and max(len(np.unique(c)) for c in whole.T) > MOST_STEPS:
        reason = f"an item has more than {MOST_STEPS} different answers: not ordered categories"
    else:
        try:
            found = ESTIMATORS[estimator](whole, factor)
        except (ValueError, np.linalg.LinAlgError) as error:
            reason = with_name(str(error), order)
    if found is not None and not found.converged:
        found, reason = None, "the estimation did not converge"
    results = _results(found, estimator, order, list(model), factor, whole, lost, level)
    shared = [replace(r, reason=reason or r.reason) for r in results]
    return Confirmed(estimator, found, len(whole), lost, reason, tuple(shared))


def _results(
    found: Confirmatory | None,
    estimator: Estimator,
    items: list[str],
    names: list[str],
    factor: list[int],
    x: Floats,
    lost: int,
    level: float,
) -> list[Result]:
    from scipy.special import ndtri

    z = float(ndtri((1 + level) / 2))
    inputs = input_hash(x)

    def result(name: str, value: float, ends: tuple[float, float], how: str, **more: str) -> Result:
        return Result(
            name=name,
            estimate=value,
            ci_low=ends[0],
            ci_high=ends[1],
            ci_level=RMSEA_LEVEL if name == "rmsea" else level,
            n=len(x),
            n_missing=lost,
            method=f"confirmatory factor analysis, {estimator}, {how}",
            group={"estimator": estimator, **more},
            signature=signature(name, estimator=estimator, factors=len(names), inputs=inputs),
            reason=None if math.isfinite(ends[0]) else "it has no accepted interval",
        )

    def around(value: float, error: float) -> tuple[float, float]:
        return value - z * error, value + z * error

    nothing = (math.nan, math.nan)
    if found is None:
        return [
            result(name, math.nan, nothing, "fit index")
            for name in ("chi_squared", "cfi", "tli", "rmsea", "srmr")
        ]
    fit = found.fit
    near = (fit.rmsea_low, fit.rmsea_high)
    made = [
        result("chi_squared", fit.chi_squared, nothing, f"{fit.degrees} degrees of freedom"),
        result("cfi", fit.cfi, nothing, "comparative fit index"),
        result("tli", fit.tli, nothing, "Tucker-Lewis index"),
        result("rmsea", fit.rmsea, near, "noncentral chi-squared interval"),
        result("srmr", fit.srmr, nothing, "standardized root mean square residual"),
    ]
    for i, item in enumerate(items):
        value = float(found.loadings[i])
        made.append(
            result(
                "standardized_loading",
                value,
                around(value, float(found.loading_errors[i])),
                "delta-method interval",
                item=item,
                factor=names[factor[i]],
            )
        )
    for f, g in zip(*np.tril_indices(len(names), -1), strict=True):
        value = float(found.correlations[f, g])
        made.append(
            result(
                "factor_correlation",
                value,
                around(value, float(found.correlation_errors[f, g])),
                "normal interval",
                factor=names[g],
                **{"with": names[f]},
            )
        )
    return made
