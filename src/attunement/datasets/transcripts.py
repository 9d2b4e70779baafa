"""Chat transcripts: OpenAI's ``messages`` and ShareGPT's ``conversations``, multi-turn.

An item is one assistant turn: the turns before it are its context, what the assistant said is the
response. Every assistant turn of the file is either loaded or counted with the reason it was not.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import polars as pl

from attunement.datasets.base import Ledger, Loaded, Options, meta, stable_hash
from attunement.datasets.cleaning import clean_characters
from attunement.decoding import decode_json
from attunement.errors import UserError
from attunement.tables import read_frame
from attunement.tables.files import text_of

SHAPES: Final = ("messages", "conversations", "conversation")
"""Keys that hold a chat's turns."""

SOURCE: Final = "assistant"
"""The ``source`` where neither the file nor the user names the system."""

_ROLES: Final[Mapping[str, str]] = {
    "user": "user",
    "human": "user",
    "prompter": "user",
    "assistant": "assistant",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "ai": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
    "function_call": "tool",
    "function_response": "tool",
    "observation": "tool",
}
_IDS: Final = ("session_id", "conversation_id", "chat_id", "id")


@dataclass(frozen=True)
class _Turn:
    role: str
    text: str
    calls_tool: bool = False
    model: str | None = None


class _Fault(Exception):
    """A conversation that cannot be used, and why."""


def load(path: str | Path | None, options: Options) -> Loaded:
    """Load transcripts from JSONL, a JSON array, or Parquet.

    Raises
    ------
    UserError
        Where the file cannot be read, holds no transcripts, or an id stands for two conversations.

    """
    if path is None:
        raise UserError("transcripts need the path of their file.")
    file = Path(path)
    return from_records(
        list(records(file)), options, name=f"transcripts {file.name}", where=str(path)
    )


