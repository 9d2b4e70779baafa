"""The form: what stands on it, that its text is only text, and that what it sends can be read."""

from collections.abc import Sequence
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest
import yaml

from attunement.errors import UserError
from attunement.instruments import Instrument, list_instruments, load_instrument, parse_instrument
from attunement.instruments.answers import read_answers
from attunement.instruments.form import build_form, render_form
from attunement.quotes import Quote

FORMS = [
    (name, language) for name in list_instruments() for language in load_instrument(name).languages
]


class Page(HTMLParser):
    """Collects controls, ids and how deep the elements stand."""

    VOID = ("input", "meta", "br")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.described: list[str] = []
        self.controls: list[dict[str, Any]] = []
        self.unlabeled: list[dict[str, Any]] = []
        self.headings: list[int] = []
        self.tags: set[str] = set()
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.add(tag)
        if "id" in found:
            self.ids.append(found["id"] or "")
        if "aria-describedby" in found:
            self.described.append(found["aria-describedby"] or "")
        if tag in ("input", "textarea", "select"):
            self.controls.append({"tag": tag, **found})
            if "label" not in self.open and "aria-label" not in found:
                self.unlabeled.append(found)
        if tag in ("h1", "h2", "h3", "h4"):
            self.headings.append(int(tag[1]))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def one(scale: dict[str, Any], **rest: Any) -> Instrument:
    dimension = {"id": "d", "label": {"en": "D"}, "wording": {"en": "D?"}, "scale": scale, **rest}
    data = {
        "id": "x",
        "version": 1,
        "title": {"en": "X"},
        "description": {"en": "X."},
        "unit": "response",
        "dimensions": [dimension],
        "source": {"citation": "me"},
        "license": "CC0-1.0",
    }
    return parse_instrument(yaml.safe_dump(data), where="x.yaml")


OPTIONS = [{"id": "a", "label": {"en": "A"}, "value": 1}, {"id": "b", "label": {"en": "B"}}]
SCALES: dict[str, dict[str, Any]] = {
    "five": {"type": "integer", "min": 1, "max": 5, "better": "higher"},
    "hundred": {"type": "integer", "min": 0, "max": 100, "better": "higher"},
    "number": {"type": "number", "min": 0, "max": 1, "better": "higher"},
    "boolean": {"type": "boolean", "better": "lower"},
    "choice": {"type": "choice", "options": OPTIONS},
    "multi": {"type": "multi", "options": OPTIONS},
    "spans": {"type": "spans", "options": OPTIONS},
    "text": {"type": "text"},
}


@pytest.mark.parametrize(("name", "language"), FORMS)
def test_every_form_is_whole_and_every_control_has_a_name_and_a_label(
    name: str, language: str
) -> None:
    instrument = load_instrument(name)
    form = build_form(instrument, language)
    assert {f.id for f in form.fields} == {d.id for d in instrument.dimensions}
    page = Page(render_form(form, prefix="one-"))
    assert page.unlabeled == []
    assert len(page.ids) == len(set(page.ids))
    assert set(page.described) <= set(page.ids)
    assert all(control["name"] for control in page.controls)
    assert "script" not in page.tags
    assert all(after - before <= 1 for before, after in pairwise([2, *page.headings]))


def test_the_form_is_a_function_of_instrument_and_language() -> None:
    instrument = load_instrument("crisis-handling")
    assert build_form(instrument, "it") == build_form(instrument, "it")
    assert build_form(instrument).language == "en"
    assert build_form(instrument, "it").fields[0].instead[0].label == "Non so dirlo"


def test_a_language_or_a_dimension_that_is_not_there_is_an_error() -> None:
    instrument = load_instrument("counselbench-adv")
    with pytest.raises(UserError, match="no texts in 'de'"):
        build_form(instrument, "de")
    with pytest.raises(UserError, match="no dimension 'rude'"):
        build_form(instrument, dimensions=["rude"])


def test_only_the_dimensions_that_are_wanted_are_asked() -> None:
    form = build_form(load_instrument("counselbench-adv"), dimensions=["apathetic"])
    assert [f.id for f in form.fields] == ["apathetic"]
    assert form.fields[0].examples[0].rating == "Yes"


def test_subscales_and_steps_are_headings() -> None:
    ces = build_form(load_instrument("ces-lcc"), "it")
    assert len(ces.sections[0].groups) == 9
    assert ces.sections[0].groups[7].label == "Memoria"
    steps = build_form(load_instrument("socio-emotional")).sections
    assert [s.label for s in steps] == ["Step 1: filter", "Step 3: annotate"]
    assert [g.label for g in steps[1].groups] == [
        None,
        "Logical consistency",
        "Emotional consistency",
        "Social consistency",
    ]


@pytest.mark.parametrize("scale", SCALES)
def test_every_kind_of_scale_has_a_control(scale: str) -> None:
    html = render_form(build_form(one(SCALES[scale])))
    page = Page(html)
    control = build_form(one(SCALES[scale])).fields[0].control
    tags = {"radio": "input", "checkbox": "input", "number": "input"}
    assert page.controls[0]["tag"] == tags.get(control, "textarea")
    assert page.unlabeled == []


