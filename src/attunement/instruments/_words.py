"""What a form says beside the instrument's own texts, in each language it speaks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FormWords:
    """The form's own words, in one language.

    Parameters
    ----------
    yes, no
        The answers of a ``boolean`` scale without anchors.
    not_sure, not_applicable
        What is offered in place of an answer.
    none
        The empty answer of a ``multi`` scale.
    optional
        Marks a question that may be left out.
    rationale
        The label of the box for a reason.
    spans
        The label of the box for passages.
    label_spans
        The label of the box for passages with one label, which stands at ``{label}``.
    missing
        Marks a question that lacks an answer.
    definition, example, question, answer, rating, why
        Labels of what explains a question.

    """

    yes: str
    no: str
    not_sure: str
    not_applicable: str
    none: str
    optional: str
    rationale: str
    spans: str
    label_spans: str
    missing: str
    definition: str
    example: str
    question: str
    answer: str
    rating: str
    why: str


WORDS = {
    "en": FormWords(
        yes="Yes",
        no="No",
        not_sure="I am not sure",
        not_applicable="Does not apply",
        none="None of these",
        optional="optional",
        rationale="Why? Say briefly what decided.",
        spans="Copy the passages that decided, one a line.",
        label_spans="{label}: copy the passages, one a line.",
        missing="Please answer this question.",
        definition="What is meant",
        example="Example",
        question="Question",
        answer="Answer",
        rating="Right rating",
        why="Why",
    ),
    "it": FormWords(
        yes="Sì",
        no="No",
        not_sure="Non so dirlo",
        not_applicable="Non applicabile",
        none="Nessuna di queste",
        optional="facoltativo",
        rationale="Perché? Dica brevemente che cosa ha deciso.",
        spans="Copi i passaggi che hanno deciso, uno per riga.",
        label_spans="{label}: copi i passaggi, uno per riga.",
        missing="Risponda a questa domanda.",
        definition="Che cosa si intende",
        example="Esempio",
        question="Domanda",
        answer="Risposta",
        rating="Valutazione giusta",
        why="Perché",
    ),
}
"""By language code; a language that is not here gets the English ones."""
