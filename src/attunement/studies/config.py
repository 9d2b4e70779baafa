"""The study file: what is asked of whom, in which protocol, in which languages.

Unknown keys are errors that name the nearest known key.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, ValidationError, model_validator

from attunement.decoding import decode_yaml
from attunement.errors import UserError, nearest
from attunement.instruments import (
    Dimension,
    Instrument,
    Slug,
    Source,
    Strict,
    Words,
    load_instrument,
)
from attunement.studies.config_delphi import (
    Delphi,
    PanelThresholds,
    PanelTranslation,
    refuse_draft,
    refuse_unfit,
)
from attunement.studies.config_faults import line_of, told

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Positive = Annotated[int, Field(ge=1, le=10_000)]
"""A number of people, items or days: one digit too many is found before a disk is full."""
Few = Annotated[int, Field(ge=1, le=100)]
"""A number of things that one person does one after the other."""
Share = Annotated[float, Field(ge=0, le=1)]

LONGEST_ID = 100
"""Characters of the name of a study, a question or a chatbot."""

LOCAL = "local"
"""The name of the embedded model."""


class Consent(Strict):
    """What people agree to before anything else; a changed text is a new version."""

    version: Positive = 1
    text: Words = Field(description="paragraphs are separated by an empty line")


class Turn(Strict):
    """One turn of a conversation that is shown."""

    role: Literal["user", "assistant"] = "user"
    text: str


class Known(Strict):
    """An answer whose right ratings are known: for training, or to see who is not reading."""

    id: Slug
    turns: Annotated[tuple[Turn, ...], Field(min_length=1)]
    answer: str
    expected: dict[str, float | str | tuple[str, ...]] = Field(
        description="dimension: the right value, option or options; numbers may be one point off "
        "only where `tolerance` says so"
    )
    tolerance: Annotated[float, Field(ge=0)] = 0.0
    feedback: Words | None = Field(None, description="shown after a training item is answered")


class Rate(Strict):
    """Rate answers on an instrument, blind, in an order of one's own."""

    type: Literal["rate"]
    instrument: str = Field(description="a name in the library, or a YAML file")
    raters_per_item: Positive = 3
    items_per_rater: Positive | None = None
    raters: Positive | None = None
    repeats: Annotated[int, Field(ge=0, le=10_000)] = Field(
        0, description="own items that each rater sees again, to see how consistent they are"
    )
    attention: tuple[Known, ...] = ()
    display: Literal["one", "all"] = Field("one", description="answers of an item a screen")


class FilterChooseAnnotate(Strict):
    """Eliminate answers, choose the best of the rest, annotate the union of the choices."""

    type: Literal["filter-choose-annotate"]
    instrument: str = Field("socio-emotional", description="one with steps filter and annotate")
    raters_per_item: Positive = 2
    annotators_per_item: Positive = 3
    raters: Positive = 3
    choose: Positive = Field(3, description="most answers that a rater chooses of an item")
    annotate_items: Positive | None = Field(None, description="items that are annotated; all")


class Bot(Strict):
    """A chatbot under test: any OpenAI-compatible server."""

    model: str = Field(description="its name there, or local: the embedded model, for tryouts")
    base_url: str | None = Field(None, description="such as http://127.0.0.1:8000/v1")
    api_key_env: str | None = None
    system: str = Field("", description="its system prompt")
    temperature: Annotated[float, Field(ge=0)] | None = None
    max_tokens: Positive | None = None
    timeout_s: Annotated[float, Field(gt=0, le=600)] = Field(
        120, description="seconds after which a reply counts as failed"
    )

    @model_validator(mode="after")
    def _check_address(self) -> Self:
        if self.model == LOCAL:
            if self.base_url is not None:
                raise ValueError("the embedded model has no base_url")
        elif self.base_url is None:
            raise ValueError("base_url is missing: the address of an OpenAI-compatible server")
        elif not self.base_url.startswith(("http://", "https://")):
            raise ValueError("base_url begins with http:// or https://")
        else:
            parts = urlsplit(self.base_url)  # what is no address is a ValueError of its own
            if not parts.hostname or parts.port == 0:
                raise ValueError("base_url names no server")
            if "@" in parts.netloc or parts.query:
                raise ValueError("base_url holds a secret, which exports would hold: api_key_env")
        return self


