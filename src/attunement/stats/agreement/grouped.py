"""A statistic of agreement in each group of items, its mean over groups, and the pooled one.

Within a group, such as the answers to one question, agreement asks whether raters tell these apart;
pooled, the differences between groups count as well, and agreement comes out higher. The two answer
different questions, so both are named and neither is given alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from attunement.stats.agreement.matrix import as_matrix
from attunement.stats.agreement.resampling import (
    CI_LEVEL,
    REPLICATES,
    SEED,
    Floats,
    estimate,
    ratio,
)
from attunement.stats.bootstrap import FEW
from attunement.stats.result import Result, input_hash


@dataclass(frozen=True)
class Grouped:
    """Agreement by group.

    Parameters
    ----------
    mean
        Of the groups' estimates, with an interval by bootstrap over groups. ``n`` groups, and
        ``n_missing`` groups whose own estimate is undefined.
    pooled
        Over all items at once, with an interval by bootstrap over whole groups, as items of a group
        may depend on each other; over items where there are fewer than ten groups.
    groups
        Each group's own, in order of appearance.
    """

    mean: Result
    pooled: Result
    groups: list[Result]


def grouped(
    ratings: ArrayLike,
    groups: Sequence[Hashable],
    statistic: Callable[..., Result],
    *,
    over: str = "group",
    replicates: int = REPLICATES,
    ci_level: float = CI_LEVEL,
    seed: int = SEED,
) -> Grouped:
    """Return a statistic by group, its mean over groups and the pooled one.

    Parameters
    ----------
    ratings
        Shape (items, raters), NaN where missing.
    groups
        Each item's group.
    statistic
        Takes ratings and the keywords of `Bootstrap`, such as `alpha` or
        ``functools.partial(icc, kind="1", interval="bootstrap")``.
    over
        What a group is, for the names: ``question``, ``topic``, ``source``.
    replicates, ci_level, seed
        Of the bootstrap.

    Raises
    ------
    ValueError
        Where there is not one group an item, or the statistic refuses the ratings.

    >>> from attunement.stats.agreement import alpha
    >>> found = grouped([[1, 2], [2, 2], [3, 3], [5, 4]], ["a", "a", "b", "b"], alpha)
    >>> found.mean.name, found.mean.n
    ('mean_krippendorff_alpha_ordinal', 2)
    """
    matrix = as_matrix(ratings)
    if len(groups) != matrix.shape[0]:
        raise ValueError("groups must have one label an item")
    places = {group: i for i, group in enumerate(dict.fromkeys(groups))}
    member = np.array([places[group] for group in groups], dtype=np.intp)
    found = []
    for group, place in places.items():
        own = matrix[member == place]
        # A rater who rated nothing in this group is no rater of it.
        own = own[:, ~np.isnan(own).all(axis=0)]
        result = statistic(own, replicates=replicates, ci_level=ci_level, seed=seed)
        found.append(replace(result, group={**result.group, over: str(group)}))
    # Of few groups, such as the systems compared, none can stand for another: items are drawn.
    together = member if len(places) >= FEW else None
    pooled = statistic(
        matrix, replicates=replicates, ci_level=ci_level, seed=seed, clusters=together
    )
    base = pooled.name
    what, mark, made = pooled.method.rpartition("; ")
    what, how = (what, mark + made) if "bootstrap" in made else (pooled.method, "")
    values = np.array([r.estimate for r in found])
    defined = np.isfinite(values)
    undefined = int((~defined).sum())

    def mean(weights: Floats) -> Floats:
        return ratio(weights @ values[defined], weights.sum(1))

    return Grouped(
        mean=estimate(
            f"mean_{base}",
            mean,
            defined,
            method=f"{what}; mean over {over}s of each one's own",
            inputs=input_hash(matrix, member),
            nothing=f"undefined in every {over}",
            unit=f"{over}s",
            note=f"undefined in {undefined} of {len(found)} {over}s, which are left out"
            if undefined
            else None,
            replicates=replicates,
            ci_level=ci_level,
            seed=seed,
        ),
        pooled=replace(
            pooled,
            name=f"pooled_{base}",
            method=f"{what}, pooled over {over}s{how}".replace("clusters", f"{over}s"),
            reason=pooled.reason and pooled.reason.replace("clusters", f"{over}s"),
        ),
        groups=found,
    )
