"""A round of a Delphi from any table: as the panel gave it, or as a paper prints it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from attunement.delphi._model import Item, Outcome, PanelRound, Scale
from attunement.delphi.cells import on_scale
from attunement.delphi.matching import aligned
from attunement.delphi.printed import is_printed, read_printed
from attunement.delphi.raw import Drawing, read_raw
from attunement.errors import UserError
from attunement.stats.agreement import Weights
from attunement.stats.stability import Stability, item_stability, overall_stability

Floats = NDArray[np.float64]


def read_round(
    frame: pl.DataFrame,
    where: str = "the table",
    *,
    number: int | None = None,
    scale: Scale | None = None,
    items: Sequence[Item] | None = None,
    panel: int | None = None,
    drawing: Drawing | None = None,
) -> PanelRound:
    """Summarize one round of a Delphi.

    Parameters
    ----------
    frame
        One row an expert and item (`attunement.delphi.raw`), or one an item with the statistics
        (`attunement.delphi.printed`). A table of several rounds has a column ``round``.
    where
        The table's name, for errors.
    number
        Which round. By default the last in the table; where it does not say, 2 if flags of
        redundancy or rankings were asked for, else 1.
    scale
        Of the ratings, 1 to 5 with 4 and 5 agreeing by default.
    items
        The items with their wording; by default those of the table.
    panel
        How many rated, where a summarized table does not say.
    drawing
        Of the bootstrap intervals.

    Raises
    ------
    UserError
        Where the table has no rows, is neither kind of table, or a value is wrong.

    """
    if not frame.height:
        raise UserError("the table has no rows.", where=where)
    points = scale or Scale()
    part, number = _of_round(frame, where, number)
    if is_printed(part):
        level = (drawing or Drawing()).level
        return read_printed(
            part, where, number=number, scale=points, items=items, panel=panel, level=level
        )
    return read_raw(part, where, number=number, scale=points, items=items, drawing=drawing)


def _of_round(frame: pl.DataFrame, where: str, number: int | None) -> tuple[pl.DataFrame, int]:
    if "round" not in frame.columns:
        later = {"redundant_with", "rank", "redundancy_flags", "borda_points"}
        return frame, number or (2 if later & set(frame.columns) else 1)
    rounds = np.array(on_scale(frame, "round", where, 1, 99))
    if np.isnan(rounds).any():
        row = int(np.flatnonzero(np.isnan(rounds))[0]) + 1
        raise UserError("the row names no round.", where=f"{where}, row {row}")
    wanted = number or int(rounds.max())
    if not (rounds == wanted).any():
        there = ", ".join(f"{r:g}" for r in np.unique(rounds))
        raise UserError(f"the table has no round {wanted}; it has {there}.", where=where)
    return frame.filter(pl.Series(rounds == wanted)), wanted


def stability(
    before: PanelRound,
    after: PanelRound,
    *,
    weights: Weights = "quadratic",
    replicates: int = 1000,
    seed: int = 1,
    level: float = 0.95,
) -> Mapping[str, Stability]:
    """Compare the relevance that the same experts gave the same items in two rounds.

    Parameters
    ----------
    before, after
        Two rounds with the experts' own ratings. Items are matched by their wording where the
        tables have it, else by id.
    weights, replicates, seed, level
        As in `attunement.stats.stability.item_stability`.

    Returns
    -------
    mapping
        By item id, for the items of both rounds; ``""`` is over all of them.

    Raises
    ------
    UserError
        Where a table was summarized already, or the rounds share no expert or no item.

    """
    if before.relevance is None or after.relevance is None:
        raise UserError(
            "stability needs what each expert said in both rounds.",
            fix="Give tables with one row an expert and item.",
        )
    before, _ = aligned(before, after)
    experts = [e for e in before.experts if e in after.experts]
    ids = [i.id for i in before.items if i.id in {j.id for j in after.items}]
    for what, shared in (("expert", experts), ("item", ids)):
        if not shared:
            raise UserError(
                f"the two rounds share no {what}.",
                fix="Call the same experts and items by the same names in both.",
            )
    first, second = (_shared(r, experts, ids) for r in (before, after))
    values = [float(v) for v in after.scale.values]
    found_by: dict[str, Stability] = {}
    for column, id in enumerate(ids):
        found = item_stability(
            first[:, column],
            second[:, column],
            scale=values,
            weights=weights,
            replicates=replicates,
            seed=seed,
            level=level,
        )
        found_by[id] = _about(found, {"item": id})
    whole = overall_stability(
        first,
        second,
        scale=values,
        weights=weights,
        replicates=replicates,
        seed=seed,
        level=level,
    )
    found_by[""] = _about(whole, {"item": "all"})
    return found_by


def compared(
    before: PanelRound,
    outcome: Outcome,
    *,
    weights: Weights = "quadratic",
    replicates: int = 1000,
    seed: int = 1,
    level: float = 0.95,
) -> Outcome:
    """Return an outcome with how far the panel moved, or with the words why that is not known.

    Of a summarized table nobody's own ratings are known: then only the items' statistics of both
    rounds can be put side by side.

    Parameters
    ----------
    before
        The round before.
    outcome
        What came out of the round after it.
    weights, replicates, seed, level
        As in `stability`.

    Raises
    ------
    UserError
        Where the rounds share no item, or raw ones no expert.

    """
    after = outcome.round
    before, lost = aligned(before, after)
    if lost:
        note = f"Not compared with the round before, as the wording is another: {', '.join(lost)}."
        outcome = replace(outcome, warnings=(*outcome.warnings, note))
    if before.relevance is not None and after.relevance is not None:
        found = stability(
            before, after, weights=weights, replicates=replicates, seed=seed, level=level
        )
        return replace(outcome, stability=found)
    if not {i.id for i in before.items} & {i.id for i in after.items}:
        raise UserError(
            "the two rounds share no item.", fix="Call the same items by the same names in both."
        )
    which = " and ".join(
        f"round {panel.number}" for panel in (before, after) if panel.relevance is None
    )
    are = "are" if " and " in which else "is"
    note = (
        f"How far single experts moved is not known, as {which} {are} summarized: no share of "
        "unchanged ratings and no kappa. The report compares each item's agreement and mean."
    )
    return replace(outcome, warnings=(*outcome.warnings, note))


def _shared(panel: PanelRound, experts: list[str], ids: list[str]) -> Floats:
    ratings = np.asarray(panel.relevance, dtype=np.float64)
    rows = [panel.experts.index(e) for e in experts]
    places = {item.id: i for i, item in enumerate(panel.items)}
    return np.asarray(ratings[np.ix_(rows, [places[i] for i in ids])], dtype=np.float64)


def _about(found: Stability, group: dict[str, str]) -> Stability:
    return Stability(
        *(replace(r, group=group) for r in (found.unchanged, found.kappa)),
    )