class ChatThenRate(Strict):
    """Talk to a chatbot, then answer a questionnaire about it."""

    type: Literal["chat-then-rate"]
    instrument: str = "ces-lcc"
    bots: Annotated[dict[Annotated[Slug, Field(max_length=80)], Bot], Field(min_length=1)]
    participants: Positive = 30
    scenario: Words | None = Field(None, description="what participants are asked to talk about")
    sessions: Few = 1
    memory: Literal["kept", "fresh"] = Field(
        "fresh", description="whether a later session knows the earlier ones"
    )
    least_turns: Positive = Field(3, description="own messages before a session can be ended well")
    most_turns: Positive = 40
    not_applicable: tuple[str, ...] = Field(
        (), description='dimensions that are to offer "does not apply", such as those on memory'
    )

    @model_validator(mode="after")
    def _check_turns(self) -> Self:
        if self.least_turns > self.most_turns:
            raise ValueError("least_turns is more than most_turns")
        return self


class Write(Strict):
    """Write questions that tempt a model into a failure mode."""

    type: Literal["write"]
    instrument: str = Field("counselbench-adv", description="its dimensions are the failure modes")
    modes: tuple[str, ...] = Field((), description="dimensions of the instrument; all")
    contributors: Positive = 10
    per_mode: Few = Field(2, description="questions a contributor writes for each mode")


class Completion(Strict):
    """What people get at the end."""

    code: Annotated[str, Field(min_length=1, max_length=40)] | None = Field(
        None, description="one for all; by default each gets one of their own"
    )
    redirect: str | None = Field(None, description="an https address; {code} is replaced")


Protocol = Annotated[
    Rate | FilterChooseAnnotate | ChatThenRate | Write | Delphi, Field(discriminator="type")
]


class StudyFile(Strict):
    """A study.

    Parameters
    ----------
    id, title
        Its short name, and what participants read.
    languages
        Of interface and texts; the first is the default. The interface speaks ``en`` and ``it``.
    contact
        Whom participants can write to; shown on every page.
    consent
        The text they agree to.
    warning
        A content warning, shown before the first item.
    items, responses
        Tables beside the file, where the protocol needs them.
    background, closing
        Questions of the study's own, as dimensions of an instrument.
    training
        Items with known ratings and feedback, before the first real one.
    protocol
        What people do.
    completion
        Code and address at the end.
    closes
        The last day.
    too_fast_s
        A page that was visible for fewer seconds is flagged; by default one visible for less than
        a fifth of the median, where five people are there to compare.
    remind_after_days
        Whoever was invited, or seen, so many days ago and has not finished is due a reminder.
    country
        Which support lines are shown first (ISO 3166, such as ``IT``).
    seed
        Of assignment and orders.

    """

    schema_version: Literal[1] = 1
    id: Annotated[Slug, Field(max_length=LONGEST_ID)]
    title: Words
    languages: Annotated[tuple[Literal["en", "it"], ...], Field(min_length=1)] = ("en",)
    contact: str
    consent: Consent
    warning: Words | None = None
    items: Path | None = None
    responses: Path | None = None
    background: tuple[Dimension, ...] = ()
    training: tuple[Known, ...] = ()
    protocol: Protocol
    closing: tuple[Dimension, ...] = ()
    completion: Completion = Completion()
    closes: date | None = None
    too_fast_s: Annotated[float, Field(gt=0)] | None = None
    remind_after_days: Positive = 3
    country: Annotated[str, Field(pattern="^[A-Z]{2}$")] | None = None
    seed: Annotated[int, Field(ge=0, lt=1 << 53)] = 1

    @property
    def language(self) -> str:
        """The language that is used where none is asked for."""
        return self.languages[0]

    def questions(self, phase: Literal["background", "closing"]) -> Instrument | None:
        """Return the study's own questions as an instrument, None where there are none."""
        dimensions = self.background if phase == "background" else self.closing
        if not dimensions:
            return None
        words = dict.fromkeys(self.languages, phase)
        return Instrument(
            id=phase,
            version=1,
            title=words,
            description=words,
            unit="session",
            languages=self.languages,
            dimensions=dimensions,
            source=Source(citation=self.id),
            license="the study's own",
        )

    @model_validator(mode="after")
    def _check_words(self) -> Self:
        if len(set(self.languages)) < len(self.languages):
            raise ValueError("a language stands twice")
        said = [("title", self.title), ("consent", self.consent.text)]
        if self.warning is not None:
            said.append(("warning", self.warning))
        said += [(f"training {k.id}", k.feedback) for k in self.training if k.feedback is not None]
        if isinstance(self.protocol, ChatThenRate) and self.protocol.scenario is not None:
            said.append(("scenario", self.protocol.scenario))
        for dimension in (*self.background, *self.closing):
            said += [(dimension.id, words) for words in dimension.words()]
        for what, words in said:
            missing = [code for code in self.languages if not words.get(code, "").strip()]
            if missing:
                raise ValueError(f"{what} has no text in {missing[0]!r}")
        return self

    @model_validator(mode="after")
    def _check_panel(self) -> Self:
        if isinstance(self.protocol, Delphi):
            refuse_unfit(self.protocol, self.background, trained=bool(self.training))
        return self


