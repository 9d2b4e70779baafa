"""The most upvoted answer is the gold standard; a hash breaks ties."""

from attunement.datasets.gold import Answer, is_tied, ranked, responses, tie_note, whole_number


def test_the_most_upvoted_comes_first_and_unknown_votes_last() -> None:
    order = ranked([Answer("a", None), Answer("b", 0), Answer("c", 3)], seed=1)
    assert [a.text for a in order] == ["c", "b", "a"]


def test_a_tie_does_not_depend_on_the_order_of_the_file() -> None:
    answers = [Answer(t, 1) for t in "abcdefgh"]
    assert ranked(answers, 1) == ranked(answers[::-1], 1)
    assert is_tied(ranked(answers, 1))


def test_the_seed_draws_another_one() -> None:
    answers = [Answer(t, 1) for t in "abcdefgh"]
    assert len({ranked(answers, seed)[0].text for seed in range(20)}) > 1


def test_one_answer_is_no_tie() -> None:
    assert not is_tied([Answer("a", 1)])
    assert not is_tied([Answer("a", 2), Answer("b", 1)])


def test_the_first_is_the_reference_and_the_others_the_human_baseline() -> None:
    rows = responses("q", [Answer("a"), Answer("b"), Answer("c")])
    assert [(r["source"], r["candidate"], r["text"]) for r in rows] == [
        ("reference", 0, "a"),
        ("therapist", 0, "b"),
        ("therapist", 1, "c"),
    ]


def test_ties_are_said() -> None:
    assert tie_note(0, 5, True) is None
    assert "No answer has an upvote" in str(tie_note(5, 5, False))
    assert "2 have more than one" in str(tie_note(2, 5, True))


def test_what_is_no_count_of_votes_is_unknown() -> None:
    assert [whole_number(t) for t in ("3", "3.0", "", None, "many", "nan", "inf")] == [
        3,
        3,
        *[None] * 5,
    ]
