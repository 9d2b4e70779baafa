"""The audit log: one line for each thing that was done to a study."""

from __future__ import annotations

from typing import Any

from attunement.studies.models import Event


def log(actor: str, action: str, **detail: Any) -> None:
    """Write one line; ``detail`` never holds what a participant answered."""
    Event.objects.create(actor=actor, action=action, detail=detail)
