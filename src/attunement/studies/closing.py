"""Closing a stage or the whole study: no more answers are taken, and nothing is lost."""

from __future__ import annotations

from datetime import date

from django.utils import timezone

from attunement.errors import UserError
from attunement.studies.audit import log
from attunement.studies.holding import hold_pages, hold_people, writing
from attunement.studies.models import Assignment, Stage, Study


def close_stage(stage: Stage, *, by: str) -> None:
    """Close a stage: its pages are not shown any more.

    Raises
    ------
    UserError
        Where it is not open.

    """
    with writing():
        hold_people()
        held = Stage.objects.select_for_update().get(pk=stage.pk)
        if held.opened_at is None or held.closed_at is not None:
            raise UserError(f"the stage {held.key!r} is not open.", where=held.study.key)
        held.closed_at = timezone.now()
        held.save(update_fields=["closed_at"])
        hold_pages(Assignment.objects.filter(stage=held).values_list("pk", flat=True))
        log(by, "stage closed", stage=held.key)


def close_study(study: Study, *, by: str) -> None:
    """Close the study: whoever has not finished can do nothing more.

    Raises
    ------
    UserError
        Where it is closed already.

    """
    with writing():
        held = Study.objects.select_for_update().get(pk=study.pk)
        if held.closed_at is not None:
            raise UserError(
                "the study is closed already.",
                where=held.key,
                fix="Export it, or open it again on the overview of the owner's pages.",
            )
        held.closed_at = timezone.now()
        held.save(update_fields=["closed_at"])
        log(by, "study closed")


def set_last_day(study: Study, day: date | None, *, by: str) -> None:
    """Move the last day on which answers are taken; None takes it away.

    Raises
    ------
    UserError
        Where the day is over already.

    """
    if day is not None and day < timezone.now().date():
        raise UserError(
            f"{day.isoformat()} is over.", where=study.key, fix="Close the study to end it now."
        )
    with writing():
        held = Study.objects.select_for_update().get(pk=study.pk)
        held.last_day = day
        held.save(update_fields=["last_day"])
        log(by, "last day set", day=None if day is None else day.isoformat())


def reopen_study(study: Study, *, by: str) -> None:
    """Take answers again.

    Raises
    ------
    UserError
        Where the study is not closed.

    """
    with writing():
        held = Study.objects.select_for_update().get(pk=study.pk)
        if held.closed_at is None:
            raise UserError("the study is not closed.", where=held.key)
        held.closed_at = None
        held.save(update_fields=["closed_at"])
        log(by, "study opened again")
