"""What a panel is asked in its first round, and what its study file may say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from attunement.errors import UserError
from attunement.studies.asking import missing, units_of
from attunement.studies.config import read_study, study_instrument
from attunement.studies.design import design_of_study
from attunement.studies.models import (
    Assignment,
    Participant,
)
from attunement.studies.saving import Refused
from stubs import panel_study
from stubs.study_files import study_text
from studies.panel_rounds import (
    Make,
    asked,
    give,
    page,
)


def test_everybody_gets_a_page_for_each_dimension_and_one_about_the_whole(make_panel: Make) -> None:
    make_panel()
    for person in Participant.objects.all():
        found = Assignment.objects.filter(participant=person, kind="main").order_by("position")
        assert [p.prefill["part"] for p in found] == ["ur", "lq", "ease", ""]


def test_the_first_round_asks_for_relevance_priority_and_what_is_missing(make_panel: Make) -> None:
    make_panel()
    found = asked(page("R001", "lq"))
    each = ["relevance", "priority", "comment"]
    assert found[:3] == [("lq1", each), ("lq2", each), ("lq3", each)]
    assert found[3:] == [("R001:round-1:lq", ["new-items"])]
    (end,) = units_of(page("R001", ""))
    assert [d.id for d in end.instrument.dimensions] == ["new-dimensions", "remarks"]


def test_comments_and_proposals_may_be_left_out(make_panel: Make) -> None:
    make_panel()
    assert missing(page("R001", "ease")) == [(0, "relevance"), (0, "priority")]
    assert missing(page("R001", "")) == []


def test_ratings_off_the_scale_are_refused(make_panel: Make) -> None:
    make_panel()
    for wrong in (0, 6, 3.5, "often"):
        with pytest.raises(Refused):
            give(page("R001", "ur"), "ur1", "relevance", wrong)


def test_questions_are_in_the_languages_of_the_study(make_panel: Make) -> None:
    make_panel()
    instrument = units_of(page("R001", "ur"))[0].instrument
    assert instrument.languages == ("en", "it")
    assert instrument.dimension("relevance").label == {
        "en": "UR1: relevance",
        "it": "UR1: rilevanza",
    }


def test_a_check_counts_items_of_a_panel(make_panel: Make) -> None:
    make_panel()
    design = design_of_study()
    assert (design.participants, design.items, design.raters_an_item) == (4, 7, (4, 4))
    assert design.stages == ("round-1", "round-2")


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"translation": {"language": "it", "native": "age"}}, "'age', which is no yes-or-no"),
        ({"rounds": 1}, "from the second round on"),
        ({"thresholds": {"agreement": 175}}, "100 or less is wanted here"),
        ({"thresholds": {"agreemnt": 75}}, "did you mean 'agreement'"),
    ],
)
def test_a_study_file_that_cannot_be_is_refused(keys: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        read_study(study_text(**panel_study.with_protocol(**keys)), where="study.yaml")


def test_a_translation_has_to_be_there(make_panel: Make) -> None:
    with pytest.raises(UserError, match="no translation into 'en'"):
        make_panel(translation={"language": "en", "native": "native"})


def shared(draft: dict[str, Any]) -> None:
    draft["subscales"][1]["dimensions"].append("ur1")


def named_alike(draft: dict[str, Any]) -> None:
    draft["subscales"][0]["id"] = draft["id"]
    draft["subscales"][1]["dimensions"].remove("lq1")


def twice(draft: dict[str, Any]) -> None:
    draft["dimensions"][1]["wording"] = draft["dimensions"][0]["wording"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (shared, "'ur1' is in two subscales"),
        (named_alike, "as the draft, and some items are in none"),
        (twice, "'ur1' and 'ur2' read the same"),
    ],
)
def test_a_draft_whose_items_a_panel_could_not_settle_is_refused(
    change: Callable[[dict[str, Any]], None], said: str, tmp_path: Path
) -> None:
    panel_study.write_draft(tmp_path)
    file = tmp_path / "draft.yaml"
    draft = yaml.safe_load(file.read_text(encoding="utf-8"))
    change(draft)
    file.write_text(yaml.safe_dump(draft, allow_unicode=True), encoding="utf-8")
    with pytest.raises(UserError, match=said):
        study_instrument(read_study(study_text(**panel_study.with_protocol()), where="x"), tmp_path)
