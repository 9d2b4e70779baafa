"""The embedded model really judges."""

import pytest

from attunement import tables
from attunement.inspect_bridge import ModelSpec
from attunement.raters.judges import judge


@pytest.mark.local
@pytest.mark.slow
def test_the_embedded_model_judges_two_answers(items, responses) -> None:
    pytest.importorskip("xllamacpp")
    answers = responses(
        "You are right to be sad, and I would be too.",
        "Pull yourself together, others have it worse.",
    )
    ratings = judge(items(2), answers, "nuance-judges", ModelSpec("local", "local"))
    assert tables.check(ratings, "ratings") == []
    assert ratings["status"].to_list() == ["ok"] * 4
    assert ratings["value"].is_between(0, 10).all()
    assert ratings["rationale"].str.len_chars().max() <= 120
