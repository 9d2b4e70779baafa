"""The choice: the candidate whose labels are most like the plan."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from attunement.planning.nls import similarity
from attunement.planning.planner import Plan
from attunement.respond.candidates import Candidate


@dataclass(frozen=True)
class Choice:
    """What was chosen of an item's candidates, and why.

    Parameters
    ----------
    index
        Of the chosen candidate; None where none can be.
    similarities
        Of each candidate's labels and the plan, 0 to 1; None where either is missing.
    why
        One phrase for each candidate.
    """

    index: int | None
    similarities: tuple[float | None, ...]
    why: tuple[str, ...]

    @property
    def chosen(self) -> float | None:
        """The similarity of the chosen candidate."""
        return None if self.index is None else self.similarities[self.index]

    @property
    def first(self) -> float | None:
        """The similarity of the model's first candidate."""
        return self.similarities[0] if self.similarities else None


def similarities(
    plan: Plan | None, candidates: Sequence[Candidate], tags: Sequence[Plan]
) -> tuple[float | None, ...]:
    """Return how much each candidate's labels are like the plan's."""
    return tuple(
        similarity(tag.labels, plan.labels)
        if plan is not None and plan.status == tag.status == candidate.status == "ok"
        else None
        for candidate, tag in zip(candidates, tags, strict=True)
    )


def first(plan: Plan | None, candidates: Sequence[Candidate], tags: Sequence[Plan]) -> Choice:
    """Take the first candidate, as where nobody plans; its similarity is told all the same."""
    usable = bool(candidates) and candidates[0].status == "ok"
    why = ["the first" if c.status == "ok" else _unusable(c) for c in candidates[:1]]
    why += ["not the first"] * (len(candidates) - 1)
    return Choice(0 if usable else None, similarities(plan, candidates, tags), tuple(why))


def choose(plan: Plan, candidates: Sequence[Candidate], tags: Sequence[Plan]) -> Choice:
    """Take the candidate with the highest similarity.

    Of equals it is the more probable one where the probabilities of all equals are known, then the
    first. Where there is no plan, or no candidate has labels, it is the first that has words.

    Parameters
    ----------
    plan
        What the turn should show.
    candidates
        In the model's order.
    tags
        What each of them shows.
    """
    alike = similarities(plan, candidates, tags)
    known = [(s, k) for k, s in enumerate(alike) if s is not None]
    if not known:
        return _without_similarity(plan, candidates, tags, alike)
    best = max(s for s, _ in known)
    equals = [k for s, k in known if s == best]
    odds = [candidates[k].logprob for k in equals]
    probable = [-math.inf if p is None else p for p in odds]
    by_odds = None not in odds and len(equals) > 1
    index = equals[probable.index(max(probable))] if by_odds else equals[0]
    decided = "highest similarity" if best > 0 else "none is like the plan"
    if len(equals) > 1:
        which = "the most probable" if by_odds else "the first"
        decided += f", {which} of {len(equals)} equals"
    why = []
    for k, (candidate, tag) in enumerate(zip(candidates, tags, strict=True)):
        if k == index:
            why.append(decided)
        elif k in equals:
            why.append("as similar, but less probable or later" if by_odds else "as similar, later")
        else:
            why.append("less similar" if alike[k] is not None else _unusable(candidate, tag))
    return Choice(index, alike, tuple(why))


def _without_similarity(
    plan: Plan,
    candidates: Sequence[Candidate],
    tags: Sequence[Plan],
    alike: tuple[float | None, ...],
) -> Choice:
    index = next((k for k, c in enumerate(candidates) if c.status == "ok"), None)
    because = (
        f"there is no plan ({plan.status})" if plan.status != "ok" else "no candidate has labels"
    )
    why = []
    for k, (candidate, tag) in enumerate(zip(candidates, tags, strict=True)):
        if k == index:
            why.append(f"the first with words: {because}")
        elif candidate.status == "ok" and plan.status != "ok":
            why.append(f"later, and {because}")
        else:
            why.append(_unusable(candidate, tag))
    return Choice(index, alike, tuple(why))


def _unusable(candidate: Candidate, tag: Plan | None = None) -> str:
    if candidate.status != "ok":
        return candidate.status.replace("_", " ")
    return f"no labels ({tag.status})" if tag is not None else "not chosen"
