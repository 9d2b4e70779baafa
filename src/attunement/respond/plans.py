"""The plans of items: predicted by a planner, or read from a table of gold or chosen labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import polars as pl

from attunement.errors import UserError
from attunement.planning._tables import as_list
from attunement.planning.labels import LabelSet
from attunement.planning.planner import STATUSES, Advance, Plan, Planner, Status

Kind = Literal["predicted", "gold", "chosen"]
KINDS: tuple[Kind, ...] = get_args(Kind)

NOT_IN_TABLE = Plan((), "not_applicable", "The table of labels has no row for this item.")
NOT_GIVEN = Plan((), "not_applicable", "The table of labels leaves it open.")


@dataclass(frozen=True)
class Plans:
    """One plan for each item, in the order of the items.

    Parameters
    ----------
    kind
        ``predicted`` by a planner, ``gold``: what people did, or ``chosen`` by a person.
    plans
        In the order of the items.
    signature
        Of the planner, or the name of the table.
    not_asked
        Rows of the table whose items are none of these.
    """

    kind: Kind
    plans: tuple[Plan, ...]
    signature: str
    not_asked: int = 0

    def unknown(self, labels: LabelSet) -> dict[str, int]:
        """Return how often plans name a label that the label set has not."""
        counts: dict[str, int] = {}
        for plan in self.plans:
            for label in plan.labels:
                if label not in labels.labels:
                    counts[label] = counts.get(label, 0) + 1
        return counts


def predicted(
    planner: Planner, contexts: Sequence[Sequence[str]], *, advance: Advance | None = None
) -> Plans:
    """Return what a planner plans for the turns after the contexts."""
    return Plans("predicted", tuple(planner.plan(contexts, advance=advance)), planner.signature)


def kind_of(path: Path) -> Kind:
    """Return what a table's labels are: ``predicted`` where a planner wrote it, else ``chosen``."""
    from attunement.tables import read_frame

    return "predicted" if "planner" in read_frame(path).columns else "chosen"


def read(path: Path, ids: Sequence[str], labels: LabelSet, kind: Kind) -> Plans:
    """Read a table of labels.

    It has ``item_id``, and ``labels`` (a list, JSON, or words with commas between them) or a column
    for each group of the label set (``act``, ``emotion``). A column ``status``, as in a table of
    ``attunement plan predict``, says where there is no plan. Labels that the label set has not are
    kept: they are like none that a candidate can have.

    Parameters
    ----------
    path
        The table.
    ids
        The items, in order.
    labels
        What words and the data's numbers mean.
    kind
        What the labels are.

    Raises
    ------
    UserError
        Where the columns are missing, an item has no id or stands twice, a cell holds no labels, or
        none of the items is there.
    """
    from attunement.tables import read_frame

    frame: pl.DataFrame = read_frame(path)
    groups = [g.name for g in labels.groups if g.name in frame.columns]
    if "item_id" not in frame.columns or not ("labels" in frame.columns or groups):
        raise UserError(
            f"the table has no labels: it has {', '.join(frame.columns)}.",
            where=str(path),
            fix="Give the columns item_id and labels, or item_id and "
            f"{', '.join(g.name for g in labels.groups)}.",
        )
    found: dict[str, Plan] = {}
    for row in frame.iter_rows(named=True):
        if row["item_id"] is None:
            raise UserError("a row has no item_id.", where=str(path))
        id = str(row["item_id"])
        if id in found:
            raise UserError(f"the item {id!r} stands twice.", where=f"{path}, column item_id")
        try:
            found[id] = _plan(row, labels)
        except ValueError as error:
            raise UserError(
                f"{error}.",
                where=f"{path}, item {id!r}",
                fix="Give a list of words, JSON, or words with commas between them.",
            ) from None
    if ids and not set(ids) & set(found):
        raise UserError("the table has none of the items.", where=f"{path}, column item_id")
    plans = tuple(found.get(id, NOT_IN_TABLE) for id in ids)
    return Plans(kind, plans, f"{kind}:{path.name}", len(found.keys() - set(ids)))


def _plan(row: dict[str, Any], labels: LabelSet) -> Plan:
    status = row.get("status")
    if status is not None and status != "ok":
        known: Status = next((s for s in STATUSES if s == status), "error")
        reason = row.get("reason")
        return Plan((), known, str(reason) if reason else f"The table says {status}.")
    if "labels" in row:
        given = row["labels"]
        return NOT_GIVEN if given is None else Plan(_sequence(_words(given), labels))
    said = {g: row[g.name] for g in labels.groups if row.get(g.name) is not None}
    if not said:
        return NOT_GIVEN
    words = [g.label(w) or w for g, cell in said.items() for w in _words(cell)]
    return Plan(_sequence(words, labels))


def _words(cell: object) -> list[str]:
    """Return the labels in a cell.

    Raises
    ------
    ValueError
        Where it holds something else.
    """
    if isinstance(cell, str) and cell.strip().startswith("["):
        cell = _printed(cell.strip())
    if isinstance(cell, str) and cell.strip().startswith("{"):
        raise ValueError("a label is a word, not an object")
    parts = cell if isinstance(cell, list) else [cell]
    for part in parts:
        if not isinstance(part, str | int | float) or isinstance(part, bool):
            kind = {"NoneType": "nothing", "dict": "an object"}.get(type(part).__name__)
            raise ValueError(f"a label is a word, not {kind or f'a {type(part).__name__}'}")
    words = parts if isinstance(cell, list) else str(cell).split(",")
    return [word for word in (str(w).strip(" '\"").lower() for w in words) if word]


def _printed(cell: str) -> list[object]:
    """Return the list that a text is, as JSON or as Python and NumPy print it."""
    try:
        return as_list(cell, "", "labels")
    except UserError:
        return list(cell.strip("[] ").split(","))


def _sequence(words: Sequence[str], labels: LabelSet) -> tuple[str, ...]:
    """Return labels as a sequence in the order in which they stand, silent ones left out."""
    return tuple(w for w in dict.fromkeys(words) if w not in labels.silent)
