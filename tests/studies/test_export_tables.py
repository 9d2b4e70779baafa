"""Items and responses that a study made itself: conversations, and questions that were written."""

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl

from attunement import tables
from attunement.studies.export import export_study
from attunement.studies.models import Assignment, Chat, Message, Participant, Study
from stubs.study_answers import agree, answer_all, answer_page


def read(folder: Path, name: str) -> pl.DataFrame:
    return pl.read_parquet(folder / f"{name}.parquet")


def test_conversations_come_out_as_items_and_responses(
    make_study: Callable[..., Study], tmp_path: Path
) -> None:
    bot = {"model": "stub", "base_url": "http://127.0.0.1:9/v1"}
    make_study(protocol={"type": "chat-then-rate", "bots": {"calm": bot}, "participants": 1})
    said = [("user", "I lie awake."), ("assistant", "Since when?")]
    for person in Participant.objects.all():
        agree(person)
    chat = Chat.objects.first() or Chat.objects.create(
        assignment=Assignment.objects.filter(kind="main")[0], bot="calm", number=1
    )
    for position, (role, text) in enumerate(said):
        Message.objects.create(chat=chat, position=position, role=role, text=text)
    answer_page(Assignment.objects.filter(kind="main").order_by("position").last())
    out = tmp_path / "out"
    export_study(out)
    for kind in tables.KINDS:
        assert tables.check(read(out, kind), kind) == []
    assert read(out, "responses").select("source", "text").rows() == [("calm", "Since when?")]
    ratings = read(out, "ratings")
    assert set(ratings["unit"]) == {"session"}
    assert set(ratings["source"]) == {"calm"}
    # The questionnaire of CES-LCC has 27 items (Table 3)
    assert ratings.height == 27
    session = json.loads(read(out, "items")["meta"][0])["session"]
    assert set(ratings["unit_id"]) == {session}


def test_questions_that_were_written_come_out_as_items(
    make_study: Callable[..., Study], tmp_path: Path
) -> None:
    protocol = {"type": "write", "contributors": 1, "modes": ["medication"], "per_mode": 2}
    make_study(languages=["en"], protocol=protocol)
    answer_all()
    out = tmp_path / "out"
    export_study(out)
    items = read(out, "items")
    assert tables.check(items, "items") == []
    assert items["failure_mode"].to_list() == ["medication", "medication"]
    assert tables.check(read(out, "ratings"), "ratings") == []
