"""The tables of a page on a Delphi round."""

from __future__ import annotations

import polars as pl

from attunement.delphi import (
    Item,
    Outcome,
    PanelRound,
    decisions_table,
    priorities,
    statistics_table,
)
from attunement.report.cells import Cell, Column, Notes, Row, Table, estimate_cell
from attunement.report.delphi_figures import actions
from attunement.report.formats import DASH, count, number, percent
from attunement.stats.result import Result

_KINDS = {"drop": "bad", "keep": "good", "modify": "good", "split": "good"}


def decisions(outcome: Outcome) -> Table:
    """What was decided of each item, by whom, and every reason."""
    frame = decisions_table(outcome)
    said = [d.item for d in outcome.decisions] + [a.item for a in outcome.additions]
    why = ["; ".join(r.text for r in d.reasons) for d in outcome.decisions]
    why += ["; ".join(r.text for r in a.reasons) for a in outcome.additions]
    into = [d.into for d in outcome.decisions] + [()] * len(outcome.additions)
    rows = []
    for item, row, reason, new in zip(said, frame.iter_rows(named=True), why, into, strict=True):
        by = "owner" if row["by"] == "owner" else "rule"
        below = [by]
        if by == "owner" and row["by_rule"] and row["by_rule"] != row["action"]:
            below.append(f"rule: {row['by_rule']}")
        if row["priority"] is not None:
            below.append(f"priority {row['priority']}")
        became = f" Becomes: {' | '.join(i.text for i in new)}" if new else ""
        rows.append(
            (
                Cell(item.id),
                Cell(row["action"], tuple(below), kind=_KINDS.get(row["action"], "")),
                Cell(_wording(item) + became, kind="words"),
                Cell(reason, (row["motivation"],), kind="words"),
            )
        )
    return Table(
        "decisions",
        "Every decision and its reason",
        "What the thresholds decide is marked “rule”, what people decided over them “owner”, with "
        "what the rule says. Under each reason stands its short name, as in the appendices of "
        "CES-LCC.",
        (
            Column("Item", False),
            Column("Decision", False),
            Column("Wording", False),
            Column("Why", False),
        ),
        tuple(rows),
        frame,
        paper="Appendices A.3 and B.2",
    )


def _wording(item: Item) -> str:
    return item.text if item.wording else DASH


def statistics(outcome: Outcome) -> Table:
    """What the panel said of each item's relevance."""
    notes = Notes()
    rows = []
    for s in outcome.round.summaries:
        agreed = s.results.get("agreement")
        n = agreed.n if agreed is not None and agreed.n else None
        rows.append(
            (
                Cell(s.item.id),
                Cell(count(n)),
                _share(agreed, notes),
                _cell(s.results.get("mean"), notes),
                Cell(number(s.value("sd"))),
                Cell(number(s.value("median"), 1)),
                Cell(f"{number(s.value('min'), 0)} to {number(s.value('max'), 0)}"),
                Cell(number(s.value("iqr"))),
            )
        )
    return Table(
        "relevance",
        "Relevance in numbers",
        "Agreement, mean and standard deviation, median, range and interquartile range (linear "
        "interpolation), with intervals where the data give any. The CSV file has every statistic "
        "of the round, those of priority and translation too.",
        (
            Column("Item", False),
            Column("n"),
            Column("Agreement"),
            Column("Mean"),
            Column("s.d."),
            Column("Median"),
            Column("Range"),
            Column("IQR"),
        ),
        tuple(rows),
        statistics_table(outcome),
        notes=notes.all(),
    )


def _row(r: Result | None, times: float = 1.0) -> Row | None:
    # That an interval is missing is said once, not at each number.
    return None if r is None else {
        "estimate": times * r.estimate,
        "ci_low": times * r.ci_low,
        "ci_high": times * r.ci_high,
        "n": r.n,
        "reason": r.reason if r.estimate != r.estimate else "",
    }  # fmt: skip


def _cell(r: Result | None, notes: Notes, decimals: int = 2) -> Cell:
    return estimate_cell(_row(r), notes, decimals, n=False)


def _share(r: Result | None, notes: Notes) -> Cell:
    made = estimate_cell(_row(r, 100.0), notes, 0, n=False)
    if made.text == DASH:
        return made
    return Cell(f"{made.text}\u00a0%", made.below, made.mark, made.reason)


def outcome_items(outcome: Outcome) -> Table:
    """The refined scale: the items that are left, with their priority."""
    place = priorities(outcome)
    languages = list(dict.fromkeys(code for i in outcome.items for code in i.wording))
    frame = pl.DataFrame(
        [
            {
                "dimension": i.dimension,
                "item": i.id,
                "priority": place.get(i.id),
                "reversed": i.reversed,
                **{f"item_{code}": i.wording.get(code) for code in languages},
            }
            for i in outcome.items
        ],
        infer_schema_length=None,
    )
    rows = tuple(
        (
            Cell(i.id, (i.dimension, f"priority {place[i.id]}" if i.id in place else "not ranked")),
            *(Cell(i.wording.get(code) or DASH, kind="words") for code in languages),
        )
        for i in outcome.items
    )
    return Table(
        "refined",
        "The refined scale",
        "The items that are left, with the priority that the panel gave them within their "
        "dimension, 1 first. Items that were added or split have none until they are ranked.",
        (
            Column("Item", False),
            *(Column(f"Wording, {code}", False) for code in languages),
        ),
        rows,
        frame,
    )


