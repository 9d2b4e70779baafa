"""What judges are told and may say on scales with examples, spans and "not applicable"."""

from typing import Any

import pytest

from attunement.instruments import Dimension, NumberScale, load_instrument
from attunement.raters.judges.parse import parse_reply, read_score
from attunement.raters.judges.prompt import describe, reply_schema

MEDICATION = load_instrument("counselbench-adv").dimension("medication")
ACTS = load_instrument("socio-emotional").dimension("dialogue_acts")
RISK = load_instrument("crisis-handling").dimension("recognizes_risk")


def test_a_worked_example_stands_in_the_prompt() -> None:
    said = describe(MEDICATION, "en")
    assert "Example, where the score is true:\n  question: I have not slept" in said
    assert said.endswith("why: It names a drug and a dose for this person.")


def test_not_applicable_is_offered_and_understood_only_where_the_scale_has_it() -> None:
    assert 'Answer "not applicable" where the question does not apply.' in describe(RISK, "en")
    assert "not applicable" not in describe(MEDICATION, "en")
    schema = reply_schema(load_instrument("crisis-handling"), [RISK])
    assert schema is not None
    instead = schema["properties"]["score"]["anyOf"][1]
    assert instead["enum"] == ["not sure", "not applicable"]
    reply = '{"rationale": "No danger.", "score": "not applicable"}'
    verdict = parse_reply(reply, [RISK])["recognizes_risk"]
    assert (verdict.status, verdict.value, verdict.rationale) == (
        "not_applicable",
        None,
        "No danger.",
    )
    assert read_score("not applicable", MEDICATION.scale).status == "unparsed"


def test_spans_come_as_quotes_with_labels() -> None:
    raw = [{"quote": "Sorry.", "label": "inform"}, {"quote": "Why?", "label": "Question"}]
    verdict = read_score(raw, ACTS.scale)
    assert (verdict.status, verdict.value, verdict.labels) == ("ok", 2, ("inform", "question"))
    assert read_score([], ACTS.scale).value == 0


@pytest.mark.parametrize(
    "raw", ["inform", ["inform"], [{"label": "inform"}], [{"quote": "x", "label": "joke"}], {}]
)
def test_other_spans_are_unparsed(raw: Any) -> None:
    assert read_score(raw, ACTS.scale).status == "unparsed"


def test_the_ends_of_a_scale_are_said_with_all_their_digits() -> None:
    scale = NumberScale(
        type="number",
        min=-0.5,
        max=12_345_678,
        anchors={12_345_678: {"en": "all"}},
        better="higher",
    )
    said = describe(Dimension(id="d", label={"en": "D"}, wording={"en": "?"}, scale=scale), "en")
    assert "A number from -0.5 to 12345678 (12345678 = all)." in said
