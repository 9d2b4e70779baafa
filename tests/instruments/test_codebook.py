"""The codebook and the wide export."""

import csv
import io
from typing import Any

import polars as pl
import pytest

from attunement import tables
from attunement.errors import UserError
from attunement.instruments import list_instruments, load_instrument
from attunement.instruments.codebook import STATUSES, codebook, codebook_csv, codebook_markdown
from attunement.instruments.export import KEYS, export_columns, to_wide


@pytest.mark.parametrize("name", list_instruments())
def test_every_dimension_has_its_entry_in_both_formats(name: str) -> None:
    instrument = load_instrument(name)
    rows = list(csv.DictReader(io.StringIO(codebook_csv(instrument))))
    assert [row["dimension"] for row in rows] == [d.id for d in instrument.dimensions]
    assert all(row["level"] and row["values"] and row["better"] for row in rows)
    page = codebook_markdown(instrument)
    for dimension in instrument.dimensions:
        assert f"### `{dimension.id}`" in page
    for language in instrument.languages:
        assert instrument.dimensions[0].wording[language] in page
        assert rows[0][f"wording_{language}"] == " ".join(
            instrument.dimensions[0].wording[language].split()
        )
    assert instrument.source.citation in page
    assert (instrument.caution is not None) == ("**Caution:**" in page)


def test_every_status_of_the_ratings_table_is_explained() -> None:
    assert set(STATUSES) == set(tables.STATUSES)


def test_levels_codes_and_direction() -> None:
    counsel = {e.dimension: e for e in codebook(load_instrument("counselbench-eval"))}
    assert counsel["toxicity"].level == "ordinal"
    assert counsel["toxicity"].better == "lower"
    assert counsel["medical_advice"].level == "nominal"
    assert counsel["medical_advice"].codes["1"] == {"en": "Yes", "it": "Sì"}
    assert counsel["medical_advice"].missing == ("not_sure",)
    socio = {e.dimension: e for e in codebook(load_instrument("socio-emotional"))}
    assert socio["emotions"].level == "set"
    assert socio["dialogue_acts"].level == "spans"
    assert socio["keep"].codes["0"]["it"] == "eliminare"
    assert socio["keep"].step == "filter"
    assert not socio["consistency"].required
    ces = {e.dimension: e for e in codebook(load_instrument("ces-lcc"))}
    assert (ces["crr3"].reversed, ces["crr3"].better, ces["crr3"].priority) == (True, "lower", "3")
    assert ces["crr3"].subscales == ("crr",)
    assert ces["m1"].missing == ("not_applicable",)
    nuance = {e.dimension: e for e in codebook(load_instrument("nuance-judges-paper"))}
    assert nuance["agreeability"].level == "interval"


def test_a_bar_in_a_text_does_not_end_the_cell() -> None:
    instrument = load_instrument("low-rating-issues")
    first = instrument.dimensions[0].model_copy(update={"wording": {"en": "a | b\nc <i>"}})
    page = codebook_markdown(instrument.model_copy(update={"dimensions": (first,)}))
    assert "| question | a \\| b c &lt;i> |" in page


def rating(dimension: str, **rest: Any) -> dict[str, Any]:
    return {
        "unit": "response",
        "unit_id": "r1",
        "item_id": "q1",
        "source": "a",
        "rater": "p1",
        "rater_kind": "human",
        "instrument": "socio-emotional@1",
        "dimension": dimension,
        "status": "ok",
        **rest,
    }


def test_ratings_become_one_row_a_unit_and_rater() -> None:
    instrument = load_instrument("socio-emotional")
    span = {"start": 0, "end": 3, "text": "Yes", "label": "inform"}
    rows = [
        rating("keep", value=1.0),
        rating("emotions", value=1.0, labels=["sadness"]),
        rating("dialogue_acts", value=1.0, labels=["inform"], spans=[span]),
        rating("fluency", value=None, status="not_applicable"),
        rating("keep", value=0.0, rater="p2"),
        rating("keep", value=0.0, instrument="other@1", rater="p3"),
    ]
    wide = to_wide(tables.conform(pl.DataFrame(rows), "ratings"), instrument)
    assert wide.columns == export_columns(instrument)
    assert wide.select("unit_id", "rater", "keep").rows() == [("r1", "p1", 1.0), ("r1", "p2", 0.0)]
    first = wide.row(0, named=True)
    assert (first["emotions_sadness"], first["emotions_anger"]) == (1, 0)
    assert first["dialogue_acts"] == "inform"
    assert first["dialogue_acts_spans"] == "Yes"
    assert (first["fluency"], first["fluency_status"]) == (None, "not_applicable")
    second = wide.row(1, named=True)
    assert (second["emotions_sadness"], second["emotions_status"]) == (None, None)
    assert tuple(wide.columns[: len(KEYS)]) == KEYS


def test_no_ratings_give_no_rows_and_all_columns() -> None:
    instrument = load_instrument("ces-lcc")
    others = tables.conform(pl.DataFrame([rating("keep", value=1.0)]), "ratings")
    wide = to_wide(others, instrument)
    assert wide.shape == (0, len(KEYS) + 2 * 27)


def test_what_is_no_ratings_table_is_refused() -> None:
    with pytest.raises(UserError):
        to_wide(pl.DataFrame({"a": [1]}), load_instrument("ces-lcc"))
