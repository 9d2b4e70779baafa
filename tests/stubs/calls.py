"""Calls of a model, for tests of asking it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attunement.inspect_bridge import Call, Message, ModelSpec, Reply, ask


def call(key: str, text: str = "I am sad.", **more: Any) -> Call:
    """Return a call of one message."""
    return Call(key, (Message("user", text),), **more)


def calls(n: int) -> Iterator[Call]:
    """Return calls that ask ``question 0`` and so on."""
    return (call(str(i), f"question {i}") for i in range(n))


def only(spec: ModelSpec, one: Call, journal: Path | None = None) -> Reply:
    """Return the reply to one call."""
    (reply,) = ask(spec, [one], journal=journal)
    return reply
