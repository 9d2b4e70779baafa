from attunement.tables import conversation, question

TURNS = [
    {"role": "user", "text": "I lost my job."},
    {"role": "assistant", "text": "I am sorry."},
    {"role": "user", "text": "What now?"},
]


def test_the_question_is_the_last_thing_the_person_said() -> None:
    assert question(TURNS) == "What now?"
    assert question(TURNS[:2]) == "I lost my job."


def test_no_turns_are_an_empty_question() -> None:
    assert question([]) == question(None) == ""


def test_a_single_question_stands_alone_and_several_turns_name_their_speaker() -> None:
    assert conversation(TURNS[:1]) == "I lost my job."
    assert conversation(TURNS).startswith("User: I lost my job.\n\nAssistant: I am sorry.")
