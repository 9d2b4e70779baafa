"""The verdict on a judge, in words that say no more than its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attunement.judges_vs_people._compare import Held
from attunement.stats.bootstrap import FEW
from attunement.stats.result import Result
from attunement.stats.source_order import PairOfSources

SCREEN = 0.8
"""Recall that its whole interval has to reach before a judge may be said to find something."""


@dataclass(frozen=True)
class Verdict:
    """For what a judge may replace a person, and for what not.

    Parameters
    ----------
    judge
        The judge's name.
    text
        One line.
    may, may_not, open
        Dimensions on which it may stand in for one of several people, on which it may not, and
        on which the data do not decide, the latter with the reason.
    biased
        Dimensions on which its ratings are shown to lie above (+1) or below (-1) people's.
    finds, misses
        What it is shown to find, and not to find: dimensions, as ``yes`` or ``sentences``.
    misordered
        Pairs of sources that it is shown to put in the other order, by dimension.

    """

    judge: str
    text: str
    may: tuple[str, ...]
    may_not: tuple[str, ...]
    open: tuple[tuple[str, str], ...]
    biased: tuple[tuple[str, int], ...]
    finds: tuple[tuple[str, str], ...]
    misses: tuple[tuple[str, str], ...]
    misordered: tuple[tuple[str, str, str], ...]


def verdict(judge: str, held: Sequence[Held]) -> Verdict:
    """Return the verdict on one judge from its dimensions."""
    may, may_not, undecided = [], [], []
    for one in held:
        if one.alt_test is None:
            continue
        stands, why = _stands_in(one)
        if stands:
            may.append(one.dimension)
        elif why is None:
            may_not.append(one.dimension)
        else:
            undecided.append((one.dimension, why))
    biased = [(one.dimension, one.bias_shown) for one in held if one.bias_shown]
    finds, misses, searched = [], [], []
    for one in held:
        for what, result in _recalls(one):
            searched.append((one.dimension, what, result))
            if result.n < FEW:
                continue
            if result.ci_low >= SCREEN:
                finds.append((one.dimension, what))
            elif result.ci_high < SCREEN:
                misses.append((one.dimension, what))
    told = [(one.dimension, p) for one in held if one.items >= FEW for p in _pairs(one)]
    pairs = [
        (dimension, *((p.a, p.b) if p.people.estimate > 0 else (p.b, p.a)))
        for dimension, p in told
        if p.order == "opposite"
    ]
    same = sum(p.order == "same" for _, p in told)
    parts = [_replacing(held, may, may_not, undecided)]
    parts += _bias(held)
    parts += _order(pairs, same)
    parts += [_finding(*one) for one in searched]
    return Verdict(
        judge=judge,
        text=f"{judge}: {' '.join(parts)}",
        may=tuple(may),
        may_not=tuple(may_not),
        open=tuple(undecided),
        biased=tuple(biased),
        finds=tuple(finds),
        misses=tuple(misses),
        misordered=tuple(pairs),
    )


def _pairs(one: Held) -> tuple[PairOfSources, ...]:
    return () if one.order is None else one.order.pairs


def _stands_in(one: Held) -> tuple[bool, str | None]:
    """Return whether a judge may stand in for a person, and why that is open where it is."""
    assert one.alt_test is not None
    if one.alt_test.passed is None:
        return False, one.alt_test.reason or "no verdict"
    if not one.alt_test.passed:
        return False, None
    # Where nearly all ratings are the same, a judge that never looks passes too; and of a handful
    # of others it may have found all by chance.
    beyond = "it passes the test but is not shown to agree with people beyond chance"
    if one.kappa is not None and not one.kappa.estimate > 0:
        return False, beyond
    if one.unlike < FEW:
        return False, (
            f"it passes the test, but people rated only {one.unlike} of the answers otherwise than "
            f"most of them, and at least {FEW} are needed to show agreement beyond chance"
        )
    if one.kappa is not None and not one.kappa.ci_low > 0:
        return False, beyond
    return True, None


def _replacing(
    held: Sequence[Held],
    may: list[str],
    may_not: list[str],
    undecided: list[tuple[str, str]],
) -> str:
    tests = [one.alt_test for one in held if one.alt_test is not None]
    how = f" (alternative-annotator test, epsilon {tests[0].epsilon:g})" if tests else ""
    said = []
    if may:
        said.append(f"may stand in for one of several people on {_list(may)}{how}")
    if may_not:
        said.append(
            f"{'not' if may else 'may not stand in for a person'} on {_list(may_not)}"
            f"{'' if may else how}"
        )
    if undecided:
        reasons: dict[str, list[str]] = {}
        for dimension, why in undecided:
            reasons.setdefault(why, []).append(dimension)
        said += [f"open on {_list(names)}: {why}" for why, names in reasons.items()]
    if not said:
        return "No dimension could be tested."
    text = "; ".join(said)
    return text[0].upper() + text[1:] + "."


def _bias(held: Sequence[Held]) -> list[str]:
    said = []
    for side, word in ((1, "higher"), (-1, "lower")):
        names = [
            f"{one.dimension} by {abs(one.bias.estimate):.2f}{_interval(one.bias, flip=side < 0)}"
            for one in held
            if one.bias is not None and one.bias_shown == side
        ]
        if names:
            said.append(f"It rates {word} than people: {_list(names)}.")
    return said


def _order(pairs: list[tuple[str, str, str]], same: int) -> list[str]:
    if not pairs:
        return []
    shown = [f"{high} above {low} on {dimension}" for dimension, high, low in pairs[:3]]
    more = f" and {len(pairs) - 3} more" if len(pairs) > 3 else ""
    return [
        f"Not for ranking sources: of {len(pairs) + same} pairs that both it and people tell apart "
        f"it turns {len(pairs)} around; people rate {_list(shown)}{more}."
    ]


def _finding(dimension: str, what: str, result: Result) -> str:
    things = f"cases of {dimension}" if what == "yes" else f"sentences flagged for {dimension}"
    how = f"{result.estimate:.0%}{_interval(result, percent=True)} of {result.n} {things}"
    if result.ci_low >= SCREEN and result.n >= FEW:
        return f"It finds {how}."
    if result.ci_high < SCREEN and result.n >= FEW:
        return f"Not for finding what people flag: it finds {how}."
    return f"It finds {how}, too few to say whether it may search for them."


def _recalls(one: Held) -> list[tuple[str, Result]]:
    found = []
    if one.yes is not None and one.yes.recall.n:
        found.append(("yes", one.yes.recall))
    if one.flagged is not None and one.flagged.found.recall.n:
        found.append(("sentences", one.flagged.found.recall))
    return found


def _interval(result: Result, *, flip: bool = False, percent: bool = False) -> str:
    low, high = result.ci_low, result.ci_high
    if flip:
        low, high = -high, -low
    if low != low or high != high:
        return ""
    if percent:
        return f" ({low:.0%} to {high:.0%})"
    return f" ({low:.2f} to {high:.2f})"


def _list(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