def read_study(text: str, *, where: str) -> StudyFile:
    """Return the study that a YAML text describes; ``where`` is named in errors.

    Raises
    ------
    UserError
        Where the text is not YAML or not a valid study: every fault is named by its key.

    """
    try:
        raw = decode_yaml(text)
    except ValueError as error:
        raise UserError(f"not valid YAML: {error}", where=where) from None
    if odd := unstorable(raw):
        raise UserError(f"a text holds {odd!a}, which no database stores.", where=where)
    if not isinstance(raw, dict):
        raise UserError("a study file is a mapping of keys.", where=where)
    try:
        return StudyFile.model_validate(raw)
    except ValidationError as error:
        said = "; ".join(_words(e, text) for e in error.errors())
        end = "" if said.endswith("?") else "."
        raise UserError(f"not a valid study: {said}{end}", where=where) from None


def unstorable(value: object) -> str:
    """Return a character in a nested value that no database can hold; empty where there is none."""
    if isinstance(value, str):
        return next((c for c in value if c == "\x00" or "\ud800" <= c <= "\udfff"), "")
    parts: Iterable[object] = ()
    if isinstance(value, Mapping):
        parts = (*value.keys(), *value.values())
    elif isinstance(value, list | tuple):
        parts = value
    return next(filter(None, map(unstorable, parts)), "")


def _words(error: ErrorDetails, text: str) -> str:
    tags = [t.model_fields["type"].annotation.__args__[0] for t in _PROTOCOLS]  # type: ignore[union-attr]
    path = [part for part in error["loc"] if part not in tags]
    loc = [str(part) for part in path]
    key = ".".join(loc)
    line = f"line {line_of(text, path)}, " if path else ""
    if error["type"] == "extra_forbidden":
        guess = nearest(loc[-1], sorted({f for part in _PARTS for f in part.model_fields}))
        return f"{line}unknown key {key!r}" + (f", did you mean {guess!r}?" if guess else "")
    if error["type"] == "missing":
        return f"the key {key!r} is missing"
    said = told(error, path)
    return f"{line}{key}: {said}" if key else said


_PROTOCOLS: tuple[type[Strict], ...] = (Rate, FilterChooseAnnotate, ChatThenRate, Write, Delphi)
_PARTS: tuple[type[Strict], ...] = (
    *_PROTOCOLS,
    *(StudyFile, Consent, Turn, Known, Bot, PanelThresholds, PanelTranslation, Completion),
    Dimension,
)


def study_instrument(study: StudyFile, folder: Path) -> Instrument:
    """Return the instrument of the study's protocol; a file is looked for beside the study file.

    Raises
    ------
    UserError
        Where it cannot be read, or lacks a language of the study.

    """
    named = study.protocol.instrument
    instrument = load_instrument(folder / named if named.endswith((".yaml", ".yml")) else named)
    missing = [code for code in study.languages if code not in instrument.languages]
    if missing:
        raise UserError(
            f"{instrument.name} has no texts in {missing[0]!r}.",
            where="languages",
            fix=f"It speaks {', '.join(instrument.languages)}: name these, or translate a copy.",
        )
    if isinstance(study.protocol, ChatThenRate):
        return _offering(instrument, study.protocol.not_applicable)
    if isinstance(study.protocol, Delphi):
        refuse_draft(study.protocol, instrument)
    return instrument


def _offering(instrument: Instrument, ids: tuple[str, ...]) -> Instrument:
    """Return the instrument with "does not apply" among the answers of some dimensions."""
    known = [d.id for d in instrument.dimensions]
    for id in ids:
        if id not in known:
            guess = nearest(id, known)
            raise UserError(
                f"{instrument.name} has no dimension {id!r}.",
                where="protocol.not_applicable",
                fix=f"Did you mean {guess!r}?" if guess else f"It has {', '.join(known)}.",
            )
    return instrument.model_copy(
        update={
            "dimensions": tuple(
                d.model_copy(update={"scale": d.scale.model_copy(update={"not_applicable": True})})
                if d.id in ids
                else d
                for d in instrument.dimensions
            )
        }
    )
