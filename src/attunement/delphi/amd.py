"""Add, Modify, Drop: Algorithm 1 of Bolpagni and Gabrielli (2025), with the reason of every step.

The order is the algorithm's: thresholds of relevance, the owner's decisions (the qualitative
feedback, coded by people), redundancy, the minimum of items, dimensions that nothing is left of.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from attunement.delphi._model import (
    Action,
    Decision,
    ItemSummary,
    Outcome,
    PanelRound,
    Reason,
    Thresholds,
)
from attunement.delphi.owner import OwnerDecision, apply
from attunement.stats.delphi import third_quartile
from attunement.stats.result import Result

MINIMUM = 3
"""Items a dimension: with two there is no internal consistency to speak of."""
_SLACK = 1e-9


def decide(
    panel: PanelRound,
    *,
    thresholds: Thresholds | None = None,
    minimum: int = MINIMUM,
    owner: Sequence[OwnerDecision] = (),
) -> Outcome:
    """Apply Add-Modify-Drop to a round.

    Parameters
    ----------
    panel
        The round. Flags of redundancy count from the second round on, once the panel was asked.
    thresholds
        When an item stays.
    minimum
        Where redundancy would leave a dimension fewer items, those with the higher mean relevance
        stay. Items that failed the relevance thresholds are not brought back: the dimension then
        needs new ones, and a warning says so. 0 for no minimum.
    owner
        What the owner decided; it counts over the thresholds and is marked as such.

    Raises
    ------
    UserError
        Where the owner decided on an item that is not there, or on one twice.

    """
    limits = thresholds or Thresholds()
    decisions = [_by_relevance(s, limits) for s in panel.summaries]
    flags = _threshold_of_flags(panel, limits)
    if flags is not None:
        decisions = [_by_redundancy(d, flags.estimate) for d in decisions]
    by_rule = [d.action for d in _keep_minimum(decisions, minimum, Counter())]
    overlaid, additions = apply(owner, decisions)
    more = Counter(a.item.dimension for a in additions)
    final = _keep_minimum(overlaid, minimum, more)
    outcome = Outcome(
        round=panel,
        decisions=tuple(replace(d, by_rule=said) for d, said in zip(final, by_rule, strict=True)),
        additions=additions,
        thresholds=limits,
        redundancy=flags,
        minimum=minimum,
    )
    return replace(outcome, warnings=tuple(_warnings(outcome)))


def _by_relevance(summary: ItemSummary, limits: Thresholds) -> Decision:
    agreed, center, spread = (summary.value(name) for name in ("agreement", "mean", "iqr"))
    missing = [
        Reason("missing", f"{name} is unknown: {_why(summary, name)}")
        for name, value in (("agreement", agreed), ("mean", center), ("iqr", spread))
        if math.isnan(value)
    ]
    failed: list[Reason] = []
    percent = 100 * agreed
    if percent < limits.agreement - _SLACK:
        text = f"agreement {percent:.2f} % is below {limits.agreement:g} %"
        failed.append(Reason("agreement", text, percent, limits.agreement))
    if center < limits.mean - _SLACK:
        text = f"mean relevance {center:.2f} is below {limits.mean:g}"
        failed.append(Reason("mean", text, center, limits.mean))
    if spread >= limits.iqr - _SLACK:
        text = f"interquartile range {spread:.2f} is not below {limits.iqr:g}"
        failed.append(Reason("iqr", text, spread, limits.iqr))
    if failed:
        return Decision(summary, "drop", (*failed, *missing))
    if missing:
        return Decision(summary, "undecided", tuple(missing))
    passed = (
        f"agreement {percent:.2f} % (at least {limits.agreement:g} %), mean relevance "
        f"{center:.2f} (at least {limits.mean:g}), interquartile range {spread:.2f} (below "
        f"{limits.iqr:g})"
    )
    return Decision(summary, "keep", (Reason("passed", passed),))


def _why(summary: ItemSummary, name: str) -> str:
    found = summary.results.get(name)
    return (found.reason if found is not None else None) or "the table does not have it"


def _threshold_of_flags(panel: PanelRound, limits: Thresholds) -> Result | None:
    flags = [s.value("redundancy_flags") for s in panel.summaries]
    if panel.number < 2 or all(math.isnan(f) for f in flags):
        return None
    found = third_quartile(flags)
    if limits.redundancy is None:
        return found
    return replace(found, estimate=limits.redundancy, method="a number of flags that was given")


def _by_redundancy(decision: Decision, threshold: float) -> Decision:
    flags = decision.summary.value("redundancy_flags")
    if not flags > threshold + _SLACK:
        return decision
    overlaps = decision.summary.overlaps
    named = ", ".join(f"{item} ({n})" for item, n in overlaps.items())
    text = f"{flags:g} flags of redundancy, more than {threshold:g}" + (
        f"; said to overlap with {named}" if named else ""
    )
    reason = Reason("redundancy", text, flags, threshold)
    before = () if decision.action == "keep" else decision.reasons
    action: Action = "drop" if decision.action != "undecided" else "undecided"
    return replace(decision, action=action, reasons=(*before, reason))


def _only_redundant(decision: Decision) -> bool:
    rules = {r.rule for r in decision.reasons}
    return decision.action == "drop" and decision.by == "rule" and rules == {"redundancy"}


def _keep_minimum(
    decisions: Sequence[Decision], minimum: int, more: Counter[str]
) -> list[Decision]:
    """Bring back redundant items, the higher mean relevance first, up to the minimum."""
    final = list(decisions)
    for dimension in dict.fromkeys(d.item.dimension for d in decisions):
        own = [i for i, d in enumerate(final) if d.item.dimension == dimension]
        left = more[dimension] + sum(
            max(1, len(final[i].into)) for i in own if final[i].action != "drop"
        )
        spare = sorted(
            (i for i in own if _only_redundant(final[i])),
            key=lambda i: (
                -final[i].summary.value("mean"),
                final[i].summary.value("redundancy_flags"),
                i,
            ),
        )
        for i in spare[: max(0, minimum - left)]:
            text = (
                f"kept all the same: {dimension} would have fewer than {minimum} items, and its "
                f"mean relevance {final[i].summary.value('mean'):.2f} is the highest of those "
                "dropped for redundancy alone"
            )
            reasons = (*final[i].reasons, Reason("minimum", text))
            final[i] = replace(final[i], action="keep", reasons=reasons)
    return final


def _warnings(outcome: Outcome) -> list[str]:
    said = []
    left = Counter(item.dimension for item in outcome.items)
    for dimension in outcome.lost_dimensions:
        said.append(f"No item of {dimension} is left: the dimension goes.")
    for dimension, n in left.items():
        if n < outcome.minimum:
            said.append(
                f"{dimension} has {n} of at least {outcome.minimum} items: new ones are needed."
            )
    undecided = [item.id for item in outcome.with_action("undecided")]
    if undecided:
        said.append(
            f"Not decided for want of ratings, and left in: {', '.join(undecided)}. "
            "The owner has to decide."
        )
    flags = outcome.redundancy
    if flags is not None and flags.estimate < 1:
        said.append(
            f"The third quartile of the flags is {flags.estimate:g}: a single expert's flag drops "
            "an item. Give a number of flags as the threshold if that is not meant."
        )
    return said
