"""The form that a rater fills in: a pure function of an instrument and a language.

`build_form` says what is on the form, `render_form` writes it as HTML with native controls, and
`attunement.instruments.answers.read_answers` reads what such a form sends.

The names of the controls: ``<dimension>`` holds the answer, ``<dimension>.status`` what is chosen
in its place where the answer is no radio button, ``<dimension>.rationale`` the reason,
``<dimension>.spans`` passages, one a line, and ``<dimension>.spans.<label>`` those with a label.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Literal

from attunement.errors import UserError
from attunement.instruments._fields import number_text
from attunement.instruments._form_html import render_form
from attunement.instruments._form_parts import (
    NONE_VALUE,
    STATUS_VALUE,
    Box,
    Choice,
    Control,
    Field,
    Form,
    Group,
    Section,
    ShownExample,
)
from attunement.instruments._scales import (
    BooleanScale,
    ChoiceScale,
    NumberScale,
    SpansScale,
    TextScale,
)
from attunement.instruments._words import WORDS, FormWords
from attunement.instruments.schema import Dimension, Example, Instrument

__all__ = [
    "MOST_BUTTONS",
    "NONE_VALUE",
    "STATUS_VALUE",
    "Box",
    "Choice",
    "Control",
    "Field",
    "Form",
    "Group",
    "Section",
    "ShownExample",
    "build_form",
    "rating_words",
    "render_form",
]

MOST_BUTTONS = 11
"""Whole-number scales with more points are typed in."""


def build_form(
    instrument: Instrument,
    language: str | None = None,
    *,
    dimensions: Sequence[str] | None = None,
    words: FormWords | None = None,
) -> Form:
    """Return the form of an instrument in a language.

    Parameters
    ----------
    instrument
        What is asked; ``instrument.step(...)`` for one step.
    language
        One of its languages; by default its first.
    dimensions
        Ask only these, such as the one failure mode that an item aims at.
    words
        The form's own words; by default those of the language, or English.

    Raises
    ------
    UserError
        Where the instrument has no such language or dimension.

    """
    language = language or instrument.language
    if language not in instrument.languages:
        raise UserError(
            f"{instrument.name} has no texts in {language!r}.",
            fix=f"It speaks {', '.join(instrument.languages)}.",
        )
    known = [d.id for d in instrument.dimensions]
    unknown = [id for id in dimensions or () if id not in known]
    if unknown:
        raise UserError(
            f"{instrument.name} has no dimension {unknown[0]!r}.", fix=f"It has {', '.join(known)}."
        )
    asked = set(known if dimensions is None else dimensions)
    said = words or WORDS.get(language, WORDS["en"])
    parts: list[tuple[str | None, str | None, tuple[str, ...]]] = [
        (s.label[language], s.instructions[language] if s.instructions else None, s.dimensions)
        for s in instrument.steps
    ]
    sections = [
        Section(
            label=label,
            instructions=hint,
            groups=_groups(instrument, [id for id in ids if id in asked], language, said),
        )
        for label, hint, ids in parts or [(None, None, tuple(known))]
    ]
    instructions = instrument.instructions
    return Form(
        instrument=instrument.name,
        language=language,
        title=instrument.title[language],
        instructions=None if instructions is None else instructions[language],
        sections=tuple(s for s in sections if s.groups),
        words=said,
    )


def _groups(
    instrument: Instrument, ids: Sequence[str], language: str, words: FormWords
) -> tuple[Group, ...]:
    headings = {
        id: subscale.label[language]
        for subscale in reversed(instrument.subscales)
        for id in subscale.dimensions
    }
    return tuple(
        Group(label, tuple(_field(instrument.dimension(id), language, words) for id in group))
        for label, group in groupby(ids, key=headings.get)
    )


def _field(dimension: Dimension, language: str, words: FormWords) -> Field:
    scale, id = dimension.scale, dimension.id
    control, choices, strip = _control(dimension, language, words)
    instead = tuple(Choice(STATUS_VALUE + s, getattr(words, s)) for s in scale.missing)
    boxes: tuple[Box, ...] = ()
    if isinstance(scale, SpansScale):
        boxes = tuple(
            Box(
                f"{id}.spans.{o.id}",
                words.label_spans.format(label=o.label[language]),
                o.label[language],
                o.id,
            )
            for o in scale.options
        )
    elif "spans" in dimension.evidence:
        boxes = (Box(f"{id}.spans", words.spans, dimension.label[language]),)
    number = scale if isinstance(scale, NumberScale) else None
    return Field(
        id=id,
        label=dimension.label[language],
        wording=dimension.wording[language],
        definition=None if dimension.definition is None else dimension.definition[language],
        examples=tuple(_example(e, dimension, language, words) for e in dimension.examples),
        control=control,
        choices=choices,
        strip=strip,
        instead=instead,
        min=number.min if number else None,
        max=number.max if number else None,
        whole=number is not None and number.type == "integer",
        required=dimension.required,
        rationale=f"{id}.rationale" if "rationale" in dimension.evidence else None,
        boxes=boxes,
    )


def _control(
    dimension: Dimension, language: str, words: FormWords
) -> tuple[Control, tuple[Choice, ...], bool]:
    scale = dimension.scale
    if isinstance(scale, BooleanScale):
        said = _yes_and_no(scale, language, words)
        return "radio", tuple(Choice(str(v), label) for v, label in said.items()), False
    if isinstance(scale, ChoiceScale):
        options = tuple(Choice(o.id, o.label[language]) for o in scale.options)
        if scale.type == "choice":
            return "radio", options, False
        return "checkbox", (*options, Choice(NONE_VALUE, words.none)), False
    if isinstance(scale, SpansScale):
        return "spans", (Choice(NONE_VALUE, words.none),), False
    if isinstance(scale, TextScale):
        return "text", (), False
    if scale.type == "number" or scale.max - scale.min >= MOST_BUTTONS:
        return "number", (), False
    points = range(int(scale.min), int(scale.max) + 1)
    hints = {v: words_[language] for v, words_ in scale.anchors.items()}
    strip = not all(float(v) in hints for v in points)
    return "radio", tuple(Choice(str(v), str(v), hints.get(v, "")) for v in points), strip


def _yes_and_no(scale: BooleanScale, language: str, words: FormWords) -> dict[Literal[0, 1], str]:
    plain: dict[Literal[0, 1], str] = {1: words.yes, 0: words.no}
    return {v: scale.anchors[v][language] if v in scale.anchors else plain[v] for v in plain}


def _example(
    example: Example, dimension: Dimension, language: str, words: FormWords
) -> ShownExample:
    return ShownExample(
        question=None if example.question is None else example.question[language],
        answer=example.answer[language],
        rating=rating_words(example.rating, dimension, language, words),
        why=example.why[language],
    )


def rating_words(
    rating: float | str | tuple[str, ...], dimension: Dimension, language: str, words: FormWords
) -> str:
    """Return a rating as a rater would read it: the label of an option, yes, or a number."""
    scale = dimension.scale
    if isinstance(scale, BooleanScale):
        return _yes_and_no(scale, language, words)[1 if rating == 1 else 0]
    if isinstance(rating, float):
        return number_text(rating)
    if isinstance(scale, ChoiceScale | SpansScale):
        labels = {o.id: o.label[language] for o in scale.options}
        chosen = rating if isinstance(rating, tuple) else (rating,)
        return ", ".join(labels[c] for c in chosen) or words.none
    return rating if isinstance(rating, str) else ", ".join(rating)
