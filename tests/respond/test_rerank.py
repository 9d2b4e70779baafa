"""Which candidate is chosen, and what is said of the others.

Similarities by hand: of two sequences, 1 - edits / length of the longer one.
"""

from attunement.planning.planner import Plan
from attunement.respond.candidates import Candidate
from attunement.respond.rerank import Choice, choose, first

PLAN = Plan(("question", "sadness"))
NO_PLAN = Plan((), "unparsed", "It said None.")
EMPTY = Candidate("", "empty")


def chosen(plan: Plan, *labels: str | None, odds: tuple[float | None, ...] = ()) -> Choice:
    """Choose among candidates with these labels (with commas; None: not tagged)."""
    probable = odds or (None,) * len(labels)
    candidates = [Candidate("words", logprob=p) for p in probable]
    tags = [
        Plan((), "error", "x") if said is None else Plan(tuple(said.split(",")) if said else ())
        for said in labels
    ]
    return choose(plan, candidates, tags)


def test_the_most_similar_is_chosen_and_the_others_are_told_why_not() -> None:
    found = chosen(PLAN, "inform", "question", "question,sadness")
    assert found.index == 2
    assert found.similarities == (0.0, 0.5, 1.0)
    assert found.why == ("less similar", "less similar", "highest similarity")
    assert (found.chosen, found.first) == (1.0, 0.0)


def test_the_first_of_equals_is_chosen() -> None:
    found = chosen(PLAN, "inform", "question", "directive,sadness")
    assert found.index == 1
    assert found.why[1] == "highest similarity, the first of 2 equals"
    assert found.why[2] == "as similar, later"


def test_the_more_probable_of_equals_is_chosen() -> None:
    found = chosen(PLAN, "question", "question", "inform", odds=(-9.0, -3.0, -1.0))
    assert found.index == 1
    assert found.why[1] == "highest similarity, the most probable of 2 equals"


def test_where_one_probability_is_unknown_the_order_decides() -> None:
    assert chosen(PLAN, "question", "question", odds=(None, -3.0)).index == 0


def test_equally_probable_equals_keep_their_order() -> None:
    assert chosen(PLAN, "question", "question", odds=(-3.0, -3.0)).index == 0


def test_order_within_a_plan_counts() -> None:
    assert chosen(PLAN, "sadness,question", "inform,sadness").similarities == (0.0, 0.5)


def test_a_plan_without_labels_is_met_by_a_candidate_without_labels() -> None:
    found = chosen(Plan(()), "inform", "")
    assert (found.index, found.similarities) == (1, (0.0, 1.0))


def test_where_none_is_like_the_plan_nothing_is_called_similar() -> None:
    found = chosen(PLAN, "inform", "directive")
    assert found.index == 0
    assert found.why[0] == "none is like the plan, the first of 2 equals"


def test_labels_that_nobody_knows_are_like_none() -> None:
    assert chosen(Plan(("encouraging",)), "inform", "question").similarities == (0.0, 0.0)


def test_without_a_plan_the_first_with_words_is_taken() -> None:
    found = choose(NO_PLAN, [EMPTY, Candidate("a"), Candidate("b")], [Plan(())] * 3)
    assert found.index == 1
    assert found.similarities == (None, None, None)
    assert found.why == (
        "empty",
        "the first with words: there is no plan (unparsed)",
        "later, and there is no plan (unparsed)",
    )


def test_candidates_without_labels_are_left_aside() -> None:
    assert chosen(PLAN, None, "inform").index == 1
    found = chosen(PLAN, None, None)
    assert found.index == 0
    assert found.why == ("the first with words: no candidate has labels", "no labels (error)")


def test_where_no_candidate_has_words_none_is_chosen() -> None:
    found = choose(PLAN, [EMPTY, Candidate("", "unparsed")], [Plan(()), Plan(())])
    assert found.index is None
    assert found.why == ("empty", "unparsed")
    assert choose(PLAN, [], []) == Choice(None, (), ())
    assert choose(PLAN, [], []).first is None


def test_without_reranking_the_first_is_taken_and_measured() -> None:
    tags = [Plan(("question",)), Plan(("question", "sadness"))]
    found = first(PLAN, [Candidate("a"), Candidate("b")], tags)
    assert (found.index, found.similarities) == (0, (0.5, 1.0))
    assert found.why == ("the first", "not the first")


def test_without_reranking_a_first_without_words_is_not_replaced() -> None:
    found = first(None, [EMPTY, Candidate("b")], [Plan(()), Plan(())])
    assert (found.index, found.similarities) == (None, (None, None))
    assert found.why == ("empty", "not the first")
