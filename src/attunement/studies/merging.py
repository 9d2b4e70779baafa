"""Merging equal answers to one item: shown once, and credited to every source that gave them."""

from __future__ import annotations

from attunement.studies.equal_answers import representatives
from attunement.studies.models import Response


def merge_duplicates() -> int:
    """Merge equal answers to one item in the database, and return how many were merged away.

    The first stays. Its ``sources`` then name every source that gave the text, its own first, and
    ``merged`` the ids of the others, in the same order.
    """
    rows = list(Response.objects.filter(item__kind="main").select_related("item").order_by("pk"))
    found = {r.response_id: r for r in rows}
    first = representatives((r.response_id, r.item.item_id, r.text) for r in rows)
    again = [id for id, kept in first.items() if id != kept]
    for id in again:
        kept = found[first[id]]
        kept.sources = [*kept.sources, *found[id].sources]
        kept.merged = [*kept.merged, id]
    changed = {first[id]: found[first[id]] for id in again}
    Response.objects.bulk_update(changed.values(), ["sources", "merged"])
    Response.objects.filter(response_id__in=again).delete()
    return len(again)
