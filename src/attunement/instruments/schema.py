"""What an instrument is: the schema of its YAML file.

From one file come the judge's prompt and answer schema, the form that people fill in, the codebook
and the level of the analysis. Every model is strict: a key that the schema does not know is an
error that names the nearest one it does.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from attunement.errors import did_you_mean
from attunement.instruments._columns import KEYS, columns_of
from attunement.instruments._fields import (
    Address,
    Language,
    Readable,
    Slug,
    Version,
    Words,
    refuse_twice,
)
from attunement.instruments._judge import JudgeSection
from attunement.instruments._scales import (
    BooleanScale,
    ChoiceScale,
    NumberScale,
    Scale,
    SpansScale,
    Strict,
)

SCHEMA_VERSION: Literal[1] = 1
"""Of the keys that a file may have; a release reads the files of its own version."""


class Example(Strict):
    """A worked example: an answer, how it is to be rated, and why.

    Parameters
    ----------
    question
        What the answer answers, where that matters.
    answer
        The answer that is rated.
    rating
        The right rating: a number (1 and 0 for yes and no), an option's id, or a list of them.
    why
        What decides.

    """

    question: Words | None = None
    answer: Words
    rating: float | str | tuple[str, ...]
    why: Words

    def words(self) -> list[Words]:
        """Return every text of the example."""
        return [words for words in (self.question, self.answer, self.why) if words is not None]


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
    examples
        Worked examples, shown to people and to judges.
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
    examples: tuple[Example, ...] = ()
    scale: Scale
    evidence: tuple[Literal["rationale", "spans"], ...] = ()
    required: bool = True
    reversed: bool = False
    priority: Readable | None = None

    def words(self) -> list[Words]:
        """Return every text of the dimension, anchors and options included."""
        said = [self.label, self.wording]
        if self.definition is not None:
            said.append(self.definition)
        if isinstance(self.scale, NumberScale | BooleanScale):
            said += self.scale.anchors.values()
        elif isinstance(self.scale, ChoiceScale | SpansScale):
            said += [option.label for option in self.scale.options]
        return said + [words for example in self.examples for words in example.words()]

    @model_validator(mode="after")
    def _check(self) -> Self:
        refuse_twice("evidence", list(self.evidence))
        for example in self.examples:
            if not _fits(example.rating, self.scale):
                raise ValueError(
                    f"the rating {example.rating!r} of an example of {self.id!r} "
                    "is not on the dimension's scale"
                )
        return self


def _fits(rating: float | str | tuple[str, ...], scale: Scale) -> bool:
    if isinstance(scale, NumberScale):
        if not isinstance(rating, float) or not scale.min <= rating <= scale.max:
            return False
        return scale.type == "number" or rating.is_integer()
    if isinstance(scale, BooleanScale):
        return rating in (0, 1)
    if isinstance(scale, ChoiceScale | SpansScale):
        several = isinstance(rating, tuple)
        chosen = rating if isinstance(rating, tuple) else (rating,)
        if several and scale.type == "choice":
            return False
        return all(c in [o.id for o in scale.options] for c in chosen)
    return isinstance(rating, str)


class Subscale(Strict):
    """Dimensions that are scored together.

    Parameters
    ----------
    id
        The name in results.
    label
        A name to show; the form has it as a heading.
    dimensions
        The ids of its dimensions.

    """

    id: Slug
    label: Words
    dimensions: Annotated[tuple[str, ...], Field(min_length=1)]


class Step(Strict):
    """Dimensions that are asked together, where an instrument is not asked all at once.

    Parameters
    ----------
    id
        The name, written behind the instrument's as in ``socio-emotional:filter``.
    label
        A name to show.
    instructions
        What raters read first in this step; by default the instrument's own.
    dimensions
        The ids of its dimensions.

    """

    id: Slug
    label: Words
    instructions: Words | None = None
    dimensions: Annotated[tuple[str, ...], Field(min_length=1)]


class Source(Strict):
    """Where the instrument comes from.

    Parameters
    ----------
    citation
        Who is to be cited.
    url
        Where it can be read.
    note
        What in the file is theirs word for word, and what is not.

    """

    citation: Readable
    url: Address | None = None
    note: Readable | None = None


class Instrument(Strict):
    """A named, versioned set of dimensions and everything that is needed to have them rated.

    Parameters
    ----------
    schema_version
        The version of these keys.
    id
        The name in tables, as ``id@version``.
    version
        A changed wording is a new version.
    title
        A name to show.
    description
        What it is, for whoever chooses it.
    instructions
        What raters read before the first question.
    caution
        What has to be known before its numbers are used, such as that it was never validated.
    unit
        What is rated.
    languages
        The codes that every text has to have; the first is used where none is asked for.
    dimensions
        What is asked.
    subscales
        Dimensions that are scored together.
    steps
        Dimensions that are asked together, where not all are asked at once: each stands in one.
    source
        Where it comes from.
    license
        On what terms the wording may be used.
    judge
        How a language model is asked; a plain way is used where it is left out.

    """

    schema_version: Literal[1] = 1
    id: Slug
    version: Version
    title: Words
    description: Words
    instructions: Words | None = None
    caution: Words | None = None
    unit: Literal["item", "response", "conversation", "session"]
    languages: Annotated[tuple[Language, ...], Field(min_length=1)] = ("en",)
    dimensions: Annotated[tuple[Dimension, ...], Field(min_length=1)]
    subscales: tuple[Subscale, ...] = ()
    steps: tuple[Step, ...] = ()
    source: Source
    license: Readable
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

    def step(self, id: str) -> Instrument:
        """Return the instrument with the dimensions of one step only.

        Its name stays the same: the ratings of all steps belong to one instrument.

        Raises
        ------
        KeyError
            Where there is no such step.

        """
        for step in self.steps:
            if step.id == id:
                break
        else:
            raise KeyError(id)
        kept = {
            s.id: tuple(d for d in s.dimensions if d in step.dimensions) for s in self.subscales
        }
        return self.model_copy(
            update={
                "dimensions": tuple(self.dimension(d) for d in step.dimensions),
                "subscales": tuple(
                    s.model_copy(update={"dimensions": kept[s.id]})
                    for s in self.subscales
                    if kept[s.id]
                ),
                "steps": (),
                "instructions": step.instructions or self.instructions,
            }
        )

    @model_validator(mode="after")
    def _check(self) -> Self:
        ids = [d.id for d in self.dimensions]
        refuse_twice("dimension", ids)
        refuse_twice("column", [*KEYS, *(name for d in self.dimensions for name in columns_of(d))])
        refuse_twice("language", list(self.languages))
        refuse_twice("subscale", [s.id for s in self.subscales])
        for subscale in self.subscales:
            refuse_twice(f"dimension of the subscale {subscale.id!r},", list(subscale.dimensions))
            for id in subscale.dimensions:
                _refuse_unknown(f"subscale {subscale.id!r}", id, ids)
        self._check_steps(ids)
        for where, words in self._words():
            missing = [code for code in self.languages if code not in words]
            extra = [code for code in words if code not in self.languages]
            if missing:
                raise ValueError(f"{where} has no text in {', '.join(map(repr, missing))}")
            if extra:
                raise ValueError(
                    f"{where} has a text in {extra[0]!r}, which 'languages' lacks: delete it, or "
                    "add the language"
                )
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

    def _check_steps(self, ids: list[str]) -> None:
        refuse_twice("step", [s.id for s in self.steps])
        asked = [id for step in self.steps for id in step.dimensions]
        for step in self.steps:
            for id in step.dimensions:
                _refuse_unknown(f"step {step.id!r}", id, ids)
        refuse_twice("dimension of a step", asked)
        left = [id for id in ids if id not in asked] if self.steps else []
        if left:
            raise ValueError(f"{left[0]!r} stands in no step")

    def _words(self) -> list[tuple[str, Words]]:
        said = [("title", self.title), ("description", self.description)]
        said += [("instructions", self.instructions)] if self.instructions else []
        said += [("caution", self.caution)] if self.caution else []
        said += [(f"dimension {d.id!r}", w) for d in self.dimensions for w in d.words()]
        said += [(f"subscale {s.id!r}", s.label) for s in self.subscales]
        for step in self.steps:
            said += [(f"step {step.id!r}", w) for w in (step.label, step.instructions) if w]
        return said


def _refuse_unknown(where: str, id: str, known: list[str]) -> None:
    if id not in known:
        hint = did_you_mean(id, known, "")
        raise ValueError(f"{where} names {id!r}, which is no dimension{hint}")