def records(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the conversations of a file as objects.

    Raises
    ------
    UserError
        Where the file cannot be read or a line is not a JSON object.

    """
    if file.suffix.lower() not in (".json", ".jsonl", ".ndjson"):
        yield from rows_of(read_frame(file))
        return
    if not file.is_file():
        raise UserError("no such file.", where=str(file), fix="Check the path.")
    text = text_of(file)
    if not text.strip():
        raise UserError("the file is empty.", where=str(file))
    for where, value in _values(text, str(file)):
        if not isinstance(value, dict):
            raise UserError("a conversation is not a JSON object.", where=where)
        yield value


def rows_of(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame as objects, turns in JSON text decoded."""
    return [
        {k: _decoded(v) if k in SHAPES else v for k, v in row.items()}
        for row in frame.iter_rows(named=True)
    ]


def _values(text: str, where: str) -> Iterator[tuple[str, Any]]:
    """Yield what a JSON array or JSON lines hold, with the place of each."""
    lines = [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if text.lstrip().startswith("[") or (len(lines) > 1 and lines[0][1].strip() == "{"):
        try:
            whole = decode_json(text)
        except ValueError as error:
            raise UserError(f"not valid JSON: {error}.", where=where) from None
        values = whole if isinstance(whole, list) else [whole]
        yield from ((f"{where}, entry {n}", v) for n, v in enumerate(values, start=1))
        return
    for number, line in lines:
        try:
            yield f"{where}, line {number}", decode_json(line)
        except ValueError as error:
            raise UserError(f"not valid JSON: {error}.", where=f"{where}, line {number}") from None


def _decoded(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return decode_json(value)
    except ValueError:
        return value


def from_records(
    conversations: list[dict[str, Any]], options: Options, *, name: str, where: str
) -> Loaded:
    """Load conversations that are already objects, as `load` does a file."""
    if conversations and not any(k in record for record in conversations for k in SHAPES):
        raise UserError(
            f"no conversation has {' or '.join(repr(s) for s in SHAPES[:2])}; "
            f"the first has {', '.join(map(str, conversations[0])) or 'nothing'}.",
            where=where,
        )
    builder = _Builder(options, where)
    for number, record in options.rows(conversations, len(conversations)):
        builder.add(number, record)
    return builder.finish(name)


class _Builder:
    def __init__(self, options: Options, where: str) -> None:
        self.options = options
        self.where = where
        self.ledger = Ledger()
        self.items: list[dict[str, Any]] = []
        self.responses: list[dict[str, Any]] = []
        self.seen: dict[str, tuple[int, str]] = {}
        self.counts: Counter[str] = Counter()
        self.row = 0

    def add(self, number: int, record: dict[str, Any]) -> None:
        try:
            turns = _turns(record, self.counts)
        except _Fault as fault:
            self._drop(_assistant_turns(record), str(fault))
            return
        answers = sum(t.role == "assistant" for t in turns)
        session = self._session(number, record)
        if session is None:
            self._drop(answers, "the same conversation as an earlier one")
        elif not answers:
            self._drop(0, "a conversation without an assistant turn")
        else:
            self._split(session, turns, record)

    def _drop(self, turns: int, reason: str) -> None:
        # A conversation without any assistant turn still counts as one.
        for _ in range(max(turns, 1)):
            self.row += 1
            self.ledger.drop(self.row, reason)

    def _session(self, number: int, record: dict[str, Any]) -> str | None:
        """Return the conversation's id, None where it came before."""
        given = next((record[k] for k in _IDS if record.get(k) not in (None, "")), None)
        session = str(given) if given is not None else f"session-{number}"
        content = stable_hash(json.dumps(record, sort_keys=True, default=str))
        if session not in self.seen:
            self.seen[session] = number, content
            return session
        earlier, known = self.seen[session]
        if known == content:
            return None
        raise UserError(
            f"duplicate ids: conversations {earlier} and {number} are both {session!r}, "
            "but they differ.",
            where=self.where,
            fix="Give every conversation its own id, or leave ids out and they are made.",
        )

    def _split(self, session: str, turns: list[_Turn], record: dict[str, Any]) -> None:
        context: list[dict[str, str]] = []
        place = 0
        for turn in turns:
            if turn.role == "assistant":
                place += 1
                self.row += 1
                reason = _why_not(turn, context)
                if reason:
                    self.ledger.drop(self.row, reason)
                else:
                    self._item(session, place, context, turn, record)
            if turn.role == "tool":
                self.counts["Tool turns that are left out of the context: {}."] += 1
            elif turn.text:
                context.append({"role": turn.role, "text": turn.text})
            elif turn.role != "assistant":
                self.counts["User or system turns without text, left out: {}."] += 1

    def _item(
        self,
        session: str,
        place: int,
        context: list[dict[str, str]],
        turn: _Turn,
        record: dict[str, Any],
    ) -> None:
        item = f"{session}/{place}"
        model = turn.model or _text(record.get("model"))
        self.items.append(
            {
                "item_id": item,
                "topic": _text(record.get("topic")),
                "turns": list(context),
                "lang": _text(record.get("lang")) or _text(record.get("language")),
                "meta": meta(session=session, turn=place),
            }
        )
        self.responses.append(
            {
                "item_id": item,
                "source": model or self.options.source or SOURCE,
                "candidate": 0,
                "text": turn.text,
                "model": model,
            }
        )
        self.ledger.keep(self.row, item)

    def finish(self, name: str) -> Loaded:
        notes = [said.format(n) for said, n in self.counts.items() if n]
        return self.ledger.finish(
            name,
            self.items,
            self.responses,
            notes=notes,
            unit="assistant turn",
            where=self.where,
        )


def _why_not(turn: _Turn, context: list[dict[str, str]]) -> str | None:
    if not turn.text:
        return "it only calls a tool" if turn.calls_tool else "the assistant turn is empty"
    if not any(t["role"] == "user" for t in context):
        return "no user turn stands before it"
    return None


def _raw_turns(record: dict[str, Any]) -> list[Any]:
    key = next((k for k in SHAPES if record.get(k) is not None), None)
    if key is None:
        raise _Fault("the conversation has no turns")
    turns = record[key]
    if not isinstance(turns, list):
        raise _Fault(f"{key!r} is not a list")
    return turns


def _turns(record: dict[str, Any], counts: Counter[str]) -> list[_Turn]:
    turns = []
    for raw in _raw_turns(record):
        if not isinstance(raw, dict):
            raise _Fault("a turn is not an object")
        said = raw.get("role", raw.get("from"))
        role = _ROLES.get(str(said).strip().lower())
        if role is None:
            raise _Fault(
                "a turn has no role" if said is None else f"a turn has the unknown role {said!r}"
            )
        text, other = _content(raw.get("content", raw.get("value")))
        counts["Parts of turns that are not text (images, audio, files), left out: {}."] += other
        calls = bool(raw.get("tool_calls") or raw.get("function_call"))
        turns.append(_Turn(role, text, calls, _text(raw.get("model"))))
    return turns


def _assistant_turns(record: dict[str, Any]) -> int:
    try:
        turns = _raw_turns(record)
    except _Fault:
        return 0
    roles = (str(t.get("role", t.get("from"))) for t in turns if isinstance(t, dict))
    return sum(_ROLES.get(r.strip().lower()) == "assistant" for r in roles)


def _content(content: Any) -> tuple[str, int]:
    """Return a turn's text, and how many of its parts are not text."""
    if content is None:
        return "", 0
    if isinstance(content, str):
        return clean_characters(content), 0
    if not isinstance(content, list):
        raise _Fault("a turn's content is neither text nor a list of parts")
    texts, other = [], 0
    for part in content:
        text = part
        if isinstance(part, dict):
            text = part.get("text", part.get("refusal"))
        if isinstance(text, str):
            texts.append(text)
        else:
            other += 1
    return clean_characters("\n\n".join(texts)), other


def _text(value: Any) -> str | None:
    return clean_characters(value) or None if isinstance(value, str) else None
