import math

import numpy as np
import pytest

from attunement.stats.agreement import percent_agreement
from attunement.stats.agreement.resampling import estimate, interval

VALUES = np.random.default_rng(0).normal(size=60)


def mean(weights):
    return weights @ VALUES / weights.sum(1)


def test_the_interval_of_a_mean_is_the_textbooks():
    low, high, undefined = interval(mean, 60, replicates=20_000, level=0.95, seed=1)
    half = 1.96 * VALUES.std() / math.sqrt(60)
    assert (low, high) == pytest.approx((VALUES.mean() - half, VALUES.mean() + half), abs=0.02)
    assert undefined == 0


def test_clusters_are_drawn_together():
    # Each item four times: only the clusters are news, so the interval is that of the 60.
    def fourfold(weights):
        return weights @ np.repeat(VALUES, 4) / weights.sum(1)

    labels = np.repeat(np.arange(60), 4)
    alone = interval(mean, 60, replicates=500, level=0.9, seed=3)
    together = interval(fourfold, 240, replicates=500, level=0.9, seed=3, clusters=labels)
    apart = interval(fourfold, 240, replicates=500, level=0.9, seed=3)
    assert together == pytest.approx(alone)
    assert apart[1] - apart[0] < 0.6 * (together[1] - together[0])


def test_undefined_replicates_are_left_out_and_counted():
    result = percent_agreement([[1, 1], [2, 2]])
    assert (result.ci_low, result.ci_high) == (1, 1)

    def sometimes(weights):
        return np.where(weights[:, 0] > 0, 1.0, np.nan)

    found = estimate("x", sometimes, np.ones(12, bool), method="m", inputs="00")
    # A given item of twelve is in no resample with probability (11/12)^12.
    missed = int(found.reason.split()[0])
    assert missed == pytest.approx(1000 * (11 / 12) ** 12, abs=60)


def test_no_replicates_no_interval():
    result = percent_agreement([[1, 1], [2, 3]], replicates=0)
    assert math.isnan(result.ci_low)
    assert result.reason is None
    assert "bootstrap" not in result.method + result.signature


def test_few_items_are_said_to_make_a_narrow_interval():
    assert percent_agreement(np.ones((9, 2))).reason == "a bootstrap of 9 items is too narrow"
    assert percent_agreement(np.ones((10, 2))).reason is None


def test_wrong_options_are_refused():
    table = np.ones((3, 2))
    with pytest.raises(ValueError, match="between 0 and 1"):
        percent_agreement(table, ci_level=95)
    with pytest.raises(ValueError, match="must not be negative"):
        percent_agreement(table, replicates=-1)
    with pytest.raises(ValueError, match="one label an item"):
        percent_agreement(table, clusters=[1, 2])
