"""Equal answers to one item: shown once, and credited to every source that gave them."""

from __future__ import annotations

from collections.abc import Iterable

from attunement.studies.models import Response


def plain(text: str) -> str:
    r"""Return what two texts have in common where they count as equal: all but white space.

    >>> plain("I see.  How\nlong?") == plain(" I see. How long? ")
    True
    """
    return " ".join(text.split())


def representatives(answers: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """Return for each response the first that is equal to it, itself where there is none.

    Parameters
    ----------
    answers
        Response id, item id and text of each.

    >>> representatives([("a", "q1", "Yes."), ("b", "q1", "Yes. "), ("c", "q2", "Yes.")])
    {'a': 'a', 'b': 'a', 'c': 'c'}
    """
    first: dict[tuple[str, str], str] = {}
    return {id: first.setdefault((item, plain(text)), id) for id, item, text in answers}


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
    Response.objects.bulk_update(
        {first[id]: found[first[id]] for id in again}.values(), ["sources", "merged"]
    )
    Response.objects.filter(response_id__in=again).delete()
    return len(again)
