"""How many factors: known structures, and R's eigenvalues."""

import numpy as np
import pytest

from attunement.stats.parallel_analysis import parallel_analysis
from stubs.likert import answers, with_gaps


def drawn(factors: int, loading: float, seed: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    latent = rng.standard_normal((500, factors)).repeat(4, axis=1)
    noise = rng.standard_normal(latent.shape)
    return np.round(loading * latent + np.sqrt(1 - loading**2) * noise)


def test_the_eigenvalues_are_those_of_r_and_the_noise_is_near_its() -> None:
    found = parallel_analysis(answers(), replicates=200)
    assert found.eigenvalues[:3] == pytest.approx([3.3769925507, 1.2059136431, 1.1580907405])
    # R: fa.parallel(x)$pc.sim, of normal noise
    assert found.noise_mean[:3] == pytest.approx([1.2717, 1.1809, 1.1101], abs=0.02)
    assert found.suggested == 1


@pytest.mark.parametrize("factors", [1, 2, 4])
def test_as_many_factors_are_suggested_as_made_the_answers(factors: int) -> None:
    assert parallel_analysis(drawn(factors, 0.7), replicates=100).suggested == factors


def test_answers_that_have_nothing_to_do_with_one_another_have_no_factor() -> None:
    rng = np.random.default_rng(11)
    assert parallel_analysis(rng.integers(1, 6, (400, 8)), replicates=200).suggested == 0


def test_gaps_are_shuffled_with_the_answers() -> None:
    found = parallel_analysis(with_gaps(), replicates=50)
    assert found.n + found.n_missing == 300
    again = parallel_analysis(with_gaps(), replicates=50)
    assert np.array_equal(found.noise_high, again.noise_high)


@pytest.mark.parametrize(
    ("values", "message"),
    [(np.ones((9, 3)), "undefined"), (np.eye(4)[:, :2], "three items")],
)
def test_what_cannot_be_analyzed_is_refused(values: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parallel_analysis(values)
