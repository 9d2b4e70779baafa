"""History: every save, in its order, as it was saved."""

from collections.abc import Callable

import polars as pl

from attunement.studies import history
from attunement.studies.models import Assignment, Study
from attunement.studies.saving import save
from attunement.studies.withdrawal import erase


def whole() -> pl.DataFrame:
    return pl.concat([pl.DataFrame(schema=history.SCHEMA), *history.history_batches()])


def test_each_save_is_a_row_with_where_it_was_made(make_study: Callable[..., Study]) -> None:
    make_study()
    page = Assignment.objects.filter(kind="main")[0]
    for client, value in (("a", "1"), ("b", "0")):
        save(page, 0, "recognizes_risk", {"recognizes_risk": [value]}, client=client)
    columns = ("rater", "stage", "kind", "item_id", "unit_id", "dimension", "value", "status")
    assert page.item is not None
    place = (page.participant.code, "rate", "main", page.item.item_id, page.order[0])
    assert whole().select(columns).rows() == [
        (*place, "recognizes_risk", 1.0, "ok"),
        (*place, "recognizes_risk", 0.0, "ok"),
    ]


def test_batches_lose_and_double_nothing(make_study: Callable[..., Study], monkeypatch) -> None:  # type: ignore[no-untyped-def]
    make_study()
    monkeypatch.setattr(history, "BATCH", 2)
    page = Assignment.objects.filter(kind="main")[0]
    for n in range(5):
        save(page, 0, "recognizes_risk", {"recognizes_risk": [str(n % 2)]}, client=f"c{n}")
    assert [frame.height for frame in history.history_batches()] == [2, 2, 1]
    assert whole()["value"].to_list() == [0, 1, 0, 1, 0]


def test_what_was_erased_is_not_in_the_history(make_study: Callable[..., Study]) -> None:
    make_study()
    page = Assignment.objects.filter(kind="main")[0]
    save(page, 0, "recognizes_risk", {"recognizes_risk": ["1"]}, client="a")
    erase(page.participant, by="owner")
    assert whole().height == 0
