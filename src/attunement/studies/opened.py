"""The study of this database, as it was opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

from attunement.instruments import Instrument, parse_instrument
from attunement.studies.config import StudyFile, read_study
from attunement.studies.models import Stage, Study

_request: ContextVar[list[Study] | None] = ContextVar("the study of this request", default=None)


def the_study() -> Study:
    """Return the one study of the database; within a request it is read once.

    Raises
    ------
    Study.DoesNotExist
        Before 'attunement study new' has made it.

    """
    held = _request.get()
    if held:
        return held[0]
    study = Study.objects.get()
    if held is not None:
        held.append(study)
    return study


@contextmanager
def one_request() -> Iterator[None]:
    """Read the study once until the request is over."""
    token = _request.set([])
    try:
        yield
    finally:
        _request.reset(token)


def described(study: Study | None = None) -> StudyFile:
    """Return what the study's file says."""
    return _described((study or the_study()).source)


@lru_cache(maxsize=8)
def _described(source: str) -> StudyFile:
    return read_study(source, where="the study")


def instrument_of(stage: Stage) -> Instrument:
    """Return the instrument of a stage, or the step of it that the stage asks."""
    return _instrument(stage.instrument, stage.step)


@lru_cache(maxsize=64)
def _instrument(source: str, step: str) -> Instrument:
    instrument = parse_instrument(source, where="stage")
    return instrument.step(step) if step else instrument