def test_a_text_that_looks_like_html_stays_text() -> None:
    evil = '"><script>alert(1)</script>{{ 7 * 7 }}'
    instrument = one(SCALES["choice"], definition={"en": evil}, evidence=["rationale"])
    html = render_form(build_form(instrument), values={"d.rationale": [evil]})
    assert "<script" not in html
    assert "49" not in html
    Page(html)


def test_a_question_that_lacks_an_answer_says_so_in_its_description() -> None:
    form = build_form(one(SCALES["five"]))
    page = Page(render_form(form, prefix="p-", lacking=["d"]))
    assert "p-d-missing" in page.ids
    assert "p-d-missing" in page.described
    assert Page(render_form(form, prefix="p-")).described == []


def test_what_was_filled_in_stands_there_again() -> None:
    instrument = one(SCALES["five"], evidence=["rationale", "spans"])
    values = {"d": ["4"], "d.rationale": ["so\nso"], "d.spans": ["one"]}
    html = render_form(build_form(instrument), values=values)
    checked = [c for c in Page(html).controls if "checked" in c]
    assert [c["value"] for c in checked] == ["4"]
    assert ">so\nso</textarea>" in html
    assert ">one</textarea>" in html


Posted = dict[str, Sequence[str]]


@pytest.mark.parametrize(
    ("scale", "posted", "value", "labels"),
    [
        ("five", {"d": ["4"]}, 4, None),
        ("hundred", {"d": [" 40 "]}, 40, None),
        ("number", {"d": ["0.25"]}, 0.25, None),
        ("boolean", {"d": ["0"]}, 0, None),
        ("choice", {"d": ["a"]}, 1, ("a",)),
        ("choice", {"d": ["b"]}, None, ("b",)),
        ("multi", {"d": ["b", "a"]}, 2, ("a", "b")),
        ("multi", {"d": ["none:"]}, 0, ()),
        ("text", {"d": ["words"]}, None, ("words",)),
        ("spans", {"d.spans.a": ["one\n\ntwo "], "d.spans.b": ["three"]}, 3, ("a", "a", "b")),
        ("spans", {"d": ["none:"]}, 0, ()),
    ],
)
def test_an_answer_is_read(
    scale: str, posted: Posted, value: float | None, labels: tuple[str, ...] | None
) -> None:
    answers, wrong = read_answers(one(SCALES[scale]), posted)
    assert wrong == {}
    assert (answers["d"].status, answers["d"].value, answers["d"].labels) == ("ok", value, labels)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("status", ["not_sure", "not_applicable"])
def test_a_status_in_place_of_an_answer_has_no_value(scale: str, status: str) -> None:
    instrument = one({**SCALES[scale], status: True})
    (choice,) = build_form(instrument).fields[0].instead
    radio = build_form(instrument).fields[0].control == "radio"
    name = "d" if radio else "d.status"
    assert f'name="{name}" value="{choice.value}"' in render_form(build_form(instrument))
    answers, wrong = read_answers(instrument, {name: [choice.value]})
    assert wrong == {}
    assert (answers["d"].status, answers["d"].value) == (status, None)


@pytest.mark.parametrize(
    ("scale", "posted", "reason"),
    [
        ("five", {}, "missing"),
        ("five", {"d": [""]}, "missing"),
        ("multi", {}, "missing"),
        ("spans", {"d.spans.a": [" \n"]}, "missing"),
        ("five", {"d": ["6"]}, "6 is not within 1 to 5"),
        ("five", {"d": ["nan"]}, "nan is not within 1 to 5"),
        ("five", {"d": ["2.5"]}, "2.5 is not a whole number"),
        ("five", {"d": ["two"]}, "'two' is not a number"),
        ("five", {"d": ["2", "3"]}, "more than one answer"),
        ("five", {"d": ["status:not_sure"]}, "not_sure is not offered"),
        ("boolean", {"d": ["yes"]}, "'yes' is neither 1 nor 0"),
        ("choice", {"d": ["c"]}, "'c' is not among the options"),
        ("multi", {"d": ["a", "c"]}, "'c' is not among the options"),
        ("multi", {"d": ["a", "none:"]}, "none of these, and an option"),
        ("spans", {"d": ["none:"], "d.spans.a": ["x"]}, "none of these, and passages"),
    ],
)
def test_what_is_no_answer_is_named(scale: str, posted: Posted, reason: str) -> None:
    answers, wrong = read_answers(one(SCALES[scale]), posted)
    assert answers == {}
    assert wrong == {"d": reason}


def test_a_question_that_may_be_left_out_is_left_out() -> None:
    assert read_answers(one(SCALES["five"], required=False), {}) == ({}, {})


def test_reason_and_passages_come_with_the_answer() -> None:
    instrument = one({**SCALES["boolean"], "not_sure": True}, evidence=["rationale", "spans"])
    posted = {"d": ["status:not_sure"], "d.rationale": [" why "], "d.spans": ["one\r\ntwo"]}
    answers, _ = read_answers(instrument, posted)
    assert answers["d"].rationale == "why"
    assert answers["d"].quotes == (Quote("one"), Quote("two"))
    assert answers["d"].value is None


def test_a_status_beside_an_answer_is_no_answer() -> None:
    instrument = one({**SCALES["multi"], "not_sure": True})
    _, wrong = read_answers(instrument, {"d": ["a"], "d.status": ["status:not_sure"]})
    assert wrong == {"d": "not_sure and an answer"}
