"""Where answers come from: asking models."""

from __future__ import annotations

from attunement.respond.generate import OVER_LIMIT, Estimate, estimate, generate, journal_path
from attunement.respond.presets import PRESETS, Preset, preset

__all__ = [
    "OVER_LIMIT",
    "PRESETS",
    "Estimate",
    "Preset",
    "estimate",
    "generate",
    "journal_path",
    "preset",
]
