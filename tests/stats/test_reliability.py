"""Alpha and its kin. Values marked R come from tests/stats/psychometrics.R (psych 2.2.9)."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from attunement.stats.reliability import (
    Reliability,
    cronbach,
    feldt_interval,
    lambda_6,
    reliability,
    spearman_brown,
    split_half,
)
from stubs.likert import answers, with_gaps


def of(values: object, **how: object) -> Reliability:
    return reliability(np.asarray(values), **{"replicates": 50, **how})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("gaps", "items", "alpha", "standardized", "lambda6"),
    [  # R: alpha(...)$total
        (False, 3, 0.6888735621, 0.6903986039, 0.6139629852),
        (False, 9, 0.7876309524, 0.7886759276, 0.8009286277),
        (True, 3, 0.6969228374, 0.6978067309, 0.6187467653),
        (True, 9, 0.7848245708, 0.7859266736, 0.7984809365),
    ],
)
def test_alpha_and_lambda_6_are_those_of_psych(
    gaps: bool, items: int, alpha: float, standardized: float, lambda6: float
) -> None:
    found = of((with_gaps() if gaps else answers())[:, :items])
    assert found.alpha.estimate == pytest.approx(alpha, abs=1e-9)
    assert found.standardized_alpha.estimate == pytest.approx(standardized, abs=1e-9)
    assert found.lambda_6.estimate == pytest.approx(lambda6, abs=1e-9)


def test_the_correlations_between_items_are_those_of_the_pairs() -> None:
    found = of(with_gaps()[:, :3])  # R: range(cor(x, use = "pairwise"))
    assert found.least_inter_item == pytest.approx(0.3586358694, abs=1e-9)
    assert found.most_inter_item == pytest.approx(0.5640075106, abs=1e-9)
    assert of(answers()[:, :3]).inter_item.estimate == pytest.approx(0.4263818017, abs=1e-9)


def test_listwise_takes_only_who_answered_everything() -> None:
    whole = with_gaps()[~np.isnan(with_gaps()).any(axis=1)]
    assert of(whole[:, :3]).alpha.estimate == pytest.approx(0.6933487949, abs=1e-9)  # R: na.omit
    listwise = of(with_gaps(), missing="listwise").alpha
    assert listwise.estimate == of(whole).alpha.estimate
    assert (listwise.n, listwise.n_missing) == (len(whole), 300 - len(whole))


def test_pairwise_counts_on_the_pair_that_has_fewest() -> None:
    x = answers()[:10, :3].copy()
    x[:4, 0] = np.nan
    x[4:6, 1] = np.nan
    found = of(x).alpha
    assert (found.n, found.n_missing) == (4, 6)


def test_feldts_interval_for_the_scale_of_the_paper() -> None:
    # R: psych::alpha.ci(.47, 49, 3) and (.94, 49, 27)
    assert feldt_interval(0.47, 49, 3) == pytest.approx((0.1484796933, 0.6834300173), abs=1e-9)
    assert feldt_interval(0.94, 49, 27) == pytest.approx((0.9129279041, 0.9617884330), abs=1e-9)


def test_omega_of_one_factor_is_that_of_psych() -> None:
    # R: omega(x, nfactors = 1)$omega.tot
    assert of(answers()[:, :3]).omega_total.estimate == pytest.approx(0.7039297, abs=1e-6)
    assert of(answers()).omega_total.estimate == pytest.approx(0.7904435, abs=1e-6)


def test_halves_of_the_same_length_are_stepped_up_by_spearman_and_brown() -> None:
    found = of(answers()[:, :8]).split_half.estimate
    assert found == pytest.approx(0.7783288892, abs=1e-9)  # R: 2r / (1 + r)


def test_unequal_halves_of_parallel_items_have_the_reliability_of_the_whole() -> None:
    # Horst (1951): for parallel items any split gives what alpha gives.
    parallel = np.full((5, 5), 0.3) + 0.7 * np.eye(5)
    assert float(split_half(parallel)) == pytest.approx(spearman_brown(0.3, 5))
    assert float(split_half(np.ones((3, 3)))) == pytest.approx(1.0)


def test_the_error_of_measurement_is_in_points_of_the_mean() -> None:
    x = answers()[:, :3]
    spread = x.mean(axis=1).std(ddof=1)
    assert of(x).measurement_error.estimate == pytest.approx(spread * math.sqrt(1 - 0.6888735621))


def test_intervals_hold_the_estimate_and_repeat_with_the_seed() -> None:
    first, second = of(answers()), of(answers())
    assert first == second
    for result in first.results():
        assert result.ci_low < result.estimate < result.ci_high, result.name


def test_two_items_have_alpha_but_no_omega() -> None:
    found = of(answers()[:, :2])
    assert math.isfinite(found.alpha.estimate)
    assert math.isnan(found.omega_total.estimate)
    assert found.omega_total.reason == "one factor needs at least three items"


def test_one_item_has_no_reliability() -> None:
    found = of(answers()[:, :1]).alpha
    assert math.isnan(found.estimate)
    assert found.reason == "needs at least two items"


def test_a_constant_item_leaves_its_correlations_undefined_with_a_reason() -> None:
    x = answers()[:, :3].copy()
    x[:, 1] = 4
    found = of(x)
    assert math.isfinite(found.alpha.estimate)
    assert math.isnan(found.standardized_alpha.estimate)
    assert found.standardized_alpha.reason == "everyone gave the same answer to item 2"


def test_respondents_without_any_common_item_are_a_reason() -> None:
    x = np.array([[1.0, np.nan], [np.nan, 2.0], [3.0, np.nan]])
    assert of(x).alpha.reason == "fewer than two respondents answered some pair of items"
    assert (
        of(x, missing="listwise").alpha.reason == "fewer than two respondents answered every item"
    )


def test_items_that_repeat_each_other_have_no_lambda_6() -> None:
    assert math.isnan(float(lambda_6(np.ones((3, 3)))))
    assert float(cronbach(np.ones((3, 3)))) == pytest.approx(1.0)


def read(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def table(path: Path) -> dict[str, np.ndarray]:
    rows = read(path)
    return {
        name: np.array([float(row[name]) if row[name] else math.nan for row in rows])
        for name in rows[0]
    }


@pytest.mark.shared
@pytest.mark.parametrize(
    ("scale", "pairwise", "listwise"),
    [  # R: psych::alpha, with keys; listwise on the items of the scale
        ("agree", 0.7030, 0.7038),
        ("conscientious", 0.7267, 0.7293),
        ("extraversion", 0.7617, 0.7609),
        ("neuroticism", 0.8140, 0.8133),
        ("openness", 0.6002, 0.6025),
    ],
)
def test_the_big_five_have_their_known_alphas(
    shared: Path, scale: str, pairwise: float, listwise: float
) -> None:
    folder = shared / "data" / "likert"
    columns = table(folder / "bfi.csv")
    keys = [row[scale] for row in read(folder / "bfi.keys.csv")]
    x = np.stack([7 - columns[k[1:]] if k[0] == "-" else columns[k] for k in keys], axis=1)
    assert round(of(x, replicates=0).alpha.estimate, 4) == pairwise
    assert round(of(x, replicates=0, missing="listwise").alpha.estimate, 4) == listwise


@pytest.mark.shared
def test_attitude_has_its_known_alphas(shared: Path) -> None:
    columns = table(shared / "data" / "likert" / "attitude.csv")
    found = of(np.stack([v for k, v in columns.items() if k != "rownames"], axis=1), replicates=0)
    assert round(found.alpha.estimate, 4) == 0.8431
    assert round(found.standardized_alpha.estimate, 4) == 0.8391
