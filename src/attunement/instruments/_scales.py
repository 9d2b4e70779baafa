"""How a dimension is answered: the kinds of scale, and what all of them share."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from attunement.instruments._fields import Number, Slug, Words, number_text, refuse_twice

Better = Literal["higher", "lower", "neither"]

Level = Literal["nominal", "ordinal", "interval", "set", "spans", "text"]
"""The level of measurement: which statistics make sense."""


class Strict(BaseModel):
    """A model that refuses unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class _Answerable(Strict):
    not_sure: bool = False
    not_applicable: bool = False

    @property
    def missing(self) -> tuple[str, ...]:
        """The statuses that a rater may choose in place of an answer."""
        offered = {"not_sure": self.not_sure, "not_applicable": self.not_applicable}
        return tuple(status for status, is_offered in offered.items() if is_offered)


class NumberScale(_Answerable):
    """A number between two ends.

    Parameters
    ----------
    type
        ``integer`` for whole numbers, such as a five-point scale; ``number`` for any.
    min, max
        The ends, both included.
    anchors
        What a value means, by value; not every value needs one.
    better
        Which end is better: ``higher``, ``lower`` or ``neither``.
    not_sure
        Whether "I am not sure" is offered; such a rating has no value and a status that says so.
    not_applicable
        Whether "does not apply" is offered, for questions that some units cannot answer.

    """

    type: Literal["integer", "number"]
    min: Number
    max: Number
    anchors: dict[Number, Words] = {}
    better: Better

    @property
    def level(self) -> Level:
        """Whole numbers are ordered categories; any number is taken as interval."""
        return "ordinal" if self.type == "integer" else "interval"

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.min >= self.max:
            ends = f"min {number_text(self.min)} is not below max {number_text(self.max)}"
            raise ValueError(ends)
        if self.type == "integer" and not (self.min.is_integer() and self.max.is_integer()):
            raise ValueError("an integer scale has whole numbers as min and max")
        for value in self.anchors:
            if not self.min <= value <= self.max:
                ends = f"{number_text(self.min)} to {number_text(self.max)}"
                raise ValueError(f"the anchor {number_text(value)} is outside {ends}")
        return self

    @field_validator("anchors", mode="before")
    @classmethod
    def _once(cls, given: Any) -> Any:
        return _refuse_same_keys(given)


class BooleanScale(_Answerable):
    """Yes or no, written to tables as 1 and 0.

    Parameters
    ----------
    type
        ``boolean``.
    anchors
        What 1 and 0 mean, where yes and no do not say it.
    better
        Which end is better: ``higher`` (yes), ``lower`` (no) or ``neither``.
    not_sure
        Whether "I am not sure" is offered; such a rating has no value and a status that says so.
    not_applicable
        Whether "does not apply" is offered, for questions that some units cannot answer.

    """

    type: Literal["boolean"]
    anchors: dict[Literal[0, 1], Words] = {}
    better: Better

    @field_validator("anchors", mode="before")
    @classmethod
    def _once(cls, given: Any) -> Any:
        return _refuse_same_keys(given)

    @property
    def level(self) -> Level:
        """Two categories."""
        return "nominal"


class Option(Strict):
    """One answer of a choice, or one label of spans.

    Parameters
    ----------
    id
        The word that the ratings table holds.
    label
        What raters read.
    value
        The option's number, where the options are ordered.

    """

    id: Slug
    label: Words
    value: Number | None = None


class ChoiceScale(_Answerable):
    """One (``choice``) or any number (``multi``) of named options.

    Parameters
    ----------
    type
        ``choice`` or ``multi``. In ``multi`` "none of these" is an answer too.
    options
        What can be chosen.
    better
        Which end is better, where the options are ordered.
    not_sure
        Whether "I am not sure" is offered; such a rating has no value and a status that says so.
    not_applicable
        Whether "does not apply" is offered, for questions that some units cannot answer.

    """

    type: Literal["choice", "multi"]
    options: Annotated[tuple[Option, ...], Field(min_length=2)]
    better: Better = "neither"

    @property
    def level(self) -> Level:
        """Ordered where every option has a number; a ``multi`` answer is a set."""
        if self.type == "multi":
            return "set"
        return "nominal" if any(o.value is None for o in self.options) else "ordinal"

    @model_validator(mode="after")
    def _check(self) -> Self:
        refuse_twice("option", [o.id for o in self.options])
        return self


class SpansScale(_Answerable):
    """Parts of the rated text, each with one of the options as its label.

    Parameters
    ----------
    type
        ``spans``.
    options
        The labels that a span can have.
    better
        Always ``neither``: no label is better than another.
    not_sure
        Whether "I am not sure" is offered; such a rating has no value and a status that says so.
    not_applicable
        Whether "does not apply" is offered, for questions that some units cannot answer.

    """

    type: Literal["spans"]
    options: Annotated[tuple[Option, ...], Field(min_length=1)]
    better: Literal["neither"] = "neither"

    @property
    def level(self) -> Level:
        """Labeled stretches of text, compared by their tokens."""
        return "spans"

    @model_validator(mode="after")
    def _check(self) -> Self:
        refuse_twice("option", [o.id for o in self.options])
        return self


class TextScale(_Answerable):
    """Free text.

    Parameters
    ----------
    type
        ``text``.
    better
        Always ``neither``.
    not_sure
        Whether "I am not sure" is offered; such a rating has no value and a status that says so.
    not_applicable
        Whether "does not apply" is offered, for questions that some units cannot answer.

    """

    type: Literal["text"]
    better: Literal["neither"] = "neither"

    @property
    def level(self) -> Level:
        """Words, which are read or coded and not averaged."""
        return "text"


Scale = Annotated[
    NumberScale | BooleanScale | ChoiceScale | SpansScale | TextScale,
    Field(discriminator="type"),
]


def _refuse_same_keys(given: Any) -> Any:
    """Refuse ``1`` beside ``"1"``, of which only the last would be kept."""
    if isinstance(given, dict):
        refuse_twice("anchor", [str(key) for key in given])
    return given
