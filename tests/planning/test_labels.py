from pathlib import Path

import pytest

from attunement.errors import UserError
from attunement.planning import DAILYDIALOG, LabelGroup, LabelSet

WEATHER = """
name: weather
groups:
- name: act
  labels: [ask, tell]
- name: mood
  labels: [calm, stormy]
  silent: calm
"""


def test_there_are_the_eleven_labels_of_the_papers_prompt_in_its_order() -> None:
    # Typed from appendix A of the paper.
    assert DAILYDIALOG.labels == (
        "inform", "question", "directive", "commissive",
        "neutral", "anger", "disgust", "fear", "happiness", "sadness", "surprise",
    )  # fmt: skip


def test_numbers_mean_what_the_data_sets_readme_says() -> None:
    act, emotion = DAILYDIALOG.groups
    assert [act.label(n) for n in "1234"] == ["inform", "question", "directive", "commissive"]
    assert [emotion.label(n) for n in (0, 4)] == ["neutral", "happiness"]
    assert [act.label("0"), act.label("5"), act.label("?"), emotion.label("7")] == [None] * 4


def test_a_sequence_is_ordered_and_says_nothing_of_neutral() -> None:
    assert DAILYDIALOG.sequence(["neutral", "commissive"]) == ("commissive",)
    assert DAILYDIALOG.sequence(["sadness", "directive", "inform"]) == (
        "directive",
        "inform",
        "sadness",
    )


def test_the_set_can_be_replaced_by_a_file(tmp_path: Path) -> None:
    file = tmp_path / "weather.yaml"
    file.write_text(WEATHER, encoding="utf-8")
    weather = LabelSet.read(file)
    assert weather.labels == ("ask", "tell", "calm", "stormy")
    assert weather.sequence(["calm", "tell"]) == ("tell",)
    assert LabelSet.from_json(weather.as_json()) == weather


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "name: x",
        "name: x\ngroups: [{name: a, labels: [b], color: red}]",
        "name: x\ngroups: [{name: a, labels: [b], silent: c}]",
        "name: x\ngroups: [{name: a, labels: [b]}, {name: c, labels: [b]}]",
        "name: x\ngroups: [{name: a, labels: [1, 2]}]",
        "name: x\ngroups: []",
        "a: [",
    ],
)
def test_a_file_that_is_no_label_set_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "labels.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match="no label set"):
        LabelSet.read(file)


def test_a_label_that_is_misspelled_is_guessed() -> None:
    with pytest.raises(UserError, match="Did you mean 'happiness'"):
        DAILYDIALOG.require(["hapiness"])


def test_a_group_without_numbers_of_its_own_counts_from_zero() -> None:
    assert LabelGroup("act", ("ask", "tell")).label(1) == "tell"
