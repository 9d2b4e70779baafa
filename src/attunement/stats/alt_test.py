"""Whether a judge may stand in for one of the people who rated: the alternative-annotator test.

Calderon, Reichart and Dror (2025), The Alternative Annotator Test for LLM-as-a-Judge, Proceedings
of ACL 2025, 16051-16081. Each person in turn is left out. On each item that the person rated it is
asked who is closer to the other people who rated it, the judge or the person; a draw counts for
both. The judge wins against a person whose advantage, less epsilon, is shown to be the smaller one
(one-sided t test, Benjamini and Yekutieli's correction over the people), and passes if it wins
against at least half of them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attunement.stats.result import input_hash, signature

Floats = NDArray[np.float64]
Score = Literal["rmse", "accuracy"]

EPSILON = 0.2
"""What a judge's convenience is worth, as a share of items: the paper's advice for experts. It
gives 0.15 for skilled raters and 0.1 for crowd workers, and less where people agree little."""
FDR = 0.05
MIN_ITEMS = 30
"""Items below which a person is not tested, because the t test's distribution does not hold."""
MIN_PEOPLE = 3
"""Tested people below which there is no verdict: between two, nobody stands for a group."""
PASS = 0.5
_SLACK = 1e-9


@dataclass(frozen=True)
class LeftOut:
    """One person against the judge.

    Parameters
    ----------
    name
        The person's.
    n
        Items that the person, the judge and at least one other person rated.
    judge
        Share of these on which the judge is at least as close to the others as the person is.
    person
        Share on which the person is at least as close as the judge; with draws, both add up to
        more than 1.
    p_value, p_adjusted
        Against ``judge`` being no more than ``person`` less epsilon; NaN where not tested.
    won
        Whether the judge wins; None where not tested.

    """

    name: str
    n: int
    judge: float
    person: float
    p_value: float = math.nan
    p_adjusted: float = math.nan
    won: bool | None = None


@dataclass(frozen=True)
class AltTest:
    """The test's outcome.

    Parameters
    ----------
    winning_rate
        Omega: share of the tested people against whom the judge wins; NaN where nobody could be
        tested.
    advantage
        Rho: how often, on average over the tested people (over all, where nobody could be tested),
        the judge is at least as close to the others as the person is. It compares judges.
    passed
        Whether the winning rate is at least a half; None where there is no verdict.
    people
        The single comparisons.
    n, n_missing
        Items that were compared, and that lack the judge's rating or a second person's.
    epsilon, fdr, min_items, min_people
        What the verdict rests on.
    reason
        Why there is no verdict, where there is none.

    """

    winning_rate: float
    advantage: float
    passed: bool | None
    people: tuple[LeftOut, ...]
    n: int
    n_missing: int
    epsilon: float
    fdr: float
    min_items: int
    min_people: int
    method: str
    signature: str
    reason: str | None = None

    @property
    def tested(self) -> int:
        """How many people were tested."""
        return sum(person.won is not None for person in self.people)


def alt_test(
    judge: ArrayLike,
    people: ArrayLike,
    score: Score = "rmse",
    *,
    names: Sequence[str] | None = None,
    epsilon: float = EPSILON,
    fdr: float = FDR,
    min_items: int = MIN_ITEMS,
    min_people: int = MIN_PEOPLE,
) -> AltTest:
    """Test whether a judge may stand in for one of the people who rated.

    Parameters
    ----------
    judge
        Shape (n,): the judge's rating of each item, NaN where missing.
    people
        Shape (n, p): a column a person, NaN where a person did not rate the item.
    score
        How close a rating is to the other people's: ``rmse`` by the root of the mean squared
        difference (numbers), ``accuracy`` by the share that is the same (categories, as codes).
    names
        The people's, p of them; by default 1, 2, ...
    epsilon, fdr, min_items, min_people
        Worth of the judge's convenience (0 to 1), false discovery rate, items a person needs to be
        tested, and tested people that a verdict needs.

    Raises
    ------
    ValueError
        Where the shapes do not go together or a setting is out of range.

    """
    own, others = alignment(judge, people, score)
    return alt_test_of(
        own,
        others,
        names=names,
        epsilon=epsilon,
        fdr=fdr,
        min_items=min_items,
        min_people=min_people,
        closeness=score,
    )


