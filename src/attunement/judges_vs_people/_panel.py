"""From a ratings table to what judges and people said on one dimension, as arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from attunement import tables
from attunement.errors import UserError, did_you_mean, first_of
from attunement.instruments import Dimension, Instrument, list_instruments, load_instrument
from attunement.instruments.on_scale import refuse_off_scale

Floats = NDArray[np.float64]
Kind = Literal["number", "boolean", "category", "set", "none"]
"""What a dimension's ratings are: ``none`` has no values that could be compared, only spans."""

Spans = list[tuple[int, int]]

_SHOWN = 12


@dataclass(frozen=True)
class Panel:
    """What judges and people said on one dimension.

    Parameters
    ----------
    instrument, dimension
        Names in the ratings table.
    kind
        What is compared.
    units, items, sources
        Of each rated unit: its id, the item it belongs to, and its source ('' where unknown).
    people
        Names of the people, p of them.
    values
        By rater, shape (n,): numbers, 1 and 0, or codes of categories; NaN where there is none.
    sets
        By rater and unit: the labels, for kind ``set``.
    spans
        By rater and unit: places in the answer; a unit that the rater did not look at is absent.
    options
        Names of categories by code, and of labels.
    statuses
        By rater: how many ratings have which status.

    """

    instrument: str
    dimension: str
    kind: Kind
    units: tuple[str, ...]
    items: tuple[str, ...]
    sources: tuple[str, ...]
    people: tuple[str, ...]
    values: dict[str, Floats]
    sets: dict[str, dict[int, frozenset[str]]]
    spans: dict[str, dict[int, Spans]]
    options: tuple[str, ...]
    statuses: dict[str, dict[str, int]]

    @property
    def matrix(self) -> Floats:
        """The people's values, shape (n, p)."""
        if not self.people:
            return np.full((len(self.units), 0), np.nan)
        return np.stack([self.values[name] for name in self.people], axis=1)


