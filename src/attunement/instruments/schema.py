"""What an instrument is: the schema of its YAML file.

From one file come the judge's prompt and answer schema, the form that people fill in, the codebook
and the level of the analysis. Every model is strict: a key that the schema does not know is an
error that names the nearest one it does.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from attunement.errors import nearest

Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+([-_][a-z0-9]+)*$")]
"""A name for files and tables: lower-case letters and digits, joined by ``-`` or ``_``."""

Words = Annotated[dict[str, str], Field(min_length=1)]
"""A text in each language, by language code: ``{"en": "...", "it": "..."}``."""

Better = Literal["higher", "lower", "neither"]


class Strict(BaseModel):
    """A model that refuses unknown keys and names the nearest known one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys(cls, data: Any) -> Any:
        if isinstance(data, dict):
            for key in data:
                if key not in cls.model_fields:
                    guess = nearest(str(key), list(cls.model_fields))
                    hint = (
                        f"did you mean {guess!r}?"
                        if guess
                        else "known: " + ", ".join(cls.model_fields)
                    )
                    raise ValueError(f"unknown key {key!r}; {hint}")
        return data


class NumberScale(Strict):
    """A number between two ends, both included; ``anchors`` say what a value means."""

    type: Literal["integer", "number"]
    min: float
    max: float
    anchors: dict[float, Words] = {}
    better: Better
    not_sure: bool = False

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.min >= self.max:
            raise ValueError(f"min {self.min:g} is not below max {self.max:g}")
        if self.type == "integer" and not (self.min.is_integer() and self.max.is_integer()):
            raise ValueError("an integer scale has whole numbers as min and max")
        for value in self.anchors:
            if not self.min <= value <= self.max:
                raise ValueError(f"the anchor {value:g} is outside {self.min:g} to {self.max:g}")
        return self


class BooleanScale(Strict):
    """Yes or no, written to tables as 1 and 0; ``anchors`` may say what each means."""

    type: Literal["boolean"]
    anchors: dict[Literal[0, 1], Words] = {}
    better: Better
    not_sure: bool = False


class Option(Strict):
    """One answer of a choice; ``value`` is its number where the options are ordered."""

    id: Slug
    label: Words
    value: float | None = None


class ChoiceScale(Strict):
    """One (``choice``) or any number (``multi``) of named options."""

    type: Literal["choice", "multi"]
    options: Annotated[tuple[Option, ...], Field(min_length=2)]
    better: Better = "neither"
    not_sure: bool = False

    @model_validator(mode="after")
    def _check(self) -> Self:
        _refuse_twice("option", [o.id for o in self.options])
        return self


class TextScale(Strict):
    """Free text."""

    type: Literal["text"]
    better: Literal["neither"] = "neither"
    not_sure: bool = False


Scale = Annotated[NumberScale | BooleanScale | ChoiceScale | TextScale, Field(discriminator="type")]


class Dimension(Strict):
    """One thing that is rated.

    Parameters
    ----------
    id
        The name in the ratings table.
    label
        A short name to show.
    wording
        The question that the rater answers.
    definition
        What the dimension means, for raters who need more than the question.
    scale
        How it is answered, and which end is better.
    evidence
        What is wanted beside the answer: a ``rationale`` in words, ``spans`` of the rated text.
    required
        Whether a rater has to answer it.
    reversed
        Whether a high answer means little of what the subscale measures.
    priority
        How much it matters to the instrument's authors, in their own words or letters.

    """

    id: Slug
    label: Words
    wording: Words
    definition: Words | None = None
    scale: Scale
    evidence: tuple[Literal["rationale", "spans"], ...] = ()
    required: bool = True
    reversed: bool = False
    priority: str | None = None

    def words(self) -> list[Words]:
        """Return every text of the dimension, anchors and options included."""
        said = [self.label, self.wording]
        if self.definition is not None:
            said.append(self.definition)
        if isinstance(self.scale, NumberScale | BooleanScale):
            said += self.scale.anchors.values()
        elif isinstance(self.scale, ChoiceScale):
            said += [option.label for option in self.scale.options]
        return said


class Subscale(Strict):
    """Dimensions that are scored together."""

    id: Slug
    label: Words
    dimensions: Annotated[tuple[str, ...], Field(min_length=1)]


class Source(Strict):
    """Where the instrument comes from: who is to be cited, and what is theirs in the file."""

    citation: str
    url: str | None = None
    note: str | None = None


