"""A small panel: a draft of seven items in three dimensions, and the study's keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

ITEMS: dict[str, tuple[str, str]] = {
    "ur1": ("The chatbot understands what I say.", "Il chatbot capisce ciò che dico."),
    "ur2": ("The chatbot draws the right conclusions.", "Il chatbot trae conclusioni giuste."),
    "ur3": ("The chatbot grasps what I mean.", "Il chatbot coglie ciò che intendo."),
    "lq1": ("The chatbot writes clearly.", "Il chatbot scrive in modo chiaro."),
    "lq2": (
        "The chatbot sounds natural and suits the occasion.",
        "Il chatbot suona naturale e si adatta alla situazione.",
    ),
    "lq3": ("The chatbot writes without mistakes.", "Il chatbot scrive senza errori."),
    "ease1": ("The chatbot is easy to open.", "Il chatbot è facile da aprire."),
}
PARTS = {
    "ur": ("Understanding requests", "Comprensione delle richieste"),
    "lq": ("Language quality", "Qualità del linguaggio"),
    "ease": ("Ease of use", "Facilità d'uso"),
}
NATIVE = {
    "id": "native",
    "label": {"en": "Native speaker", "it": "Madrelingua"},
    "wording": {"en": "Is Italian your mother tongue?", "it": "La Sua lingua madre è l'italiano?"},
    "scale": {"type": "boolean", "better": "neither"},
}
KEYS: dict[str, Any] = {
    "items": None,
    "responses": None,
    "background": [NATIVE],
    "protocol": {
        "type": "delphi",
        "instrument": "draft.yaml",
        "panel": 4,
        "minimum": 2,
        "translation": {"language": "it", "native": "native"},
    },
}


def words(pair: tuple[str, str]) -> dict[str, str]:
    """Return a text in both languages."""
    return dict(zip(("en", "it"), pair, strict=True))


def write_draft(folder: Path) -> None:
    """Write ``draft.yaml``."""
    scale = {
        "type": "integer",
        "min": 1,
        "max": 5,
        "anchors": {
            1: {"en": "Strongly disagree", "it": "Fortemente in disaccordo"},
            5: {"en": "Strongly agree", "it": "Fortemente d'accordo"},
        },
        "better": "higher",
    }
    draft = {
        "id": "draft",
        "version": 1,
        "title": {"en": "A draft", "it": "Una bozza"},
        "description": {"en": "Items to be discussed.", "it": "Item da discutere."},
        "unit": "session",
        "languages": ["en", "it"],
        "source": {"citation": "The tests."},
        "license": "CC0-1.0",
        "dimensions": [
            {
                "id": id,
                "label": dict.fromkeys(("en", "it"), id.upper()),
                "wording": words(pair),
                "scale": scale,
            }
            for id, pair in ITEMS.items()
        ],
        "subscales": [
            {
                "id": id,
                "label": words(pair),
                "dimensions": [item for item in ITEMS if item.rstrip("0123456789") == id],
            }
            for id, pair in PARTS.items()
        ],
    }
    text = yaml.safe_dump(draft, allow_unicode=True, sort_keys=False)
    (folder / "draft.yaml").write_text(text, encoding="utf-8")


def with_protocol(**keys: Any) -> dict[str, Any]:
    """Return the study's keys with some of the protocol replaced."""
    return {**KEYS, "protocol": {**KEYS["protocol"], **keys}}
