"""Judges: an instrument and a language model rate answers."""

from __future__ import annotations

from attunement.quotes import NOT_FOUND, Quote, Span, locate
from attunement.raters.judges.judge import (
    JudgeWarning,
    distinct,
    journal_path,
    judge,
    rater_row,
    run_plan,
)
from attunement.raters.judges.parse import parse_reply
from attunement.raters.judges.plan import Estimate, Plan, make_plan, subset_items
from attunement.raters.judges.prompt import Material, build_messages, reply_schema
from attunement.raters.judges.verdict import Verdict

__all__ = [
    "NOT_FOUND",
    "Estimate",
    "JudgeWarning",
    "Material",
    "Plan",
    "Quote",
    "Span",
    "Verdict",
    "build_messages",
    "distinct",
    "journal_path",
    "judge",
    "locate",
    "make_plan",
    "parse_reply",
    "rater_row",
    "reply_schema",
    "run_plan",
    "subset_items",
]
