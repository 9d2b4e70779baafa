"""Which metrics there are, and which can be computed."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from attunement.errors import UserError
from attunement.raters.metrics import METRICS, Metric, Score, choose, metrics, named, registry
from attunement.raters.metrics.base import VARIANTS, Batch
from attunement.raters.metrics.registry import SETS


@dataclass
class Entry:
    """An entry point that loads this, or fails as this."""

    value: str
    thing: object

    def load(self) -> object:
        if isinstance(self.thing, Exception):
            raise self.thing
        return self.thing


def characters(batch: Batch, variant: str) -> list[Score]:
    return [Score(float(len(a))) for a in batch.answers]


PLUG_IN = Metric(name="characters", summary="Characters.", rate=characters)


@pytest.fixture
def plug_ins(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Entry]]:
    entries: list[Entry] = []
    monkeypatch.setattr(registry, "entry_points", lambda group: entries)
    metrics.cache_clear()
    yield entries
    metrics.cache_clear()


NUANCE = ("emotion_consistency", "sentiment_change", "sentiment_slope", "simplicity", "recycling")


def test_five_metrics_are_those_of_nuance_with_both_variants() -> None:
    five = [METRICS[name] for name in NUANCE]
    assert all(m.variants == VARIANTS and m.summary for m in five)
    assert [m.name for m in five if m.category == 1] == ["emotion_consistency"]


def test_what_is_not_nuances_is_only_computed_when_asked_for() -> None:
    assert [name for name, m in METRICS.items() if m.by_default] == list(NUANCE)
    assert {m.instrument for m in METRICS.values() if m.by_default} == {"nuance@1"}
    assert {m.instrument for m in METRICS.values() if not m.by_default} == {"response-metrics@1"}


def test_a_set_is_all_its_metrics_and_what_cannot_be_computed_of_it_is_left_out() -> None:
    assert [m.name for m in named(["nuance"])] == list(NUANCE)
    assert sorted(n for names in SETS.values() for n in names) == sorted(METRICS)
    chosen, left_out = choose(["response"], ["question"])
    assert [m.name for m in chosen] == ["distinct_1", "distinct_2", "length"]
    assert left_out["bleu"] == "no reference given"
    with pytest.raises(UserError, match="bleu needs a reference"):
        choose(["response", "bleu"], ["question"])


def test_a_plug_in_is_one_more(plug_ins: list[Entry]) -> None:
    plug_ins.append(Entry("mine:CHARACTERS", PLUG_IN))
    assert list(metrics()) == [*METRICS, "characters"]
    batch = Batch(answers=["four", ""])
    assert metrics()["characters"].scores(batch, "paper") == [
        (4.0, None),
        (None, "the answer is empty"),
    ]


def test_a_plug_in_that_fails_is_logged_and_the_others_stay(
    plug_ins: list[Entry], caplog: pytest.LogCaptureFixture
) -> None:
    plug_ins += [
        Entry("broken:X", ImportError("no module 'broken'")),
        Entry("number:X", 3),
        Entry("again:X", Metric(name="recycling", summary="", rate=characters)),
        Entry("mine:CHARACTERS", PLUG_IN),
    ]
    with caplog.at_level(logging.WARNING):
        assert list(metrics()) == [*METRICS, "characters"]
    said = " ".join(caplog.messages)
    assert all(name in said for name in ("broken:X", "no module 'broken'", "number:X", "again:X"))
    assert metrics()["recycling"] is METRICS["recycling"]


def test_a_metric_that_loses_rows_is_an_error() -> None:
    short = Metric(name="short", summary="", rate=lambda batch, variant: [])
    with pytest.raises(ValueError, match="0 scores for 1 answers"):
        short.scores(Batch(answers=["a"]), "standard")


def test_an_unknown_name_is_an_error_with_the_nearest_known() -> None:
    with pytest.raises(UserError, match=r"no metric 'recyling'.*Did you mean 'recycling'"):
        named(["recyling"])
    with pytest.raises(UserError, match="There are emotion_consistency, "):
        named(["zzzz"])


def test_a_judged_metric_leads_to_the_judges() -> None:
    with pytest.raises(UserError, match="attunement judge"):
        named(["agreeability"])


def test_names_are_taken_once_and_in_order() -> None:
    assert [m.name for m in named(["recycling", "simplicity", "recycling"])] == [
        *("recycling", "simplicity")
    ]


def test_without_names_everything_that_can_be_computed_is() -> None:
    chosen, left_out = choose(None, [])
    assert [m.name for m in chosen] == ["sentiment_slope", "simplicity"]
    assert left_out == {
        "emotion_consistency": "no reference given",
        "sentiment_change": "no question given",
        "recycling": "no question given",
    }
    assert choose(None, ["question", "reference"])[1] == {}


def test_a_metric_that_is_asked_for_but_cannot_be_computed_is_an_error() -> None:
    with pytest.raises(UserError, match="sentiment_change needs a question"):
        choose(["sentiment_change"], ["reference"])
    with pytest.raises(UserError, match="no metric is asked for"):
        choose([], [])
