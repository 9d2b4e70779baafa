"""Which metrics there are, and which can be computed."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from attunement.errors import UserError
from attunement.raters.metrics import METRICS, Metric, Score, choose, metrics, named, registry
from attunement.raters.metrics.base import VARIANTS, Batch


@dataclass
class Entry:
    """An entry point that loads this, or fails as this."""

    value: str
    thing: object

    def load(self) -> object:
        if isinstance(self.thing, Exception):
            raise self.thing
        return self.thing


def length(batch: Batch, variant: str) -> list[Score]:
    return [Score(float(len(a))) for a in batch.answers]


PLUG_IN = Metric(name="length", summary="Characters.", rate=length)


@pytest.fixture
def plug_ins(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Entry]]:
    entries: list[Entry] = []
    monkeypatch.setattr(registry, "entry_points", lambda group: entries)
    metrics.cache_clear()
    yield entries
    metrics.cache_clear()


def test_the_package_has_five_metrics_with_both_variants() -> None:
    assert list(METRICS) == [
        *("emotion_consistency", "sentiment_change", "sentiment_slope", "simplicity", "recycling")
    ]
    assert all(m.variants == VARIANTS and m.summary for m in METRICS.values())
    assert [n for n, m in METRICS.items() if m.category == 1] == ["emotion_consistency"]


def test_a_plug_in_is_one_more(plug_ins: list[Entry]) -> None:
    plug_ins.append(Entry("mine:LENGTH", PLUG_IN))
    assert list(metrics()) == [*METRICS, "length"]
    batch = Batch(answers=["four", ""])
    assert metrics()["length"].scores(batch, "paper") == [
        (4.0, None),
        (None, "the answer is empty"),
    ]


def test_a_plug_in_that_fails_is_logged_and_the_others_stay(
    plug_ins: list[Entry], caplog: pytest.LogCaptureFixture
) -> None:
    plug_ins += [
        Entry("broken:X", ImportError("no module 'broken'")),
        Entry("number:X", 3),
        Entry("again:X", Metric(name="recycling", summary="", rate=length)),
        Entry("mine:LENGTH", PLUG_IN),
    ]
    with caplog.at_level(logging.WARNING):
        assert list(metrics()) == [*METRICS, "length"]
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
