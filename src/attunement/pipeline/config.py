"""The file that ``attunement run`` reads: data, models, metrics, judges and report.

Unknown keys are errors that name the nearest known key.
"""

from __future__ import annotations

import reprlib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from attunement.decoding import decode_yaml
from attunement.errors import UserError, nearest


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Data(_Part):
    """Where the questions come from."""

    source: str = Field(description="a name of `attunement data list`, or hub:OWNER/NAME")
    path: Path | None = Field(None, description="the file, relative to the study file")
    map: dict[str, str] = Field(default_factory=dict, description="our column: the file's column")
    topics: list[str] | None = Field(None, description="keep these topics only")
    limit: Annotated[int, Field(ge=1)] | None = Field(None, description="keep this many items")
    seed: Annotated[int, Field(ge=0)] = Field(
        1, description="breaks ties and draws the items that are kept"
    )


class Model(_Part):
    """A language model that answers or judges."""

    model: str = Field(
        description="a model as Inspect AI names it, openai-api/SERVER/NAME with base_url, or local"
    )
    name: str | None = Field(None, description="how it is called in tables; by default the model")
    base_url: str | None = Field(None, description="an OpenAI-compatible server")
    api_key_env: str | None = Field(None, description="the environment variable with the key")
    temperature: Annotated[float, Field(ge=0)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    connections: Annotated[int, Field(ge=1)] = Field(10, description="calls at once")
    price_in: float | None = Field(None, description="USD per million tokens in")
    price_out: float | None = Field(None, description="USD per million tokens out")


class Generate(_Part):
    """How the models are asked."""

    system: str = Field("counselor", description="a preset, or @FILE")
    words: Annotated[int, Field(ge=1)] | None = Field(None, description="word limit of an answer")
    candidates: Annotated[int, Field(ge=1)] = 1
    limit: Annotated[int, Field(ge=1)] | None = Field(
        None, description="ask for this many items only"
    )


class Score(_Part):
    """Which automatic metrics."""

    metrics: list[str] | None = Field(None, description="by default those of *nuance*")


class Judge(Model):
    """A model that rates answers on an instrument."""

    instrument: str | None = Field(
        None,
        description="a name or a YAML file; by default nuance-judges, or nuance-judges-paper where "
        "the variant is paper",
    )
    repeats: Annotated[int, Field(ge=1)] = 1
    subset: Annotated[int, Field(ge=1)] | None = Field(
        None, description="judge this many items only, spread over the topics"
    )


class Analyze(_Part):
    """How the statistics are made."""

    replicates: Annotated[int, Field(ge=100)] = 2000
    seed: Annotated[int, Field(ge=0)] = 1


class Report(_Part):
    """How the page is titled."""

    title: str | None = None


class Study(_Part):
    """A whole study file."""

    name: str
    data: Data
    responses: list[Path] = Field(
        default_factory=list, description="tables of answers that exist already"
    )
    models: list[Model] = Field(default_factory=list)
    generate: Generate = Field(default_factory=Generate)
    score: Score = Field(default_factory=Score)
    judges: list[Judge] = Field(default_factory=list)
    analyze: Analyze = Field(default_factory=Analyze)
    report: Report = Field(default_factory=Report)
    variant: Literal["standard", "paper"] = "standard"


def load_study(path: str | Path) -> Study:
    """Read and check a study file; paths in it are taken relative to its folder.

    Raises
    ------
    UserError
        Where the file is missing, is not YAML, has an unknown key or a value that does not fit.
    """
    file = Path(path)
    if not file.is_file():
        raise UserError("no such study file.", where=str(path))
    try:
        raw = decode_yaml(file.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError:
        raise UserError("the file is not UTF-8.", where=str(path)) from None
    except ValueError as error:
        raise UserError(f"not valid YAML: {error}", where=str(path)) from None
    if not isinstance(raw, dict):
        raise UserError("a study file is a mapping of keys.", where=str(path))
    try:
        study = Study.model_validate(raw)
    except ValidationError as error:
        raise _explain(error, str(path)) from None
    return _resolve(study, file.parent)


def _resolve(study: Study, folder: Path) -> Study:
    data = study.data
    if data.path is not None:
        data = data.model_copy(update={"path": folder / data.path})
    return study.model_copy(
        update={"data": data, "responses": [folder / p for p in study.responses]}
    )


def _explain(error: ValidationError, where: str) -> UserError:
    # A misspelled key is both unknown and missing; the first of these says how to mend it.
    first = min(error.errors(), key=lambda e: e["type"] != "extra_forbidden")
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        known = _known_keys(first["loc"])
        guess = nearest(str(first["loc"][-1]), known)
        return UserError(
            f"unknown key {key!r}.",
            where=where,
            fix=f"Did you mean {guess!r}?" if guess else f"Known here: {', '.join(known)}.",
        )
    if first["type"] == "missing":
        return UserError(f"the key {key!r} is missing.", where=where)
    return UserError(f"{key}: {first['msg']}, not {reprlib.repr(first['input'])}.", where=where)


def _known_keys(location: tuple[Any, ...]) -> list[str]:
    part: type[BaseModel] = Study
    parts: dict[str, type[BaseModel]] = {
        "data": Data,
        "models": Model,
        "generate": Generate,
        "score": Score,
        "judges": Judge,
        "analyze": Analyze,
        "report": Report,
    }
    if len(location) > 1:
        part = parts.get(str(location[0]), Study)
    return list(part.model_fields)
