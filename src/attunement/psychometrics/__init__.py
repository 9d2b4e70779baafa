"""Psychometrics of a scale: reliability, structure, scores, short forms and comparisons.

The statistics are in `attunement.stats`; here they meet instruments and tables of answers.
"""

from attunement.psychometrics.answers import Answers, from_matrix, read_answers
from attunement.psychometrics.reliable import Part, Report, report
from attunement.psychometrics.scale import (
    OVERALL,
    Scale,
    from_instrument,
    from_items,
    only,
    short_form,
)
from attunement.psychometrics.words import layout, sentences

__all__ = [
    "OVERALL",
    "Answers",
    "Part",
    "Report",
    "Scale",
    "from_instrument",
    "from_items",
    "from_matrix",
    "layout",
    "only",
    "read_answers",
    "report",
    "sentences",
    "short_form",
]
