"""From one file come the judge's prompt and reply, the form, the codebook and the export."""

from importlib.resources import files

import polars as pl
import yaml

from attunement import tables
from attunement.instruments import Instrument, load_instrument, parse_instrument
from attunement.instruments.codebook import codebook_csv, codebook_markdown
from attunement.instruments.export import export_columns, to_wide
from attunement.instruments.form import build_form, render_form
from attunement.instruments.preview import preview
from attunement.raters.judges.parse import parse_reply
from attunement.raters.judges.prompt import Material, build_messages, reply_schema

NEW = {
    "id": "hope",
    "label": {"en": "Hope", "it": "Speranza"},
    "wording": {"en": "Does it leave room for hope?", "it": "Lascia spazio alla speranza?"},
    "scale": {
        "type": "integer",
        "min": 1,
        "max": 3,
        "anchors": {1: {"en": "none at all", "it": "nessuno"}},
        "better": "higher",
        "not_sure": True,
    },
    "evidence": ["rationale"],
}


def with_hope() -> Instrument:
    file = files("attunement.instruments") / "library" / "counselbench-eval.yaml"
    data = yaml.safe_load(file.read_text("utf-8"))
    data["dimensions"].append(NEW)
    return parse_instrument(yaml.safe_dump(data, allow_unicode=True), where="copy.yaml")


def test_a_new_dimension_is_in_everything_that_follows_from_the_file() -> None:
    before, after = load_instrument("counselbench-eval"), with_hope()
    assert "hope" not in [d.id for d in before.dimensions]

    prompt = build_messages(after, after.dimensions, Material((("user", "q"),), "a"))[1].text
    assert "hope: Does it leave room for hope?" in prompt
    assert "A whole number from 1 to 3 (1 = none at all)." in prompt

    schema = reply_schema(after, after.dimensions)
    assert schema is not None
    assert schema["required"] == [d.id for d in after.dimensions]
    assert schema["properties"]["hope"]["properties"]["score"]["anyOf"][0]["maximum"] == 3
    reply = '{"hope": {"rationale": "It does.", "score": 2}}'
    assert parse_reply(reply, [after.dimension("hope")])["hope"].value == 2

    for language, wording in NEW["wording"].items():  # type: ignore[attr-defined]
        form = build_form(after, language)
        assert form.fields[-1].wording == wording
        html = render_form(form)
        assert wording in html
        assert html.count('name="hope"') == 4  # three points, and "I am not sure"
        assert wording in preview(after)

    assert "### `hope` Hope / Speranza" in codebook_markdown(after)
    assert codebook_csv(after).splitlines()[-1].startswith("counselbench-eval@1,hope,Hope,Speranza")

    columns = ["hope", "hope_status", "hope_rationale"]
    assert export_columns(after) == [*export_columns(before), *columns]
    rating = {
        "unit": "response",
        "unit_id": "r1",
        "rater": "p1",
        "rater_kind": "human",
        "instrument": after.name,
        "dimension": "hope",
        "value": 3.0,
        "status": "ok",
        "rationale": "a door stays open",
    }
    wide = to_wide(tables.conform(pl.DataFrame([rating]), "ratings"), after)
    assert wide.select(columns).row(0) == (3.0, "ok", "a door stays open")
