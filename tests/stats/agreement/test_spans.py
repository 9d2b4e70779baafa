import math

import numpy as np
import pytest
from sklearn.metrics import f1_score

from attunement.stats.agreement import sentence_f1, token_f1, tokens_of
from attunement.stats.agreement.spans import marked, marked_sentences

TEXT = "I hear you. Try to rest, and don't work!"
TOKENS = tokens_of(TEXT)
SENTENCES = [(0, 11), (12, 40)]


def span(words):
    start = TEXT.index(words)
    return start, start + len(words)


def test_tokens_are_words():
    expected = ["I", "hear", "you", "Try", "to", "rest", "and", "don't", "work"]
    assert [TEXT[a:b] for a, b in TOKENS] == expected


def test_a_token_is_marked_if_half_of_it_is():
    assert marked([(0, 4)], [(0, 1), (2, 6), (7, 10)]).tolist() == [True, True, False]
    assert marked([(0, 3)], [(0, 1), (2, 6)]).tolist() == [True, False]
    # Two fragments of one token count together; an overlap counts once.
    assert marked([(0, 1), (3, 4)], [(0, 4)]).tolist() == [True]
    assert marked([(0, 2), (1, 2)], [(0, 6)]).tolist() == [False]
    assert marked([(0, 99)], []).tolist() == []


def test_a_sentence_is_marked_if_half_of_its_tokens_are():
    assert marked_sentences([span("Try to rest")], TOKENS, SENTENCES).tolist() == [False, True]
    assert marked_sentences([span("Try to")], TOKENS, SENTENCES).tolist() == [False, False]
    strict = marked_sentences([span("Try to rest")], TOKENS, SENTENCES, share=0.6)
    assert strict.tolist() == [False, False]
    assert marked_sentences([(0, 40)], TOKENS, [(40, 41)]).tolist() == [False]


def test_the_f1_of_two_raters_is_scikit_learns_either_way_round():
    rng = np.random.default_rng(0)
    tokens = [[(3 * i, 3 * i + 2) for i in range(20)] for _ in range(15)]
    flags = rng.random((15, 2, 20)) < 0.4
    marks = [[[t for t, f in zip(tokens[i], row, strict=True) if f] for row in flags[i]]
             for i in range(15)]  # fmt: skip
    a, b = flags[:, 0].ravel(), flags[:, 1].ravel()
    ours = token_f1(marks, tokens)
    assert ours.estimate == pytest.approx(f1_score(a, b), abs=1e-12)
    assert ours.estimate == pytest.approx(f1_score(b, a), abs=1e-12)
    assert ours.ci_low < ours.estimate < ours.ci_high


def test_more_raters_are_the_mean_over_pairs_that_both_looked():
    marks = [
        [[span("hear")], [span("hear you")], None],
        [[span("rest")], None, [span("rest")]],
        [[span("rest")], None, None],
    ]
    # By hand: 2 * 1 / (1 + 2) and 1; the second and third never looked at the same item.
    result = token_f1(marks, [TOKENS] * 3)
    assert result.estimate == pytest.approx((2 / 3 + 1) / 2)
    assert (result.n, result.n_missing) == (2, 1)
    assert result.reason.startswith("1 of 3 pairs of raters marked nothing")


def test_sentences_forgive_where_a_passage_begins():
    marks = [[[span("Try to rest")], [span("rest, and don't")]]]
    assert token_f1(marks, [TOKENS]).estimate == pytest.approx(2 / 6)
    assert sentence_f1(marks, [TOKENS], [SENTENCES]).estimate == 1


@pytest.mark.parametrize(
    ("marks", "why"),
    [
        ([[[], []]], "nothing was marked"),
        ([[[], None]], "no item was looked at by two raters"),
        ([[[(0, 1)]]], "no item was looked at by two raters"),
        ([], "no item was looked at by two raters"),
    ],
)
def test_what_is_undefined_says_why(marks, why):
    result = token_f1(marks, [TOKENS] * len(marks))
    assert math.isnan(result.estimate)
    assert result.reason == why


def test_wrong_input_is_refused():
    with pytest.raises(ValueError, match="must begin at 0"):
        token_f1([[[(3, 3)], []]], [TOKENS])
    with pytest.raises(ValueError, match="the same raters"):
        token_f1([[[], []], [[]]], [TOKENS] * 2)
