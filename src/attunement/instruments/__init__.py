"""Instruments: what is asked of a rater, in one YAML file."""

from __future__ import annotations

from attunement.instruments._load import list_instruments, load_instrument, parse_instrument
from attunement.instruments.schema import (
    BooleanScale,
    ChoiceScale,
    Dimension,
    Instrument,
    JudgeSection,
    NumberScale,
    Option,
    Scale,
    Source,
    Subscale,
    TextScale,
)

__all__ = [
    "BooleanScale",
    "ChoiceScale",
    "Dimension",
    "Instrument",
    "JudgeSection",
    "NumberScale",
    "Option",
    "Scale",
    "Source",
    "Subscale",
    "TextScale",
    "list_instruments",
    "load_instrument",
    "parse_instrument",
]
