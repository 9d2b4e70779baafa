"""Closing stages and the study."""

from collections.abc import Callable

import pytest

from attunement.errors import UserError
from attunement.studies import closing, flow
from attunement.studies.models import Event, Participant, Stage, Study


def test_pages_of_a_closed_stage_are_not_shown(make_study: Callable[..., Study]) -> None:
    make_study()
    closing.close_stage(Stage.objects.get(), by="owner")
    assert not flow.pages_of(Participant.objects.first()).exists()  # type: ignore[arg-type]


def test_a_stage_closes_once(make_study: Callable[..., Study]) -> None:
    make_study()
    stage = Stage.objects.get()
    closing.close_stage(stage, by="owner")
    with pytest.raises(UserError, match="not open"):
        closing.close_stage(stage, by="owner")


def test_a_closed_study_takes_no_answers_until_it_is_opened_again(
    make_study: Callable[..., Study],
) -> None:
    study = make_study()
    closing.close_study(study, by="owner")
    assert flow.is_closed()
    with pytest.raises(UserError, match="closed already"):
        closing.close_study(study, by="owner")
    closing.reopen_study(study, by="owner")
    assert not flow.is_closed()
    with pytest.raises(UserError, match="not closed"):
        closing.reopen_study(study, by="owner")
    actions = list(Event.objects.values_list("action", flat=True))
    assert actions[:2] == ["study opened again", "study closed"]