def choose(ratings: pl.DataFrame, judges: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """Return the names of the judges and of the people in a ratings table.

    Raises
    ------
    UserError
        Where a judge is not in the table, one side is empty, or a rater is of two kinds.

    """
    each = ratings.select("rater", "rater_kind").unique(maintain_order=True)
    kinds = dict(each.iter_rows())
    if len(kinds) < each.height:
        twice = each.filter(pl.col("rater").is_duplicated())
        raise UserError(
            f"the rater {twice['rater'][0]!r} is of several kinds: "
            f"{', '.join(twice.filter(rater=twice['rater'][0])['rater_kind'])}.",
            where="ratings table, column 'rater_kind'",
            fix="Give people and judges different names.",
        )
    chosen = [r for r, kind in kinds.items() if kind == "judge"] if judges is None else [*judges]
    for name in chosen:
        if name not in kinds:
            raise UserError(
                f"no rater is called {name!r}{did_you_mean(name, kinds)}",
                fix=f"The ratings table has {first_of(list(kinds), _SHOWN)}.",
            )
    if not chosen:
        raise UserError(
            "the ratings hold no judge.",
            fix="Add a judge's ratings, or name the rater to be held against the others (--judge).",
        )
    people = [r for r, kind in kinds.items() if kind == "human" and r not in chosen]
    if not people:
        raise UserError(
            "the ratings hold no people to hold a judge against.",
            fix="Add ratings whose rater_kind is human.",
        )
    return list(dict.fromkeys(chosen)), people


def panels(
    ratings: pl.DataFrame,
    judges: Sequence[str],
    people: Sequence[str],
    instruments: Sequence[Instrument] = (),
) -> Iterator[Panel]:
    """Yield the dimensions that a judge and a person rated on the same instrument.

    Of several rounds each rater's last counts. Several replicates of a model become their mean
    where values are numbers, else the most frequent answer, the earliest where several are. Of a
    person's the first counts, also where a person is held against the others: to be asked again
    shows how far people agree with themselves, and makes nobody's answer a better one.

    Parameters
    ----------
    ratings
        A ratings table.
    judges, people
        Names of raters.
    instruments
        What the dimensions are; those of the library need not be given. Where an instrument is not
        known, what its ratings are is read off the table.

    Raises
    ------
    UserError
        Where a value is not on the scale of a known instrument.

    """
    known = {instrument.name: instrument for instrument in instruments}
    used = ratings.filter(pl.col("rater").is_in([*judges, *people]))
    last = pl.col("round").max().over("unit", "unit_id", "rater", "instrument", "dimension")
    used = used.filter(pl.col("round") == last)
    used = used.filter(tables.of_first_replicate() | (pl.col("rater_kind") != "human"))
    for name in used["instrument"].unique(maintain_order=True):
        if (instrument := _known(known, name)) is not None:
            refuse_off_scale(used, instrument)
    for (name, dimension), rows in used.group_by("instrument", "dimension", maintain_order=True):
        raters = set(rows["rater"])
        if raters.isdisjoint(judges) or raters.isdisjoint(people):
            continue
        described = _describe(known, str(name), str(dimension))
        there = tuple(p for p in people if p in raters)
        yield _panel(str(name), str(dimension), rows, there, described)


def _known(known: dict[str, Instrument], name: str) -> Instrument | None:
    if name not in known and name in list_instruments():  # a table may not name files to be read
        known[name] = load_instrument(name)
    return known.get(name)


def _describe(known: dict[str, Instrument], name: str, dimension: str) -> Dimension | None:
    instrument = _known(known, name)
    if instrument is None:
        return None
    with suppress(KeyError):
        return instrument.dimension(dimension)
    return None


def _panel(
    instrument: str,
    dimension: str,
    rows: pl.DataFrame,
    people: tuple[str, ...],
    described: Dimension | None,
) -> Panel:
    units = (
        rows.group_by("unit", "unit_id", maintain_order=True)
        .agg(pl.col("item_id").drop_nulls().first(), pl.col("source").drop_nulls().first())
        .with_columns(
            pl.col("item_id").fill_null(pl.col("unit_id")), pl.col("source").fill_null("")
        )
    )
    place = {key: n for n, key in enumerate(units.select("unit", "unit_id").iter_rows())}
    ok = rows.filter(pl.col("status") == "ok")
    kind = _kind(ok, described)
    options = _options(ok, kind)
    code = {name: float(n) for n, name in enumerate(options)}
    given: dict[str, dict[int, list[Any]]] = {rater: {} for rater in rows["rater"].unique()}
    columns = ("unit", "unit_id", "rater", "value", "labels")
    for unit, unit_id, rater, value, labels in ok.sort("replicate").select(columns).iter_rows():
        said: Any = value
        if kind == "set":
            said = frozenset(labels or ())
        elif kind == "category":
            said = code[labels[0]] if labels else None
        if said is not None:
            given[rater].setdefault(place[unit, unit_id], []).append(said)
    values = {rater: np.full(len(place), np.nan) for rater in given}
    sets: dict[str, dict[int, frozenset[str]]] = {rater: {} for rater in given}
    for rater, by_unit in given.items():
        for n, several in by_unit.items():
            if kind == "number":
                values[rater][n] = float(np.mean(several))
            elif kind == "set":
                sets[rater][n] = _usual(several)
            elif kind != "none":
                values[rater][n] = _usual(several)
    statuses = {
        rater: dict(mine.group_by("status", maintain_order=True).len().iter_rows())
        for (rater,), mine in rows.group_by("rater", maintain_order=True)
    }
    return Panel(
        instrument=instrument,
        dimension=dimension,
        kind=kind,
        units=tuple(units["unit_id"]),
        items=tuple(units["item_id"]),
        sources=tuple(units["source"]),
        people=people,
        values=values,
        sets=sets,
        spans=_spans(rows, place),
        options=options,
        statuses={str(rater): counts for rater, counts in statuses.items()},
    )


def _kind(ok: pl.DataFrame, described: Dimension | None) -> Kind:
    if described is not None:
        scale = described.scale
        kinds: dict[str, Kind] = {
            "integer": "number",
            "number": "number",
            "boolean": "boolean",
            "multi": "set",
            "choice": "number" if scale.level == "ordinal" else "category",
        }
        return kinds.get(scale.type, "none")
    value = ok["value"].drop_nulls()
    counted = ok.filter(pl.col("labels").list.len() > 0)
    if not len(value):
        return "category" if counted.height else "none"
    size = ok["labels"].list.len().fill_null(0)
    if counted.height and ((size == ok["value"]) | ok["value"].is_between(1, size)).all():
        # a set's value is how many labels were chosen, of which one may stand for equal answers
        if (ok["value"] == 1).all():
            return "category"
        return "set"
    return "boolean" if set(value) <= {0.0, 1.0} else "number"


def _options(ok: pl.DataFrame, kind: Kind) -> tuple[str, ...]:
    if kind not in ("category", "set"):
        return ()
    return tuple(sorted(set(ok["labels"].explode().drop_nulls())))


def _usual(several: list[Any]) -> Any:
    counts = Counter(several)  # in order of appearance, so that a tie goes to the earliest
    return max(counts, key=lambda value: counts[value])


def _spans(rows: pl.DataFrame, place: dict[Any, int]) -> dict[str, dict[int, Spans]]:
    """Return the places that raters marked, for those who marked anything on the dimension."""
    found: dict[str, dict[int, Spans]] = {}
    looked = rows.filter(
        pl.col("status").is_in(["ok", "not_sure"]),
        # of several replicates the first: together they would mark more than a rater does
        tables.of_first_replicate(),
    )
    columns = ("unit", "unit_id", "rater", "spans")
    for unit, unit_id, rater, spans in looked.select(columns).iter_rows():
        mine = found.setdefault(rater, {}).setdefault(place[unit, unit_id], [])
        for span in spans or ():
            if span["start"] is not None and span["end"] is not None:
                mine.append((span["start"], span["end"]))
    return found if rows["spans"].list.len().sum() else {}
