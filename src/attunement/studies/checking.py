"""What is wrong with a study, all of it at once, before anybody is asked anything."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

import polars as pl
from pydantic import ValidationError

from attunement import tables
from attunement.errors import UserError
from attunement.instruments import Dimension, Instrument, load_instrument
from attunement.instruments._reasons import reason
from attunement.studies.config import (
    LONGEST_ID,
    FilterChooseAnnotate,
    Known,
    Rate,
    StudyFile,
    read_study,
    unstorable,
)

MOST_OF_A_KIND = 10
"""Problems of one table that are named; the rest is counted."""


MOST_BYTES = 5_000_000
LONGEST = {
    "item_id": 180,
    "response_id": 180,
    "topic": 200,
    "failure_mode": 100,
    "lang": 20,
}
"""Characters of a table's columns that the database takes."""
TAKEN = (
    *("language", "arm", "consent_version", "consented_at", "started_at", "finished_at"),
    *("left", "checks", "checks_failed", "minutes"),
)
"""What the table of raters says of everybody: no question can have such an id."""


@dataclass
class Found:
    """What was found.

    Parameters
    ----------
    problems
        With these the study cannot begin.
    warnings
        With these it can, and they should be thought about.
    study
        None where the file cannot be read.

    """

    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    study: StudyFile | None = None


def check_files(file: Path, *, today: date | None = None) -> Found:
    """Look at a study's file, its instrument and its tables.

    Parameters
    ----------
    file
        The study file; tables and instruments are looked for beside it.
    today
        To hold the closing date against; by default the day it is.

    """
    found = Found()
    try:
        study = read_study(read_text(file), where=str(file))
    except UserError as error:
        found.problems.append(str(error))
        return found
    found.study = study
    instrument = _instrument(study, file.parent, found)
    _check_words(study, found)
    _check_tables(study, file.parent, found)
    if instrument is not None:
        known: tuple[Known, ...] = getattr(study.protocol, "attention", ())
        _check_known(study.training, "training", instrument, found)
        _check_known(known, "attention", instrument, found)
    if study.closes is not None and study.closes < (today or datetime.now(UTC).date()):
        found.problems.append(f"closes: {study.closes} has passed.")
    redirect = study.completion.redirect
    if redirect is not None and not redirect.startswith("https://"):
        found.problems.append("completion.redirect: not an https address.")
    return found


def read_text(file: Path) -> str:
    """Return a study file's text.

    Raises
    ------
    UserError
        Where there is no such file, or it is not UTF-8.

    """
    if not file.is_file():
        raise UserError("no such file.", where=str(file), fix="Check the path.")
    if file.stat().st_size > MOST_BYTES:
        raise UserError(
            "too large for a study file.",
            where=str(file),
            fix="Items and answers are tables beside it.",
        )
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"not UTF-8: {error.reason}.", where=str(file)) from None


def _instrument(study: StudyFile, folder: Path, found: Found) -> Instrument | None:
    named = study.protocol.instrument
    is_file = named.endswith((".yaml", ".yml"))
    try:
        instrument = load_instrument(folder / named if is_file else named)
    except UserError as error:
        found.problems.append(f"protocol.instrument: {error}")
        return None
    missing = [code for code in study.languages if code not in instrument.languages]
    if missing:
        found.problems.append(
            f"languages: {instrument.name} has no texts in {', '.join(missing)}; "
            f"it speaks {', '.join(instrument.languages)}."
        )
    found.problems += _too_long("protocol.instrument", instrument)
    if isinstance(study.protocol, FilterChooseAnnotate):
        steps = {step.id for step in instrument.steps}
        lacking = [step for step in ("filter", "annotate") if step not in steps]
        found.problems += [
            f"protocol.instrument: {instrument.name} has no step {step!r}." for step in lacking
        ]
    return instrument


def _check_words(study: StudyFile, found: Found) -> None:
    asked: set[str] = set()
    for phase in ("background", "closing"):
        try:
            questions = study.questions(phase)
        except ValidationError as error:
            found.problems += [f"{phase}: {reason(e)}." for e in error.errors()]
            continue
        ids = {d.id for d in questions.dimensions} if questions is not None else set()
        found.problems += [
            f"{phase}: the table of raters has a column {id!r} of its own; name the question "
            "otherwise."
            for id in sorted(ids & set(TAKEN))
        ]
        found.problems += [
            f"{phase}: {id!r} was asked in the background already; name one of them otherwise."
            for id in sorted(ids & asked)
        ]
        asked |= ids
        found.problems += _too_long(phase, questions)
    for training in study.training:
        if training.feedback is None:
            found.warnings.append(
                f"training {training.id}: without feedback nobody learns why an answer is right."
            )


def _too_long(where: str, asked: Instrument | None) -> list[str]:
    return [
        f"{where}: the id {d.id[:40]!r}... is longer than {LONGEST_ID} characters."
        for d in (asked.dimensions if asked is not None else ())
        if len(d.id) > LONGEST_ID
    ]