class JudgeSection(Strict):
    """How a language model is asked.

    Parameters
    ----------
    system
        The system message. With the ``delimited`` style a sentence on the markers is added to it.
    style
        ``delimited``: the prompt is made from the dimensions, and what is judged stands between
        markers that its text cannot forge. ``appended``: a prompt from ``prompts``, then question
        and response, with nothing between them that would tell them apart.
    reply
        What the model answers: a ``json`` object with the rationale before the score, or a bare
        ``number``.
    per
        One call an ``answer`` for all dimensions, or one a ``dimension``.
    task
        The prompt's first sentence (``delimited``).
    prompts
        The prompt of each dimension (``appended``).
    rationale_chars
        Longest rationale in characters: short ones are quick and cheap.

    """

    system: str
    style: Literal["delimited", "appended"] = "delimited"
    reply: Literal["json", "number"] = "json"
    per: Literal["answer", "dimension"] = "answer"
    task: str | None = None
    prompts: dict[str, str] = {}
    rationale_chars: Annotated[int, Field(ge=20)] = 200

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.style == "delimited" and self.task is None:
            raise ValueError("the style 'delimited' needs a 'task'")
        if self.style == "delimited" and self.prompts:
            raise ValueError("'prompts' belong to the style 'appended'")
        if self.reply == "number" and self.per == "answer":
            raise ValueError("the reply 'number' needs per: dimension")
        if self.style == "appended" and self.per == "answer":
            raise ValueError("the style 'appended' needs per: dimension")
        return self


class Instrument(Strict):
    """A named, versioned set of dimensions and everything that is needed to have them rated."""

    id: Slug
    version: Annotated[int, Field(ge=1)]
    title: Words
    description: Words
    unit: Literal["item", "response", "conversation", "session"]
    languages: Annotated[tuple[str, ...], Field(min_length=1)] = ("en",)
    dimensions: Annotated[tuple[Dimension, ...], Field(min_length=1)]
    subscales: tuple[Subscale, ...] = ()
    source: Source
    license: str
    judge: JudgeSection | None = None

    @property
    def name(self) -> str:
        """The id with its version, as the ratings table has it: ``nuance-judges@1``."""
        return f"{self.id}@{self.version}"

    @property
    def language(self) -> str:
        """The language that is used where none is asked for: the first."""
        return self.languages[0]

    def dimension(self, id: str) -> Dimension:
        """Return the dimension called ``id``.

        Raises
        ------
        KeyError
            Where there is none.

        """
        for dimension in self.dimensions:
            if dimension.id == id:
                return dimension
        raise KeyError(id)

    @model_validator(mode="after")
    def _check(self) -> Self:
        ids = [d.id for d in self.dimensions]
        _refuse_twice("dimension", ids)
        _refuse_twice("subscale", [s.id for s in self.subscales])
        for subscale in self.subscales:
            for id in subscale.dimensions:
                _refuse_unknown(f"subscale {subscale.id!r}", id, ids)
        for where, words in self._words():
            missing = [code for code in self.languages if code not in words]
            extra = [code for code in words if code not in self.languages]
            if missing:
                raise ValueError(f"{where} has no text in {', '.join(missing)}")
            if extra:
                raise ValueError(f"{where} has a text in {extra[0]!r}, which 'languages' lacks")
        if self.judge is not None and self.judge.style == "appended":
            for id in self.judge.prompts:
                _refuse_unknown("judge.prompts", id, ids)
            for id in ids:
                if id not in self.judge.prompts:
                    raise ValueError(f"judge.prompts has no prompt for {id!r}")
        if self.judge is not None and self.judge.reply == "number":
            for dimension in self.dimensions:
                if not isinstance(dimension.scale, NumberScale):
                    raise ValueError(f"{dimension.id!r} is not a number, as the judge's reply is")
        return self

    def _words(self) -> list[tuple[str, Words]]:
        said = [("title", self.title), ("description", self.description)]
        said += [(f"dimension {d.id!r}", w) for d in self.dimensions for w in d.words()]
        return said + [(f"subscale {s.id!r}", s.label) for s in self.subscales]


def _refuse_twice(what: str, ids: list[str]) -> None:
    twice = sorted({id for id in ids if ids.count(id) > 1})
    if twice:
        raise ValueError(f"the {what} {twice[0]!r} stands there twice")


def _refuse_unknown(where: str, id: str, known: list[str]) -> None:
    if id not in known:
        guess = nearest(id, known)
        hint = f"; did you mean {guess!r}?" if guess else ""
        raise ValueError(f"{where} names {id!r}, which is no dimension{hint}")
