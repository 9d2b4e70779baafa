"""The study of this database, as it was opened."""

from __future__ import annotations

from functools import lru_cache

from attunement.instruments import Instrument, parse_instrument
from attunement.studies.config import StudyFile, read_study
from attunement.studies.models import Stage, Study


def the_study() -> Study:
    """Return the one study of the database.

    Raises
    ------
    Study.DoesNotExist
        Before 'attunement study new' has made it.

    """
    return Study.objects.get()


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
