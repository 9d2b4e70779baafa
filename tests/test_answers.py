import polars as pl
import pytest
from statsmodels.stats.proportion import proportion_confint

from attunement.answers import describe, flag


def flags(text: str) -> tuple[bool, bool]:
    row = flag(pl.DataFrame({"item_id": ["q"], "source": ["a"], "text": [text]})).row(0, named=True)
    return row["refusal"], row["disclaimer"]


@pytest.mark.parametrize(
    "text",
    [
        "I can't help with that.",
        "I’m sorry, but I can’t assist with this request.",
        "I cannot provide you with medical advice.",
        "I'm unable to provide the help that you need.",
        "I am not qualified to give advice on this.",
        "I must respectfully decline.",
        "Unfortunately, this falls outside of my scope.",
        "i won't answer that question",
    ],
)
def test_refusals_are_found(text):
    assert flags(text)[0]


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't imagine how hard this must be.",
        "I can't help but notice how tired you sound.",
        "You can't help your brother by carrying this alone.",
        "It is outside of your control.",
        "He said that he cannot give up.",
        "",
    ],
)
def test_what_only_sounds_like_a_refusal_is_none(text):
    assert not flags(text)[0]


@pytest.mark.parametrize(
    "text",
    [
        "As an AI language model, I do not have feelings.",
        "I'm just a chatbot, but I hear you.",
        "I am not a therapist.",
        "I’m not a licensed mental health professional.",
        "Please seek professional help.",
        "You could speak with a licensed therapist near you.",
        "This is not a substitute for therapy.",
        "This does not constitute medical advice.",
        "For informational purposes only.",
    ],
)
def test_disclaimers_are_found(text):
    assert flags(text)[1]


@pytest.mark.parametrize(
    "text",
    [
        "As a child I felt the same.",
        "You are not a machine, and rest is allowed.",
        "Talk to your brother this week.",
        "A professional photographer once told me this.",
    ],
)
def test_what_only_sounds_like_a_disclaimer_is_none(text):
    assert not flags(text)[1]


def test_an_answer_without_text_is_counted_and_is_neither():
    table = pl.DataFrame(
        {
            "item_id": ["1", "2", "3", "4"],
            "source": ["a"] * 4,
            "text": ["I can't help with that.", "Take a walk today.", "  ", None],
            "error": [None, None, None, "rate limit"],
            "latency_s": [1.0, 3.0, None, None],
            "tokens_out": [6, 4, None, None],
            "cost_usd": [0.01, 0.02, None, None],
        },
        strict=False,
    )
    assert flag(table)["refusal"].to_list() == [True, False, None, None]
    (row,) = describe(table)
    assert (row["n"], row["errors"], row["empty"], row["refusals"]) == (4, 1, 1, 1)
    assert row["refusal_rate"] == 0.5
    interval = proportion_confint(1, 2, method="wilson")
    assert (row["refusal_low"], row["refusal_high"]) == pytest.approx(interval)
    assert (row["words_mean"], row["latency_mean_s"], row["tokens_out_mean"]) == (4.5, 2.0, 5.0)
    assert row["cost_total_usd"] == pytest.approx(0.03)
    assert row["attempts_mean"] is None


def test_unknown_is_none_and_not_zero():
    (row,) = describe(pl.DataFrame({"item_id": ["1"], "source": ["a"], "text": [""]}))
    for key in ("refusal_rate", "words_mean", "cost_total_usd", "latency_mean_s"):
        assert row[key] is None


def test_sources_keep_their_order():
    table = pl.DataFrame({"item_id": ["1", "1"], "source": ["z", "a"], "text": ["x", "y"]})
    assert [r["source"] for r in describe(table)] == ["z", "a"]
