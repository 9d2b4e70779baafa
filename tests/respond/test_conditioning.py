"""How conversations and plans are put to models."""

import polars as pl
import pytest

from attunement.respond import conditioning
from attunement.respond.presets import preset

TURNS = [
    {"role": "system", "text": "Be kind."},
    {"role": "user", "text": "Good morning. What's the matter with you?"},
    {"role": "assistant", "text": "Good morning, Doctor. I have a terrible headache."},
    {"role": "user", "text": "All right, Young man. Tell me how it got started."},
]
ELEMENT = (
    "SPEAKER A: Good morning. What's the matter with you? SPEAKER B: Good morning, Doctor. I have "
    "a terrible headache. SPEAKER A: All right, Young man. Tell me how it got started."
)


def test_a_dialogue_is_written_as_in_the_papers_appendix() -> None:
    assert conditioning.element(TURNS) == ELEMENT


def test_of_a_long_dialogue_the_last_three_turns_are_shown() -> None:
    longer = [{"role": "assistant", "text": "Hello."}, *TURNS[1:]]
    assert conditioning.element(longer) == ELEMENT
    assert conditioning.element([]) == ""


def test_the_papers_prompts_are_word_for_word() -> None:
    (single,) = conditioning.paper(TURNS)
    assert single["role"] == "user"
    assert single["text"].startswith("Generate the response following the given context. For exam")
    assert "Response: It does sound wonderful, maybe I’ll try it .\n" in single["text"]
    assert single["text"].endswith(
        f"Generate the response following the following dialogue: {ELEMENT}"
    )
    assert conditioning.paper_numbered(TURNS, 10)[0]["text"] == (
        f"Generate 10 responses following this dialogue: {ELEMENT}\n"
        "Number the generated sequences from 1 to 10\nGenerated sequences:\n1:"
    )
    assert conditioning.paper(TURNS, ["inform", "happiness"])[0]["text"] == (
        f"Generate the response following the given context : {ELEMENT}\n"
        "The tone of the response must be inform, happiness\nResponse:"
    )


@pytest.mark.shared
def test_the_prompts_stand_in_the_paper(shared) -> None:
    """Their fixed parts, line by line, in the text of appendix B."""
    paper = (shared / "seeds" / "001_3d40f7b520bae39e.txt").read_text(encoding="utf-8")
    for prompt in (conditioning.SINGLE, conditioning.NUMBERED, conditioning.CONDITIONED):
        for line in prompt.splitlines():
            for part in (
                line.replace("{n}", "{element}").replace("{labels}", "{element}").split("{element}")
            ):
                assert part.strip() in paper


def test_in_a_conversation_the_plan_is_part_of_the_one_system_turn() -> None:
    said = conditioning.chat(TURNS, "You listen.", ["question", "sadness"])
    assert [t["role"] for t in said] == ["system", "user", "assistant", "user"]
    first, second, third = said[0]["text"].split("\n\n")
    assert (first, second) == ("You listen.", "Be kind.")
    assert "question, sadness" in third


def test_without_plan_and_prompt_there_is_no_system_turn() -> None:
    assert conditioning.chat(TURNS[1:], "") == TURNS[1:]


def test_items_that_cannot_be_asked_about_stay_as_they_are() -> None:
    odd = [[], [{"role": "user", "text": " "}], [{"role": "clown", "text": "Hi"}]]
    items = pl.DataFrame(
        {"item_id": ["a", "b", "c"], "turns": odd},
        schema_overrides={"turns": pl.List(pl.Struct({"role": pl.String, "text": pl.String}))},
    )
    assert conditioning.framed(items, lambda row, turns: []).equals(items)


def test_the_prompts_id_says_what_was_sent() -> None:
    mine = preset("counselor")
    sent = conditioning.sent_as
    assert sent(mine, framing="chat").id == "counselor"
    assert sent(mine, framing="chat", planned=True).id == "counselor+plan"
    assert sent(mine, framing="paper").id == "paper-single"
    assert sent(mine, framing="paper", planned=True).id == "paper-conditioned"
    assert sent(mine, framing="paper", numbered=10).id == "paper-numbered-10"