def alignment(judge: ArrayLike, people: ArrayLike, score: Score = "rmse") -> tuple[Floats, Floats]:
    """Return how close the judge, and each person, is to the other people on each item.

    Parameters
    ----------
    judge, people, score
        As `alt_test` takes them.

    Returns
    -------
    tuple
        Two arrays of shape (n, p), higher is closer: the judge's, with person j left out of those
        it is compared with, and person j's. NaN where the judge, person j or everyone else did not
        rate the item.

    Raises
    ------
    ValueError
        Where the shapes do not go together or the score is unknown.

    """
    f, y = np.asarray(judge, dtype=np.float64), np.asarray(people, dtype=np.float64)
    if f.ndim != 1 or y.ndim != 2 or y.shape[0] != f.size:
        raise ValueError(f"judge must be (n,) and people (n, p), not {f.shape} and {y.shape}")
    if score not in ("rmse", "accuracy"):
        raise ValueError(f"score must be rmse or accuracy, not {score!r}")
    rated = np.isfinite(y)
    usable = rated & np.isfinite(f)[:, None] & (rated.sum(axis=1) >= 2)[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        others = (rated.sum(axis=1) - 1.0)[:, None]
        own, theirs = (
            _squares(f, y, rated, others) if score == "rmse" else _shares(f, y, rated, others)
        )
    return np.where(usable, own, np.nan), np.where(usable, theirs, np.nan)


def _squares(f: Floats, y: Floats, rated: NDArray[np.bool_], others: Floats) -> tuple[Floats, ...]:
    # Centered on each item, so that sums of squares lose no digits.
    filled = np.where(rated, y, 0.0)
    center = filled.sum(axis=1) / np.maximum(rated.sum(axis=1), 1)
    y, f = y - center[:, None], f - center
    filled = np.where(rated, y, 0.0)
    count = rated.sum(axis=1)
    first, second = filled.sum(axis=1), (filled**2).sum(axis=1)

    def to_all(x: Floats) -> Floats:
        total = count[:, None] * x**2 - 2 * x * first[:, None] + second[:, None]
        return np.asarray(total, dtype=np.float64)

    judge = to_all(f[:, None]) - (f[:, None] - y) ** 2
    return tuple(-np.sqrt(np.maximum(s, 0.0) / others) for s in (judge, to_all(y)))


def _shares(f: Floats, y: Floats, rated: NDArray[np.bool_], others: Floats) -> tuple[Floats, ...]:
    as_judge = np.zeros(y.shape)
    as_person = np.full(y.shape, -1.0)
    for value in np.unique(y[rated]):
        same = rated & (y == value)
        count = same.sum(axis=1)
        as_judge += np.where((f == value)[:, None], count[:, None] - same, 0.0)
        as_person += np.where(same, count[:, None], 0.0)
    return np.asarray(as_judge / others), np.asarray(as_person / others)


def alt_test_of(
    judge: ArrayLike,
    people: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    epsilon: float = EPSILON,
    fdr: float = FDR,
    min_items: int = MIN_ITEMS,
    min_people: int = MIN_PEOPLE,
    closeness: str = "given",
) -> AltTest:
    """Do the test on closeness that was measured elsewhere, such as the overlap of sets.

    Parameters
    ----------
    judge, people
        Shape (n, p) each, as `alignment` returns them.
    names, epsilon, fdr, min_items, min_people
        As `alt_test` takes them.
    closeness
        What was measured, for the signature.

    Raises
    ------
    ValueError
        Where the shapes differ or a setting is out of range.

    """
    own, theirs = np.asarray(judge, dtype=np.float64), np.asarray(people, dtype=np.float64)
    if own.ndim != 2 or own.shape != theirs.shape:
        raise ValueError(f"both must be (n, p), not {own.shape} and {theirs.shape}")
    if not 0 <= epsilon < 1 or not 0 < fdr < 1 or min_items < 2 or min_people < 1:
        raise ValueError("epsilon and fdr lie between 0 and 1, min_items is 2 or more")
    if names is None:
        names = [str(j + 1) for j in range(own.shape[1])]
    if len(names) != own.shape[1]:
        raise ValueError(f"{len(names)} names for {own.shape[1]} people")
    there = np.isfinite(own) & np.isfinite(theirs)
    compared = []
    for j, name in enumerate(names):
        a, b = own[there[:, j], j], theirs[there[:, j], j]
        slack = _SLACK * (1 + np.abs(b))
        judge_wins, person_wins = a >= b - slack, b >= a - slack
        n = int(a.size)
        p = math.nan
        if n >= min_items:
            p = _p_value(person_wins.astype(np.float64) - judge_wins, epsilon)
        judge_share, person_share = (
            float(w.mean()) if n else math.nan for w in (judge_wins, person_wins)
        )
        compared.append(LeftOut(name, n, judge_share, person_share, p))
    items = int(there.any(axis=1).sum())
    test = AltTest(
        winning_rate=math.nan,
        advantage=math.nan,
        passed=None,
        people=tuple(compared),
        n=items,
        n_missing=own.shape[0] - items,
        epsilon=epsilon,
        fdr=fdr,
        min_items=min_items,
        min_people=min_people,
        method=f"leave-one-out alternative-annotator test, closeness by {closeness}, "
        f"epsilon {epsilon:g}, t test, Benjamini-Yekutieli at {fdr:g}",
        signature=signature(
            "alt_test",
            score=closeness,
            epsilon=epsilon,
            fdr=fdr,
            min_items=min_items,
            min_people=min_people,
            inputs=input_hash(own, theirs),
        ),
    )
    return adjust_together([test])[0]


def _p_value(difference: Floats, epsilon: float) -> float:
    """Return the one-sided p value of a mean below epsilon."""
    from scipy.special import stdtr

    n, mean = difference.size, float(difference.mean())
    spread = float(difference.std(ddof=1))
    if spread == 0:
        return 0.0 if mean < epsilon else 1.0
    return float(stdtr(n - 1, (mean - epsilon) / (spread / math.sqrt(n))))


def adjust_together(tests: Collection[AltTest]) -> list[AltTest]:
    """Correct the p values of several tests of one judge together, and decide again.

    What the paper advises where a judge is tested in several domains: here, on several dimensions.
    Tests have to share their false discovery rate; the first one's is taken.
    """
    tests = list(tests)
    p = np.array([person.p_value for test in tests for person in test.people])
    adjusted = iter(benjamini_yekutieli(p))
    return [_decide(test, [float(next(adjusted)) for _ in test.people]) for test in tests]


def _decide(test: AltTest, adjusted: Sequence[float]) -> AltTest:
    people = tuple(
        replace(person, p_adjusted=q, won=None if math.isnan(q) else q <= test.fdr)
        for person, q in zip(test.people, adjusted, strict=True)
    )
    tested = [person for person in people if person.won is not None]
    counted = tested or [person for person in people if person.n]
    rate = sum(bool(p.won) for p in tested) / len(tested) if tested else math.nan
    advantage = float(np.mean([p.judge for p in counted])) if counted else math.nan
    most = max((person.n for person in people), default=0)
    reason = None
    if not counted:
        reason = "no item was rated by the judge and two people"
    elif not tested:
        reason = f"nobody rated {test.min_items} comparable items; the most is {most}"
    elif len(tested) < test.min_people:
        reason = (
            f"{len(tested)} of {len(people)} people rated {test.min_items} comparable items; "
            f"a verdict needs {test.min_people}"
        )
    enough = len(tested) >= test.min_people
    return replace(
        test,
        people=people,
        winning_rate=rate,
        advantage=advantage,
        passed=rate >= PASS if enough else None,
        reason=reason,
    )


def benjamini_yekutieli(p_values: ArrayLike) -> Floats:
    """Return p values adjusted for the false discovery rate under any dependence.

    Benjamini and Yekutieli (2001), Annals of Statistics 29, 1165-1188, theorem 1.3; NaN stays and
    is not counted.

    >>> [round(float(p), 4) for p in benjamini_yekutieli([0.01, 0.04, 0.03])]
    [0.055, 0.0733, 0.0733]
    """
    p = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(p.shape, np.nan)
    there = np.flatnonzero(~np.isnan(p))
    m = there.size
    if not m:
        return adjusted
    order = there[np.argsort(p[there], kind="stable")]
    harmonic = float(np.sum(1.0 / np.arange(1, m + 1)))
    steps = p[order] * m * harmonic / np.arange(1, m + 1)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(steps[::-1])[::-1])
    return adjusted
