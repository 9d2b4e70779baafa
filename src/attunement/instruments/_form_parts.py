"""What a form is made of, from the buttons to the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from attunement.instruments._words import FormWords

Control = Literal["radio", "checkbox", "number", "text", "spans"]

STATUS_VALUE = "status:"
"""Begins the value of a control that stands for a status; no id of an option can begin so."""

NONE_VALUE = "none:"
"""The value of "none of these": an empty set is an answer, and no answer is not."""


@dataclass(frozen=True)
class Choice:
    """One radio button or check box.

    Parameters
    ----------
    value
        What the form sends.
    label
        What it says.
    hint
        The anchor of a number; empty where there is none.

    """

    value: str
    label: str
    hint: str = ""


@dataclass(frozen=True)
class Box:
    """A box for passages.

    Parameters
    ----------
    name
        Its control's.
    label
        What it says.
    title
        What its passages are for, in a word or two: the dimension, or their label.
    span_label
        The label that its passages get, if any.

    """

    name: str
    label: str
    title: str
    span_label: str | None = None


@dataclass(frozen=True)
class ShownExample:
    """A worked example in one language."""

    question: str | None
    answer: str
    rating: str
    why: str


@dataclass(frozen=True)
class Field:
    """One dimension on the form.

    Parameters
    ----------
    id
        The dimension's id, which is the control's name.
    label, wording, definition, examples
        Its texts in the form's language.
    control
        ``radio``, ``checkbox``, ``number``, ``text`` or ``spans``.
    choices
        The buttons or boxes of ``radio`` and ``checkbox``.
    strip
        Whether the buttons stand in a row with anchors below, as numbers do.
    instead
        What is offered in place of an answer.
    min, max
        The ends of ``number``.
    whole
        Whether ``number`` takes whole numbers only.
    required
        Whether it has to be answered.
    rationale
        The name of the box for a reason; None where none is asked for.
    boxes
        The boxes for passages.

    """

    id: str
    label: str
    wording: str
    definition: str | None
    examples: tuple[ShownExample, ...]
    control: Control
    choices: tuple[Choice, ...]
    strip: bool
    instead: tuple[Choice, ...]
    min: float | None
    max: float | None
    whole: bool
    required: bool
    rationale: str | None
    boxes: tuple[Box, ...]


@dataclass(frozen=True)
class Group:
    """Fields under one heading, a subscale's; None where they have none."""

    label: str | None
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Section:
    """A step of the instrument, or all of it: then there is no label."""

    label: str | None
    instructions: str | None
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class Form:
    """An instrument in one language, ready to be shown.

    Parameters
    ----------
    instrument
        Its id and version, as the ratings table has it.
    language
        The language code of all texts.
    title, instructions
        Its texts.
    sections
        What is asked, in order.
    words
        The form's own words.

    """

    instrument: str
    language: str
    title: str
    instructions: str | None
    sections: tuple[Section, ...]
    words: FormWords

    @property
    def fields(self) -> tuple[Field, ...]:
        """All fields in order."""
        return tuple(f for s in self.sections for g in s.groups for f in g.fields)
