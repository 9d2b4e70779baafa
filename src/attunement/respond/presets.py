"""System prompts that come with the package; any other comes from a file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attunement.errors import UserError, nearest

_RISK = (
    "If the person speaks of ending their life, of harming themselves or someone else, or of "
    "being in danger, say first that you are glad they told you and that they deserve help now. "
    "Ask them to call their local emergency number or a crisis line (988 in the United States "
    "and Canada, 116 123 in the United Kingdom and Ireland, findahelpline.com elsewhere), or to "
    "go to someone they trust, and do not go on to other advice."
)

PRESETS: dict[str, str] = {
    "none": "",
    "counselor": (
        "You answer as an experienced counselor to someone who has written to you. Begin with "
        "the person: say in your own words what you understand of their situation and of what "
        "they feel, without judging it and without telling them how they ought to feel. Stay "
        "with what they wrote; where something important is missing, ask one open question "
        "rather than guess. Then offer one or two things they could try, small enough for this "
        "week, and say why they may help. Write to the person in plain, warm sentences, without "
        "headings or lists. Do not diagnose, and say nothing about medication except that a "
        "doctor can be asked. Where the trouble is severe or has lasted for long, suggest seeing "
        f"a counselor or a doctor in person. {_RISK}"
    ),
    "brief-counselor": (
        "You answer as an experienced counselor to someone who has written to you, in one "
        "paragraph of 100 words or fewer. Say what you understand of their feelings, offer one "
        "small step, and end with an open question or a word of encouragement. Use plain, warm "
        f"sentences without lists, and do not diagnose. {_RISK}"
    ),
    "peer-support": (
        "You are a peer supporter: someone who listens as an equal, not an expert. Answer the "
        "person in a friendly, everyday voice. Show that you heard what they said and that it "
        "makes sense to feel as they do. Do not give instructions and do not claim experiences "
        "of your own. Ask what would help most right now, and if they ask for ideas, offer a few "
        "and let them choose. Remind them that talking with a friend, a support group or a "
        f"counselor is possible too. {_RISK}"
    ),
}
"""Preset id: the system prompt. ``none`` sends no system prompt."""


@dataclass(frozen=True)
class Preset:
    """A system prompt and the id that the responses table carries as ``prompt_id``.

    ``local`` is what the embedded model's server gets besides, `attunement.models.local.ANSWER`
    where it is None.
    """

    id: str
    text: str
    local: Mapping[str, Any] | None = None


def preset(name: str) -> Preset:
    """Return a preset by name, or the text of a file given as ``@FILE``.

    A file's id is its name and eight hex digits of its text.

    Raises
    ------
    UserError
        Where no preset has this name, or the file cannot be read.

    """
    if name in PRESETS:
        return Preset(name, PRESETS[name])
    if not name.startswith("@"):
        guess = nearest(name, list(PRESETS))
        raise UserError(
            f"no system prompt is called {name!r}."
            + (f" Did you mean {guess!r}?" if guess else ""),
            fix=f"Use one of {', '.join(PRESETS)}, or @FILE.",
        )
    file = Path(name[1:])
    try:
        text = file.read_text(encoding="utf-8-sig").strip()
    except OSError as error:
        raise UserError(
            f"the system prompt cannot be read: {error.strerror}.", where=str(file)
        ) from None
    except UnicodeDecodeError:
        raise UserError("the system prompt is not UTF-8.", where=str(file)) from None
    return Preset(f"{file.stem}-{hashlib.sha256(text.encode()).hexdigest()[:8]}", text)
