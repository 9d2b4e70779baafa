"""How a conversation, and a plan for its next turn, are put to a model.

``chat`` passes the turns as a conversation and the plan as a sentence of the system prompt.
``paper`` writes all into one message, word for word as *Socio-Emotional Response Generation*
(Vanel et al. 2024, appendix B) did for Beluga; the misspellings and spaces are theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from attunement import tables
from attunement.models import local
from attunement.respond.presets import Preset

Turns = Sequence[Mapping[str, str | None]]

FRAMINGS = ("chat", "paper")
CONTEXT = 3
"""Turns that the paper's prompts show."""

SINGLE = """Generate the response following the given context. For example:
A: Do you like some soup?
B: Yes, but I don’t know what soup you have
A: We have beef soup and tomato soup
Response: Good. I prefer beef soup .

A: Can I take your order now, Madam?
B: Yes, what would you recommend?
A: I’m happy to recommend the fish, It tastes delicious, and it is today’s special. Our chef is \
from the coast, and loves seafood. Today’s special is actually his favorite dish. so I’m sure it \
is a
Response: It does sound wonderful, maybe I’ll try it .

Generate the response following the following dialogue: {element}"""
"""Appendix B, Beluga R: a single response (NO-CD)."""

NUMBERED = """Generate {n} responses following this dialogue: {element}
Number the generated sequences from 1 to {n}
Generated sequences:
1:"""
"""Appendix B, Beluga R: several responses in one reply."""

CONDITIONED = """Generate the response following the given context : {element}
The tone of the response must be {labels}
Response:"""
"""Appendix B, Beluga PB: one response that keeps to a plan."""

CHAT_PLAN = (
    "The tone of your reply must be, in this order: {labels}. Do not write these words down as "
    "labels."
)

SENTENCE = r'[A-Z] [^.?!\n()":]{7,100} [.?!]'
_TURN = f'root ::= " "? sentence (" " sentence)?\nsentence ::= {SENTENCE}\n'
LOCAL_CHAT: dict[str, Any] = {**local.ANSWER, "grammar": _TURN}
"""The embedded model, asked for a turn of one or two sentences rather than for a long answer."""

LOCAL_PROMPT: dict[str, Any] = {"grammar": _TURN}
"""The same where the message is a prompt and no person's words."""


def local_numbered(n: int) -> dict[str, Any]:
    """Return what holds the embedded model to ``n`` numbered turns, the first number not said."""
    rest = " ".join(f'"\\n{k}: " turn' for k in range(2, n + 1))
    turn = f'turn ::= sentence (" " sentence)?\nsentence ::= {SENTENCE}\n'
    return {"grammar": f'root ::= " "? turn {rest}\n{turn}'}


def element(turns: Turns, context: int = CONTEXT) -> str:
    """Return the last turns in the paper's format.

    The first speaker shown is A, whoever has another role is B; what a system was told is no part
    of the conversation.

    >>> element([{"role": "user", "text": "Hi ."}, {"role": "assistant", "text": "Hello ."}])
    'SPEAKER A: Hi . SPEAKER B: Hello .'
    """
    said = [t for t in turns if t["role"] != "system"][-context:]
    first = said[0]["role"] if said else None
    return " ".join(f"SPEAKER {'AB'[t['role'] != first]}: {t['text'] or ''}" for t in said)


def paper(turns: Turns, labels: Sequence[str] = ()) -> list[dict[str, str]]:
    """Return the paper's prompt for one response, with the plan where there is one."""
    text = (
        CONDITIONED.format(element=element(turns), labels=", ".join(labels))
        if labels
        else SINGLE.format(element=element(turns))
    )
    return [{"role": "user", "text": text}]


def paper_numbered(turns: Turns, n: int) -> list[dict[str, str]]:
    """Return the paper's prompt for ``n`` numbered responses."""
    return [{"role": "user", "text": NUMBERED.format(n=n, element=element(turns))}]


def chat(turns: Turns, system: str, labels: Sequence[str] = ()) -> list[dict[str, str]]:
    """Return the conversation after one system turn: the prompt, its own, and the plan.

    They are one turn, since many models refuse a second one.
    """
    plan = CHAT_PLAN.format(labels=", ".join(labels)) if labels else ""
    own = [t["text"] or "" for t in turns if t["role"] == "system"]
    told = "\n\n".join(part for part in (system, *own, plan) if part.strip())
    said = [{"role": t["role"] or "", "text": t["text"] or ""} for t in turns]
    opening = [{"role": "system", "text": told}] if told else []
    return opening + [t for t in said if t["role"] != "system"]


def framed(
    items: pl.DataFrame, make: Callable[[int, list[dict[str, str]]], list[dict[str, str]]]
) -> pl.DataFrame:
    """Return items with other turns: ``make(row, turns)``.

    Items that no model can be asked about stay as they are, so that asking says why.
    """
    made = []
    for row, turns in enumerate(items["turns"].to_list()):
        askable = (
            turns
            and all(t["role"] in tables.ROLES for t in turns)
            and any((t["text"] or "").strip() for t in turns if t["role"] != "system")
        )
        made.append(make(row, turns) if askable else turns)
    return items.with_columns(pl.Series("turns", made, dtype=tables.SCHEMAS["items"]["turns"]))


def sent_as(preset: Preset, *, framing: str, numbered: int = 0, planned: bool = False) -> Preset:
    """Return the preset whose text is in the turns already, with the id for the tables."""
    if numbered:
        return Preset(f"paper-numbered-{numbered}", "", local_numbered(numbered))
    if framing == "paper":
        return Preset("paper-conditioned" if planned else "paper-single", "", LOCAL_PROMPT)
    return Preset(preset.id + ("+plan" if planned else ""), "", LOCAL_CHAT)