def _check_tables(study: StudyFile, folder: Path, found: Found) -> None:
    wanted = isinstance(study.protocol, Rate | FilterChooseAnnotate)
    if not wanted:
        named: dict[tables.Kind, Path | None] = {"items": study.items, "responses": study.responses}
        for kind, path in named.items():
            if path is not None and _table(path, kind, folder, found) is not None:
                found.warnings.append(f"{kind}: {study.protocol.type} uses no such table.")
        return
    items = _table(study.items, "items", folder, found)
    responses = _table(study.responses, "responses", folder, found)
    if items is None or responses is None:
        return
    for name, frame in (("items", items), ("responses", responses)):
        _check_storable(name, frame, found)
    _check_own_ids(study, items, found)
    known = set(items["item_id"])
    text = pl.col("text").str.strip_chars().str.len_chars() > 0
    told = responses.filter(text)
    strange = [i for i in responses["item_id"].unique(maintain_order=True) if i not in known]
    answered = set(told["item_id"])
    silent = [i for i in items["item_id"] if i not in answered]
    if strange:
        found.problems.append(
            f"responses: {_count(strange)} not in the items table, such as {strange[0]!r}."
        )
    if silent:
        found.problems.append(
            f"responses: {_count(silent)} without an answer, such as {silent[0]!r}."
        )
    if told.height < responses.height:
        found.warnings.append(
            f"responses: {responses.height - told.height} have no text and are left out."
        )
    _check_answers(study, told, found)


def _check_storable(name: str, frame: pl.DataFrame, found: Found) -> None:
    """Say which cells no database takes."""
    for column, most in LONGEST.items():
        if column in frame.columns and (frame[column].str.len_chars() > most).any():
            found.problems.append(f"{name}: {column} is longer than {most} characters.")
    for column in frame.columns:
        if any(map(unstorable, frame[column].to_list())):
            found.problems.append(f"{name}: {column} holds the character U+0000.")


def _check_own_ids(study: StudyFile, items: pl.DataFrame, found: Found) -> None:
    """Say which items are named as the study's known items are."""
    known: tuple[Known, ...] = getattr(study.protocol, "attention", ())
    own = {f"training-{one.id}" for one in study.training} | {f"attention-{k.id}" for k in known}
    found.problems += [
        f"items: {id!r} is the name of a known item of the study; name one of them otherwise."
        for id in items["item_id"]
        if id in own
    ]


def _check_answers(study: StudyFile, told: pl.DataFrame, found: Found) -> None:
    plain = pl.col("text").str.replace_all(r"\s+", " ").str.strip_chars()
    equal = told.height - told.select("item_id", plain).n_unique()
    if equal and isinstance(study.protocol, Rate):
        found.warnings.append(
            f"responses: {equal} are equal to another answer to the same item; "
            "raters will see both."
        )
    sources = Counter(told.group_by("item_id").len()["len"].to_list())
    if len(sources) > 1:
        said = ", ".join(f"{times} with {n}" for n, times in sorted(sources.items()))
        found.warnings.append(f"responses: not all items have as many answers: {said}.")


def _table(path: Path | None, kind: tables.Kind, folder: Path, found: Found) -> pl.DataFrame | None:
    if path is None:
        found.problems.append(f"{kind}: the protocol needs this table, and none is named.")
        return None
    if not (folder / path).exists():
        found.problems.append(
            f"{kind}: {path}: no such file beside the study file. 'attunement data load' writes "
            f"such tables: 'attunement data load sample --out {folder}' for trying things out."
        )
        return None
    try:
        frame = tables.read_frame(folder / path)
        problems = tables.check(frame, kind)
        strange = [p for p in problems if p.reason.startswith("unknown column")]
        wrong = [p for p in problems if p not in strange]
        found.warnings += [f"{path}: {problem}" for problem in strange]
        found.problems += [f"{path}: {problem}" for problem in wrong[:MOST_OF_A_KIND]]
        if len(wrong) > MOST_OF_A_KIND:
            more = len(wrong) - MOST_OF_A_KIND
            found.problems.append(f"{path}: and {more} more; attunement check {path} has them all.")
        return None if wrong else tables.conform(frame, kind)
    except UserError as error:
        found.problems.append(f"{kind}: {error}")
        return None


def _check_known(
    given: tuple[Known, ...], where: str, instrument: Instrument, found: Found
) -> None:
    ids = [one.id for one in given]
    found.problems += [f"{where}: {id!r} stands twice." for id, n in Counter(ids).items() if n > 1]
    dimensions = {d.id: d for d in instrument.dimensions}
    for one in given:
        for id, expected in one.expected.items():
            dimension = dimensions.get(id)
            if dimension is None:
                found.problems.append(
                    f"{where} {one.id}: {instrument.name} has no dimension {id!r}."
                )
            elif not _is_on_scale(dimension, expected):
                found.problems.append(
                    f"{where} {one.id}: {expected!r} is not on the scale of {id!r}."
                )


def _is_on_scale(dimension: Dimension, expected: float | str | tuple[str, ...]) -> bool:
    """Say whether the scale has such an answer: whether it could be a worked example's."""
    words = dict.fromkeys(dimension.label, "-")
    example = {"answer": words, "rating": expected, "why": words}
    try:
        Dimension.model_validate({**dimension.model_dump(), "examples": [example]})
    except ValidationError:
        return False
    return True


def _count(ids: list[str]) -> str:
    return f"{len(ids)} items are" if len(ids) > 1 else "1 item is"
