"""Whose a response is: equal answers are shown once and credited to all of their sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attunement.studies.models import Response

Owner = tuple[str, str]
"""A response id and the source that gave it."""


def owners_of(response: Response) -> list[Owner]:
    """Return every response that this one stands for, with its source; itself first."""
    return _owners(response.response_id, response.sources, response.merged)


def all_owners() -> dict[str, list[Owner]]:
    """Return the owners of each response that was shown, by its id."""
    rows = Response.objects.order_by("pk").values_list("response_id", "sources", "merged")
    return {id: _owners(id, sources, merged) for id, sources, merged in rows}


def expanded(labels: Iterable[str], owners: Mapping[str, list[Owner]]) -> list[str]:
    """Return labels with each response id followed by those of its duplicates."""
    return [id for label in labels for id, _ in owners.get(label, [(label, "")])]


def _owners(id: str, sources: list[str], merged: list[str]) -> list[Owner]:
    # `merged` holds the ids of the duplicates, in the order of the sources after the first
    return list(zip([id, *merged], sources, strict=True))
