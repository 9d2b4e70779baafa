"""What a language model writes becomes a plan, or a status that says why not."""

import pytest

from attunement.planning import DAILYDIALOG
from attunement.planning.answers import parse


@pytest.mark.parametrize(
    ("answer", "labels"),
    [
        ("‘inform’, ‘happiness’.", ("inform", "happiness")),  # as the published prompt shows
        ("‘inform’", ("inform",)),
        ("inform", ("inform",)),
        ("Inform and Surprise.", ("inform", "surprise")),
        ("Labels: 'question', 'fear'", ("question", "fear")),
        ("The labels are: directive; anger", ("directive", "anger")),
        ("1. inform\n2. sadness\n", ("inform", "sadness")),
        ("- **question**", ("question",)),
        ('["inform", "happiness"]', ("inform", "happiness")),
        ("happiness, inform", ("inform", "happiness")),
        ("inform, inform, neutral", ("inform",)),
        ("inform (the speaker answers) | sadness", ("inform", "sadness")),
        ("The next speaker will 'inform' and show \"happiness\".", ("inform", "happiness")),
        ("inform\n\nThe speaker is sad and cannot question it.", ("inform",)),
        ("neutral", ()),
        ("inform, joy", ("inform", "joy")),
        ("inform, none", ("inform",)),
    ],
)
def test_a_list_or_quoted_labels_are_read(answer: str, labels: tuple[str, ...]) -> None:
    plan = parse(answer, DAILYDIALOG)
    assert (plan.labels, plan.status) == (labels, "ok")


@pytest.mark.parametrize(
    "answer",
    [
        "None",  # what the paper's model often said
        "",
        "  \n",
        "joy, trust",
        "I cannot inform you about that.",
        "Sorry, I don't know. It's hard to say, isn't it?",
        "informing",
        "{}",
        ",,,",
    ],
)
def test_an_answer_without_a_label_is_unparsed_and_says_so(answer: str) -> None:
    plan = parse(answer, DAILYDIALOG)
    assert (plan.labels, plan.status) == ((), "unparsed")
    assert plan.reason


def test_the_reason_shows_the_beginning_of_a_long_answer() -> None:
    reason = parse("well " * 100, DAILYDIALOG).reason
    assert reason is not None
    assert "well well" in reason
    assert len(reason) < 120
