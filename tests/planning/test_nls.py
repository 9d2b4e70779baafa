import numpy as np
import pytest
from nltk.metrics.distance import edit_distance

from attunement.planning import similarity
from attunement.planning.nls import distance, similarities


def test_the_distance_is_nltks() -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        a, b = (tuple(rng.integers(0, 4, size=rng.integers(0, 9)).tolist()) for _ in range(2))
        assert distance(a, b) == edit_distance(a, b)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    # By hand: 1 - distance / longer length.
    [
        (("inform",), ("inform",), 1.0),
        (("inform",), ("question",), 0.0),
        (("inform", "happiness"), ("happiness", "inform"), 0.0),
        (("inform", "question", "fear"), ("inform", "fear"), 2 / 3),
        ((), ("inform",), 0.0),
        ((), (), 1.0),
    ],
)
def test_the_similarity_counts_order(
    a: tuple[str, ...], b: tuple[str, ...], expected: float
) -> None:
    assert similarity(a, b) == pytest.approx(expected)


def test_pairs_are_compared_pair_by_pair() -> None:
    found = similarities([("a",), ("a", "b")], [("a",), ("a",)])
    assert found.tolist() == [1.0, 0.5]
