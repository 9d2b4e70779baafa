"""What is kept of a choice: every candidate with what was said of it, and the responses."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from attunement import tables
from attunement.errors import UserError
from attunement.respond.planned import Outcome
from attunement.runs import Run
from attunement.stats.bootstrap import bootstrap_mean
from attunement.stats.result import Result

LABELS = pl.List(pl.String())
SCHEMA: dict[str, pl.DataType] = {
    "source": pl.String(),
    "item_id": pl.String(),
    "candidate": pl.Int64(),
    "text": pl.String(),
    "status": pl.String(),
    "reason": pl.String(),
    "same_as": pl.Int64(),
    "logprob": pl.Float64(),
    "labels": LABELS,
    "labels_status": pl.String(),
    "plan": LABELS,
    "plan_kind": pl.String(),
    "plan_status": pl.String(),
    "plan_reason": pl.String(),
    "similarity": pl.Float64(),
    "chosen": pl.Boolean(),
    "why": pl.String(),
    "strategy": pl.String(),
    "planner": pl.String(),
    "tagger": pl.String(),
}
"""The candidates table: one row a candidate, unique on source, item and candidate."""

MEANS = ("nls_chosen", "nls_first", "nls_chosen_minus_first")
"""Mean similarities. All lie in 0 to 1: what is chosen is no less similar than the first."""


def candidates_table(outcome: Outcome) -> pl.DataFrame:
    """Return every candidate with its labels, similarity and why it was chosen or not."""
    return pl.DataFrame(list(_rows(outcome)), schema=SCHEMA)


def _rows(outcome: Outcome) -> Iterable[dict[str, Any]]:
    plans = outcome.plans
    for k, (pool, choice) in enumerate(zip(outcome.pools, outcome.choices, strict=True)):
        plan = plans.plans[k] if plans is not None else None
        same = pool.same_as()
        for place, candidate in enumerate(pool.candidates):
            tag = outcome.tags[k][place] if outcome.tags else None
            yield {
                "source": outcome.name,
                "item_id": pool.item_id,
                "candidate": place,
                "text": candidate.text,
                "status": candidate.status,
                "reason": candidate.reason,
                "same_as": same[place],
                "logprob": candidate.logprob,
                "labels": list(tag.labels) if tag is not None and tag.status == "ok" else None,
                "labels_status": tag.status if tag is not None else None,
                "plan": list(plan.labels) if plan is not None and plan.status == "ok" else None,
                "plan_kind": plans.kind if plans is not None else None,
                "plan_status": plan.status if plan is not None else None,
                "plan_reason": plan.reason if plan is not None else None,
                "similarity": choice.similarities[place],
                "chosen": place == choice.index,
                "why": choice.why[place],
                "strategy": outcome.strategy,
                "planner": plans.signature if plans is not None else None,
                "tagger": outcome.tagger,
            }


def responses_table(outcome: Outcome) -> pl.DataFrame:
    """Return the chosen answers as a responses table, one row an item.

    ``candidate`` says which one it was; calls, tokens, cost and time add up over all candidates,
    since that is what the answer took.
    """
    rows = []
    for pool, choice in zip(outcome.pools, outcome.choices, strict=True):
        chosen = pool.candidates[choice.index] if choice.index is not None else None
        rows.append(
            {
                "response_id": f"{pool.item_id}/{outcome.name}/{choice.index or 0}",
                "item_id": pool.item_id,
                "source": outcome.name,
                "candidate": choice.index or 0,
                "text": chosen.text if chosen is not None else "",
                "error": chosen.reason if chosen is not None else _why_none(outcome, choice.why),
                **pool.made,
            }
        )
    return pl.DataFrame(rows, schema=tables.SCHEMAS["responses"])


def _why_none(outcome: Outcome, why: Sequence[str]) -> str:
    said = "; ".join(f"{n} {word}" for word, n in Counter(why).most_common())
    return f"no candidate can be used: {said or 'there is none'}"


@dataclass(frozen=True)
class Account:
    """How many of each there are.

    Parameters
    ----------
    strategy
        How answers came about.
    items, candidates
        In all.
    statuses
        Of candidates.
    identical
        Candidates with the words of an earlier one of the same item.
    untagged
        Candidates with words and no labels.
    plans
        Statuses of plans; ``empty_plans`` of those that are ok name no label.
    unknown
        Labels of plans that the tagger cannot give, and how often.
    not_asked
        Items of a table of labels that were not to be answered.
    changed
        Items whose chosen candidate is not the first.
    unanswered
        Items of which no candidate can be used.
    """

    strategy: str
    items: int
    candidates: int
    statuses: dict[str, int]
    identical: int
    untagged: int
    plans: dict[str, int]
    empty_plans: int
    unknown: dict[str, int]
    not_asked: int
    changed: int
    unanswered: int


def account(outcome: Outcome) -> Account:
    """Count what came out."""
    everyone = [c for pool in outcome.pools for c in pool.candidates]
    plans = outcome.plans.plans if outcome.plans is not None else ()
    known = outcome.label_set
    return Account(
        strategy=outcome.strategy,
        items=len(outcome.pools),
        candidates=len(everyone),
        statuses=dict(Counter(c.status for c in everyone).most_common()),
        identical=sum(s is not None for pool in outcome.pools for s in pool.same_as()),
        untagged=sum(
            c.status == "ok" and t.status != "ok"
            for pool, tags in zip(outcome.pools, outcome.tags, strict=False)
            for c, t in zip(pool.candidates, tags, strict=True)
        ),
        plans=dict(Counter(p.status for p in plans).most_common()),
        empty_plans=sum(p.status == "ok" and not p.labels for p in plans),
        unknown=outcome.plans.unknown(known) if outcome.plans and known else {},
        not_asked=outcome.plans.not_asked if outcome.plans is not None else 0,
        changed=sum(bool(c.index) for c in outcome.choices),
        unanswered=sum(c.index is None for c in outcome.choices),
    )


def results(candidates: pl.DataFrame, *, level: float = 0.95, seed: int = 1) -> list[Result]:
    """Return mean similarities to the plan, by source, over items, with intervals.

    ``nls_chosen`` is that of the answers. Where they were chosen, ``nls_first`` is that of the
    first candidates and ``nls_chosen_minus_first`` the mean difference: the similarities are the
    tagger's opinion, which also chose, so that it is not negative says nothing of quality. An item
    where a similarity is missing is left out and counted. A source without plans has no results.
    No interval goes beyond what a mean can be, as Student's of a few items would.

    Parameters
    ----------
    candidates
        As `candidates_table` returns them.
    level, seed
        Of the intervals.
    """
    similarity = pl.col("similarity")
    planned = candidates.filter(pl.col("plan_kind").is_not_null())
    by_item = planned.group_by("source", "strategy", "item_id", maintain_order=True).agg(
        nls_chosen=similarity.filter(pl.col("chosen")).first(),
        nls_first=similarity.filter(pl.col("candidate") == 0).first(),
    )
    by_item = by_item.with_columns(
        nls_chosen_minus_first=pl.col("nls_chosen") - pl.col("nls_first")
    )
    return [
        replace(
            _within(bootstrap_mean(part[name].fill_null(math.nan), level=level, seed=seed)),
            name=name,
            group={"source": source},
        )
        for (source, strategy), part in by_item.group_by("source", "strategy", maintain_order=True)
        for name in (MEANS if strategy == "rerank" else MEANS[:1])
    ]


def _within(mean: Result) -> Result:
    low, high = (float(np.clip(end, 0.0, 1.0)) for end in (mean.ci_low, mean.ci_high))
    if math.isnan(low) or (low, high) == (mean.ci_low, mean.ci_high):
        return mean
    return replace(mean, ci_low=low, ci_high=high, method=f"{mean.method}, cut at 0 and 1")


def path_of(run: Run) -> Path:
    """Return where a run keeps its candidates."""
    return run.folder / "candidates.parquet"


def refuse_loss(run: Run, name: str) -> None:
    """Refuse a source that the run has from elsewhere: its responses would be lost.

    Raises
    ------
    UserError
        Where the run has responses of this source, and no candidates of it.
    """
    if not run.has("responses") or name not in run.read("responses")["source"]:
        return
    if not path_of(run).exists() or name not in read(run)["source"]:
        raise UserError(
            f"the run has responses of {name!r} that were not chosen from candidates, and would be "
            "lost.",
            where=str(run.folder),
            fix="Give another --name, or another --run.",
        )


def replaced(run: Run, outcome: Outcome) -> int:
    """Return how many of a run's answers of the same name will be gone, and not made again.

    They are to other items, or were chosen by another plan or tagger.
    """
    if not path_of(run).exists():
        return 0
    planner = outcome.plans.signature if outcome.plans is not None else None
    again = (
        pl.col("item_id").is_in([pool.item_id for pool in outcome.pools])
        & pl.col("planner").eq_missing(pl.lit(planner))
        & pl.col("tagger").eq_missing(pl.lit(outcome.tagger))
    )
    mine = read(run).filter(pl.col("source") == outcome.name)
    return int(mine.filter(~again)["item_id"].n_unique())


def write(run: Run, outcome: Outcome) -> None:
    """Add an outcome to a run: items, the chosen responses and all candidates.

    What the run has of the same source is replaced, the rest stays.
    """
    answers, table = responses_table(outcome), candidates_table(outcome)
    items = outcome.items
    if run.has("items"):
        known = run.read("items")
        items = pl.concat([known, items.join(known, on="item_id", how="anti")])
    run.write(items, "items")
    if run.has("responses"):
        others = run.read("responses").filter(pl.col("source") != outcome.name)
        answers = pl.concat([others, answers])
    if path_of(run).exists():
        table = pl.concat([read(run).filter(pl.col("source") != outcome.name), table])
    run.write(answers, "responses")
    part = path_of(run).with_suffix(".part")
    table.write_parquet(part)
    part.replace(path_of(run))
    counts = account(outcome)
    run.record(f"respond {outcome.name}", items=counts.items, unanswered=counts.unanswered)


def read(run: Run) -> pl.DataFrame:
    """Return a run's candidates table.

    Raises
    ------
    UserError
        Where it has none, or the file is another table.
    """
    file = path_of(run)
    if not file.is_file():
        raise UserError(
            "this run has no candidates.",
            where=str(run.folder),
            fix="Make some: attunement respond --items TABLE --run FOLDER.",
        )
    found = tables.read_frame(file)
    if dict(found.schema) != SCHEMA:
        raise UserError("this is no table of candidates.", where=str(file))
    return found
