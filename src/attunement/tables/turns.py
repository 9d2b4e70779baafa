"""Read an item's turns."""

from __future__ import annotations


def question(turns: list[dict[str, str]] | None) -> str:
    """Return what the person said last: the text of the last user turn, or of the last turn."""
    if not turns:
        return ""
    said = [t["text"] for t in turns if t["role"] == "user"] or [turns[-1]["text"]]
    return said[-1] or ""


def conversation(turns: list[dict[str, str]]) -> str:
    """Return the turns as plain text, a paragraph each, speakers named where there are several."""
    if len(turns) == 1:
        return turns[0]["text"] or ""
    return "\n\n".join(f"{t['role'].capitalize()}: {t['text']}" for t in turns)
