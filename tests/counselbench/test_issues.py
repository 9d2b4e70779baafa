import pytest

from attunement.counselbench import low_rating_issues, scores
from attunement.counselbench.issues import issue_rows
from attunement.errors import UserError


@pytest.fixture
def overall(make):
    return [
        make("q1", "a", "r1", "overall", 2),
        make("q1", "a", "r2", "overall", 4),
        make("q2", "a", "r1", "overall", 1),
        make("q3", "a", "r1", "overall", 5),
        make("q1", "b", "r1", "overall", 5),
    ]


def sort(make, item, source, labels, rater="judge:x", **more):
    return make(
        item,
        source,
        rater,
        "issues",
        "?",
        instrument="low-rating-issues@1",
        rater_kind="judge",
        labels=labels,
        **{"status": "ok"} | more,
    )


def shares(found):
    return {(r.group["source"], r.group["issue"]): (r.estimate, r.n) for r in found.shares if r.n}


def test_low_ratings_and_low_rated_answers_are_counted(overall, ratings_of):
    found = low_rating_issues(scores(ratings_of(overall)))
    a, b = found.low.rows(named=True)
    assert (a["ratings"], a["low_ratings"], a["answers"], a["low_answers"]) == (4, 2, 3, 2)
    assert (b["low_ratings"], b["low_answers"], b["sorted"]) == (0, 0, 0)
    assert found.shares == []


def test_an_answer_may_have_several_issues_and_only_low_rated_ones_count(overall, make, ratings_of):
    table = ratings_of(
        [
            *overall,
            sort(make, "q1", "a", ["lacking_empathy", "inappropriate_tone"]),
            sort(make, "q2", "a", ["lacking_empathy"]),
            sort(make, "q3", "a", ["language_terminology"]),  # rated 5: not a low-rated answer
        ]
    )
    found = low_rating_issues(scores(table), table)
    assert shares(found)["a", "lacking_empathy"] == (1, 2)
    assert shares(found)["a", "inappropriate_tone"] == (0.5, 2)
    assert shares(found)["a", "language_terminology"] == (0, 2)
    assert found.low["sorted"].to_list() == [2, 0]


def test_answers_that_were_not_sorted_are_missing_and_none_of_them_is_no_issue(
    overall, make, ratings_of
):
    table = ratings_of(
        [*overall, sort(make, "q1", "a", []), sort(make, "q2", "a", ["lacking_empathy"])]
    )
    found = low_rating_issues(scores(table), table)
    assert shares(found)["a", "lacking_empathy"] == (0.5, 2)
    table = ratings_of([*overall, sort(make, "q2", "a", ["lacking_empathy"])])
    share, *others = low_rating_issues(scores(table), table).shares[:7]
    assert [(r.estimate, r.n) for r in others] == [(0, 1)] * 6  # nobody chose them: still a share
    assert (share.estimate, share.n, share.n_missing) == (1, 1, 1)


def test_several_raters_name_an_issue_by_majority(overall, make, ratings_of):
    table = ratings_of(
        [
            *overall,
            *(sort(make, "q2", "a", ["lacking_empathy"], rater=f"judge:{n}") for n in range(2)),
            sort(make, "q2", "a", ["inappropriate_tone"], rater="judge:2"),
        ]
    )
    found = shares(low_rating_issues(scores(table), table))
    assert (found["a", "lacking_empathy"], found["a", "inappropriate_tone"]) == ((1, 1), (0, 1))


def test_sorters_who_are_evenly_split_count_neither_way(overall, make, ratings_of):
    table = ratings_of(
        [
            *overall,
            sort(make, "q1", "a", ["lacking_empathy"], rater="judge:0"),
            sort(make, "q2", "a", ["lacking_empathy"], rater="judge:0"),
            sort(make, "q2", "a", ["inappropriate_tone"], rater="judge:1"),
        ]
    )
    found = {r.group["issue"]: r for r in low_rating_issues(scores(table), table).shares[:7]}
    counted = {name: (r.estimate, r.n, r.n_missing) for name, r in found.items()}
    assert counted["lacking_empathy"] == (1, 1, 1)
    assert counted["inappropriate_tone"] == (0, 1, 1)
    assert counted["overgeneralizing"] == (0, 2, 0)


def test_a_judge_that_repeats_itself_has_one_vote(overall, make, ratings_of):
    table = ratings_of(
        [
            *overall,
            *(sort(make, "q2", "a", [], replicate=n) for n in range(3)),
            sort(make, "q2", "a", ["lacking_empathy"], rater="judge:1"),
        ]
    )
    share = low_rating_issues(scores(table), table).shares[0]
    assert (share.n, share.n_missing) == (0, 2)  # one for, one against


def test_a_table_without_such_ratings_is_refused(overall, ratings_of):
    with pytest.raises(UserError, match="no rating is on the instrument 'low-rating-issues'"):
        issue_rows(ratings_of(overall), where="x.csv")


def test_categories_may_be_dimensions_of_their_own(overall, make, ratings_of):
    yes_no = [
        make("q2", "a", "judge:x", name, value, instrument="low-rating-issues@1")
        for name, value in (("tone", 1), ("language", 0))
    ]
    table = ratings_of([*overall, *yes_no])
    expected = {("a", "language"): (0, 1), ("a", "tone"): (1, 1)}
    assert shares(low_rating_issues(scores(table), table)) == expected
