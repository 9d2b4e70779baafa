"""A study of conversations puts planned replies against plain ones of the same model."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attunement.inspect_bridge import ModelSpec
from attunement.studies.chat import worker
from attunement.studies.chat.conversation import say
from attunement.studies.models import Chat, Study
from stubs.llm import StubLLM
from stubs.planned_server import planned_server


def by_seed(request: dict[str, Any]) -> str:
    return {1: "That is hard.", 1001: "Since when?", 2001: "Rest."}[request["seed"]]


def test_each_bot_has_its_replies_from_one_endpoint(
    make_chat: Callable[..., Study], tmp_path: Path
) -> None:
    journal = tmp_path / "turns.jsonl"
    with StubLLM(by_seed) as llm:
        spec = ModelSpec("bot", "openai-api/stub/bot", base_url=llm.base_url)
        with planned_server(spec, journal) as server:
            make_chat(
                bots={
                    name: {"model": model, "base_url": server.base_url, "temperature": 0.5}
                    for name, model in {"heron": "bot", "wren": "bot-planned"}.items()
                }
            )
            chats = {chat.bot: chat for chat in Chat.objects.order_by("pk")}
            assert sorted(chats) == ["heron", "wren"]
            for chat in chats.values():
                say(chat, "I cannot sleep.", client="a")
            for _ in chats:
                claimed = worker.claim()
                assert claimed is not None
                worker.write_reply(claimed)
    replies = {
        name: chat.messages.get(role="assistant", status="done") for name, chat in chats.items()
    }
    assert {name: reply.text for name, reply in replies.items()} == {
        "heron": "That is hard.",
        "wren": "Since when?",
    }
    assert replies["wren"].model == "bot-planned"
    assert (replies["wren"].tokens_in, replies["wren"].tokens_out) == (30, 15)
    kept = [json.loads(line) for line in journal.read_text().splitlines()]
    assert sorted(turn["model"] for turn in kept) == ["bot", "bot-planned"]
    assert all(request["temperature"] == 0.5 for request in llm.requests)


def test_a_reply_that_nobody_can_write_has_failed_with_the_reason(
    make_chat: Callable[..., Study], tmp_path: Path
) -> None:
    with StubLLM("  ") as llm:
        spec = ModelSpec("m", "openai-api/stub/bot", base_url=llm.base_url)
        with planned_server(spec, tmp_path / "turns.jsonl") as server:
            make_chat(server.base_url)
            say(Chat.objects.order_by("pk")[0], "I cannot sleep.", client="a")
            claimed = worker.claim()
            assert claimed is not None
            worker.write_reply(claimed)
            claimed.refresh_from_db()
    assert claimed.status == "failed"
    assert claimed.error.startswith("HTTP 502: No answer came")
