"""The only code that knows Inspect AI: calls to models, journaled and resumable."""

from __future__ import annotations

from attunement.inspect_bridge._ask import ask, ask_within
from attunement.inspect_bridge._cost import cost_of
from attunement.inspect_bridge._journal import count_answered
from attunement.inspect_bridge._types import LOCAL, Call, Message, ModelSpec, Reply, Settings

__all__ = [
    "LOCAL",
    "Call",
    "Message",
    "ModelSpec",
    "Reply",
    "Settings",
    "ask",
    "ask_within",
    "cost_of",
    "count_answered",
]
