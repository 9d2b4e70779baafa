"""Do groups of ratings differ? Kruskal-Wallis, chi-squared, and a permutation of whole raters.

The first two treat every rating as independent of the others. Ratings by one person are not: a
strict rater is strict throughout, and where groups are groups of raters (by experience, by time
spent) these tests take a few strict people for a difference between groups. Permuting whole raters
keeps each one's ratings together, and its p value is right whatever raters have in common.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attunement.stats.result import TestResult, input_hash, signature

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Statistic = Literal["kruskal_wallis", "chi_squared"]
EPSILON = "epsilon squared"
CRAMER = "Cramer's V"
PERMUTATIONS = 2000
_NO_SPREAD = "all values are the same, or fewer than two groups have any"


def kruskal_wallis(groups: Sequence[ArrayLike]) -> TestResult:
    """Test whether groups come from one distribution (Kruskal and Wallis 1952), ties corrected.

    Parameters
    ----------
    groups
        One array of values a group; NaN is left out and counted. Every value counts as independent.

    Returns
    -------
    TestResult
        ``statistic`` is H, with its p value from chi-squared with groups - 1 degrees of freedom;
        ``effect_size`` is H / (n - 1), 0 to 1. NaN with a reason where nothing varies.

    >>> round(kruskal_wallis([[1, 2, 3], [4, 5, 6]]).statistic, 4)
    3.8571
    """
    arrays = [np.asarray(g, dtype=np.float64).ravel() for g in groups]
    pooled = np.concatenate(arrays) if arrays else np.empty(0)
    member = np.repeat(np.arange(len(arrays)), [a.size for a in arrays])
    there = np.isfinite(pooled)
    counts = _count(member[there], pooled[there], len(arrays))
    return _result(
        "kruskal_wallis", counts, int((~there).sum()), input_hash(pooled, member.astype(np.int64))
    )


def chi_squared(table: ArrayLike) -> TestResult:
    """Test whether rows and columns of a table of counts are independent (Pearson), uncorrected.

    Parameters
    ----------
    table
        Shape (groups, categories), counts. Rows and columns of zeros are left out. Every count is
        of an independent observation.

    Returns
    -------
    TestResult
        ``effect_size`` is Cramer's V, 0 to 1. ``reason`` says where a count of fewer than five is
        expected and the p value is rough; NaN with a reason where a single row or column is left.

    Raises
    ------
    ValueError
        Where the table is not one of counts.

    >>> round(chi_squared([[10, 20], [20, 10]]).statistic, 4)
    6.6667
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or (counts < 0).any() or not np.isfinite(counts).all():
        raise ValueError("the table must hold counts, groups x categories")
    return _result("chi_squared", counts, 0, input_hash(counts))


def permute_raters(
    values: ArrayLike,
    units: Sequence[Hashable],
    raters: Sequence[Hashable],
    groups: Sequence[Hashable],
    *,
    statistic: Statistic = "kruskal_wallis",
    replicates: int = PERMUTATIONS,
    seed: int = 1,
) -> TestResult:
    """Test whether groups of raters differ, by giving the groups' labels to whole raters at random.

    Only units (answers) that every group rated count, as the groups would otherwise have rated
    different answers. Which units these are depends on the labels, so it is found again for every
    permutation: otherwise the permutations would not be on a par with the data.

    Parameters
    ----------
    values
        Shape (n,): one rating each; NaN says that the unit was rated, but without a value.
    units, raters, groups
        Same length: what was rated, by whom, and that rater's group.
    statistic
        ``kruskal_wallis`` for ordered values, ``chi_squared`` for categories.
    replicates, seed
        How many permutations, and the seed that repeats them.

    Returns
    -------
    TestResult
        ``statistic`` as the test without permutation has it; ``p_value`` is the share of
        permutations at least as extreme, the data counted as one of them (Phipson and Smyth 2010).
        ``n`` ratings that counted.

    Raises
    ------
    ValueError
        Where lengths differ or a rater is in two groups.
    """
    x = np.asarray(values, dtype=np.float64).ravel()
    if not x.size == len(units) == len(raters) == len(groups):
        raise ValueError("values, units, raters and groups must have the same length")
    unit, _ = _codes(units)
    rater, names = _codes(raters)
    group, labels = _codes(groups)
    of_rater = np.full(len(names), -1, dtype=np.int64)
    of_rater[rater] = group
    if (of_rater[rater] != group).any():
        raise ValueError("a rater is in two groups")
    there = np.isfinite(x)
    categories, code = np.unique(x[there], return_inverse=True)
    level = np.full(x.size, -1, dtype=np.int64)
    level[there] = code
    shape = (len(labels), categories.size)
    n_units = int(unit.max()) + 1 if x.size else 0

    def table(assigned: Ints) -> Floats:
        own = assigned[rater]
        seen = np.bincount(unit * shape[0] + own, minlength=n_units * shape[0]) > 0
        common = np.asarray(seen).reshape(n_units, shape[0]).all(axis=1)
        kept = np.asarray(common)[unit] & there
        cells = own[kept] * shape[1] + level[kept]
        return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)

    observed = table(of_rater)
    plain = _result(statistic, observed, int((~there).sum()), "")
    p, reason = math.nan, plain.reason
    if math.isfinite(plain.statistic):
        rng = np.random.default_rng(seed)
        compute = _h if statistic == "kruskal_wallis" else _chi
        at_least = 1
        for _ in range(replicates):
            found = compute(table(rng.permutation(of_rater)))
            # A permutation that leaves nothing to compare is not extreme.
            at_least += math.isfinite(found) and found >= plain.statistic - 1e-9
        p, reason = at_least / (replicates + 1), None
    return TestResult(
        name=f"{statistic}_permutation",
        statistic=plain.statistic,
        p_value=p,
        n=plain.n,
        n_missing=plain.n_missing,
        effect_size=plain.effect_size,
        effect_name=plain.effect_name,
        method=f"{_NAMES[statistic]}, p by permuting whole raters between groups",
        signature=signature(
            f"{statistic}_permutation",
            raters=len(names),
            groups=len(labels),
            replicates=replicates,
            seed=seed,
            inputs=input_hash(x, unit, rater, group),
        ),
        reason=reason,
    )