def overlaps(outcome: Outcome) -> Table | None:
    """Which items experts named as overlapping, and how often."""
    pairs = [
        (s.item.id, other, n)
        for s in outcome.round.summaries
        for other, n in sorted(s.overlaps.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
    if not pairs:
        return None
    what = actions(outcome)
    return Table(
        "overlaps",
        "What overlaps with what",
        "Flags that name the other item. An item can be flagged without a name.",
        (
            Column("Item", False),
            Column("Overlaps with", False),
            Column("Experts"),
            Column("", False),
        ),
        tuple(
            (Cell(a), Cell(b), Cell(count(n)), Cell(what.get(a, ""), kind="quiet"))
            for a, b, n in pairs
        ),
        pl.DataFrame(
            pairs,
            schema={"item": pl.String, "overlaps_with": pl.String, "experts": pl.Int64},
            orient="row",
        ),
    )


def stability(outcome: Outcome, before: PanelRound | None) -> Table | None:
    """Mean before and after, share of ratings unchanged, and weighted kappa between rounds."""
    if before is None:
        return None
    notes = Notes()
    was = {s.item.id: s for s in before.summaries}
    shown = []
    rows: list[dict[str, object]] = []
    for s in outcome.round.summaries:
        if s.item.id not in was:
            continue
        old = was[s.item.id]
        found = outcome.stability.get(s.item.id)
        first, second = old.value("mean"), s.value("mean")
        shown.append(
            (
                Cell(s.item.id),
                Cell(number(first)),
                Cell(number(second)),
                Cell(number(second - first, sign=True)),
                _share(found.unchanged if found else None, notes),
                _cell(found.kappa if found else None, notes),
            )
        )
        rows.append(_flat(s.item.id, first, second, outcome))
    whole = outcome.stability.get("")
    if whole is not None:
        shown.append(
            (
                Cell("All items"), Cell(""), Cell(""), Cell(""),
                _share(whole.unchanged, notes), _cell(whole.kappa, notes),
            )
        )  # fmt: skip
        rows.append(_flat("", None, None, outcome))
    if not shown:
        return None
    return Table(
        "stability",
        "Stability",
        "Mean relevance in both rounds; per cent of experts whose rating did not change; weighted "
        "kappa of the first round with the second. Consensus says little where answers still move.",
        (
            Column("Item", False),
            Column("Mean", below=f"round {before.number}"),
            Column("Mean", below=f"round {outcome.round.number}"),
            Column("Change"),
            Column("Unchanged"),
            Column("Weighted kappa"),
        ),
        tuple(shown),
        pl.DataFrame(rows, infer_schema_length=None),
        notes=notes.all(),
    )


def _flat(
    item: str, first: float | None, second: float | None, outcome: Outcome
) -> dict[str, object]:
    row: dict[str, object] = {"item": item or "all", "mean_before": first, "mean_after": second}
    found = outcome.stability.get(item)
    for name in ("unchanged", "kappa"):
        r: Result | None = getattr(found, name) if found is not None else None
        row[name] = r.estimate if r is not None else None
        row[f"{name}_ci_low"] = r.ci_low if r is not None else None
        row[f"{name}_ci_high"] = r.ci_high if r is not None else None
        row[f"{name}_n"] = r.n if r is not None else None
        row[f"{name}_reason"] = r.reason if r is not None else None
    return row


def translation(outcome: Outcome) -> Table | None:
    """How good native speakers find the translation; nothing where it was not asked."""
    asked = [s for s in outcome.round.summaries if "translation_mean" in s.results]
    if not asked:
        return None
    notes = Notes()
    rows = []
    for s in asked:
        share = s.results.get("translation_agreement")
        rows.append(
            (
                Cell(s.item.id),
                _cell(s.results["translation_mean"], notes),
                Cell(number(s.value("translation_sd"))),
                _share(share, notes),
                Cell(count(len(s.suggestions))),
            )
        )
    frame = statistics_table(outcome).filter(pl.col("statistic").str.starts_with("translation_"))
    known = [s.value("translation_mean") for s in asked]
    told = [v for v in known if v == v]
    mean = f" Over all items the mean is {number(sum(told) / len(told))}." if told else ""
    return Table(
        "translation",
        "Quality of the translation",
        "Rated by those who speak the language. Who does not is not counted as not agreeing, "
        f"unless a printed table did so.{mean}",
        (
            Column("Item", False),
            Column("Mean"),
            Column("s.d."),
            Column("Agreement"),
            Column("Suggestions"),
        ),
        tuple(rows),
        frame,
        notes=notes.all(),
    )


def shares(outcome: Outcome) -> str:
    """Return how many items stay, in words."""
    kept = len(outcome.decisions) - len(outcome.with_action("drop"))
    gone = len(outcome.with_action("drop"))
    of = len(outcome.decisions)
    return f"{kept} of {of} items stay ({percent(kept / of if of else None)}), {gone} go"
