"""Instruments: what is asked of a rater, in one YAML file."""

from __future__ import annotations

from attunement.instruments._fields import Slug, Words
from attunement.instruments._judge import JudgeSection
from attunement.instruments._load import (
    check_instrument,
    list_instruments,
    load_instrument,
    parse_instrument,
)
from attunement.instruments._problems import Problem
from attunement.instruments._scales import (
    BooleanScale,
    ChoiceScale,
    NumberScale,
    Option,
    Scale,
    SpansScale,
    Strict,
    TextScale,
)
from attunement.instruments.schema import (
    SCHEMA_VERSION,
    Dimension,
    Example,
    Instrument,
    Source,
    Step,
    Subscale,
)

__all__ = [
    "SCHEMA_VERSION",
    "BooleanScale",
    "ChoiceScale",
    "Dimension",
    "Example",
    "Instrument",
    "JudgeSection",
    "NumberScale",
    "Option",
    "Problem",
    "Scale",
    "Slug",
    "Source",
    "SpansScale",
    "Step",
    "Strict",
    "Subscale",
    "TextScale",
    "Words",
    "check_instrument",
    "list_instruments",
    "load_instrument",
    "parse_instrument",
]