def common_units(units: Sequence[Hashable], groups: Sequence[Hashable]) -> list[bool]:
    """Say for each rating whether its unit was rated by every group.

    Raises
    ------
    ValueError
        Where the lengths differ.

    >>> common_units(["a", "a", "b"], ["x", "y", "x"])
    [True, True, False]
    """
    if len(units) != len(groups):
        raise ValueError("units and groups must have the same length")
    all_groups = set(groups)
    seen: dict[Hashable, set[Hashable]] = {}
    for unit, group in zip(units, groups, strict=True):
        seen.setdefault(unit, set()).add(group)
    return [seen[unit] == all_groups for unit in units]


_NAMES = {"kruskal_wallis": "Kruskal-Wallis test", "chi_squared": "chi-squared test"}


def _codes(labels: Sequence[Hashable]) -> tuple[Ints, list[Hashable]]:
    places = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    return np.array([places[label] for label in labels], dtype=np.int64), list(places)


def _count(member: Ints, values: Floats, n_groups: int) -> Floats:
    categories, code = np.unique(values, return_inverse=True)
    size = max(categories.size, 1)
    counts = np.bincount(member * size + code, minlength=n_groups * size)
    return counts.reshape(n_groups, size).astype(np.float64)


def _h(counts: Floats) -> float:
    """Return Kruskal and Wallis's H from counts of ordered values, shape (groups, values)."""
    sizes, totals = counts.sum(axis=1), counts.sum(axis=0)
    n = float(totals.sum())
    tied = float((totals**3 - totals).sum())
    if (sizes > 0).sum() < 2 or n**3 - n <= tied:
        return math.nan
    middle = np.cumsum(totals) - (totals - 1) / 2
    sums = counts @ middle
    filled = sizes > 0
    between = float((sums[filled] ** 2 / sizes[filled]).sum())
    return (12 / (n * (n + 1)) * between - 3 * (n + 1)) / (1 - tied / (n**3 - n))


def _chi(counts: Floats) -> float:
    """Return Pearson's chi-squared of a table, rows and columns of zeros left out."""
    expected = _expected(counts)
    if min(expected.shape) < 2:
        return math.nan
    kept = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    return float((np.square(kept - expected) / expected).sum())


def _expected(counts: Floats) -> Floats:
    kept = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    total = kept.sum()
    if not total:
        return np.empty((0, 0))
    return np.asarray(np.outer(kept.sum(axis=1), kept.sum(axis=0)) / total, dtype=np.float64)


def _result(statistic: Statistic, counts: Floats, n_missing: int, inputs: str) -> TestResult:
    from scipy.special import chdtrc

    n = int(counts.sum())
    rows, columns = int((counts.sum(axis=1) > 0).sum()), int((counts.sum(axis=0) > 0).sum())
    value = _h(counts) if statistic == "kruskal_wallis" else _chi(counts)
    p = effect = math.nan
    reason: str | None = _NO_SPREAD
    if math.isfinite(value):
        reason = None
        if statistic == "kruskal_wallis":
            freedom, effect = rows - 1, value / (n - 1)
        else:
            freedom = (rows - 1) * (columns - 1)
            effect = math.sqrt(value / (n * (min(rows, columns) - 1)))
            few = int((_expected(counts) < 5).sum())
            if few:
                reason = f"{few} of {rows * columns} cells expect fewer than 5: p is rough"
        p = float(chdtrc(freedom, value))
    return TestResult(
        name=statistic,
        statistic=value,
        p_value=p,
        n=n,
        n_missing=n_missing,
        effect_size=effect,
        effect_name=EPSILON if statistic == "kruskal_wallis" else CRAMER,
        method=f"{_NAMES[statistic]}, every rating taken as independent",
        signature=signature(statistic, groups=rows, inputs=inputs),
        reason=reason,
    )
