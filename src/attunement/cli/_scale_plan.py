"""How many respondents a scale takes, for ``attunement scale plan``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from attunement.cli import _scale_text as text
from attunement.cli._common import print_json
from attunement.errors import UserError

if TYPE_CHECKING:
    from attunement.stats.scale_planning import Population, Trial

_FIX = "attunement scale plan --help says what each option takes."
_GOOD = 0.8


@dataclass(frozen=True)
class Wanted:
    """What the options say: see the command."""

    factors: int
    per_factor: int
    loading: float
    between: float
    steps: int
    half_width: float
    replicates: int
    seed: int


@dataclass(frozen=True)
class Planned:
    """What came of it: trials, the name of what is typical of them, and sentences."""

    trials: tuple[Trial, ...]
    typical: str
    sentences: tuple[str, ...]


def for_alpha(wanted: Wanted, alpha: float) -> Planned:
    """Return how many respondents the interval of one dimension's alpha takes."""
    from attunement.stats.scale_planning import loading_for_alpha, respondents_for_alpha

    try:
        loading = loading_for_alpha(alpha, wanted.per_factor)
        n, trials = respondents_for_alpha(
            _population(replace(wanted, factors=1, loading=loading)),
            wanted.half_width,
            assurance=_GOOD,
            replicates=wanted.replicates,
            seed=wanted.seed,
        )
    except ValueError as error:
        raise UserError(f"{error}.", fix=_FIX) from None
    answer = (
        f"No number up to {trials[-1].n:,} suffices."
        if n is None
        else f"{n:,} respondents: then the interval of an alpha of {alpha:g} of "
        f"{wanted.per_factor} items is no wider than {2 * wanted.half_width:g} in at least "
        f"{_GOOD:.0%} of studies."
    )
    steps = (
        f"Answers on {wanted.steps} points have a slightly lower alpha than the {alpha:g} behind "
        "them."
    )
    return Planned(tuple(trials), "half-width", (answer, steps))


def for_structure(wanted: Wanted, respondents: str, advance: Callable[[int], None]) -> Planned:
    """Return how often a confirmatory analysis would come out well."""
    from attunement.stats.scale_planning import respondents_for_structure

    population, trials = _population(wanted), []
    for n in _numbers(respondents):
        try:
            trials += respondents_for_structure(
                population,
                [n],
                precision=wanted.half_width,
                replicates=wanted.replicates,
                seed=wanted.seed,
            )
        except ValueError as error:
            raise UserError(f"{error}.", fix=_FIX) from None
        advance(1)
    enough = [t.n for t in trials if t.succeeded.estimate >= _GOOD]
    what = (
        f"come to a proper solution that fits closely, with the median loading known to "
        f"{wanted.half_width:g}"
    )
    answer = (
        f"{min(enough):,} respondents: at least {_GOOD:.0%} of studies {what}."
        if enough
        else f"None of these numbers makes {_GOOD:.0%} of studies {what}: try larger ones."
    )
    return Planned(
        tuple(trials),
        "RMSEA",
        (answer, "This holds if the model is right; a wrong one fits no better with more people."),
    )


def _population(wanted: Wanted) -> Population:
    from attunement.stats.scale_planning import Population

    try:
        return Population(
            wanted.factors, wanted.per_factor, wanted.loading, wanted.between, wanted.steps
        )
    except ValueError as error:
        raise UserError(f"{error}.", fix=_FIX) from None


def _numbers(respondents: str) -> list[int]:
    parts = [part.strip() for part in respondents.split(",")]
    if not all(part.isascii() and part.isdigit() and 2 < int(part) <= 100_000 for part in parts):
        raise UserError(
            f"--respondents {respondents!r} is not a list of numbers from 3 on.",
            fix="Write it as 100,200,300.",
        )
    return sorted({int(part) for part in parts})


def show(planned: Planned, *, as_json: bool) -> None:
    """Print the trials and what they say."""
    if as_json:
        results = [replace(t.succeeded, group={"respondents": str(t.n)}) for t in planned.trials]
        print_json(results, sentences=list(planned.sentences))
        return
    text.table(
        "Simulated studies",
        ("respondents", "came out well", f"median {planned.typical}"),
        [
            (f"{t.n:,}", text.interval(t.succeeded), text.number(t.typical, 3))
            for t in planned.trials
        ],
    )
    text.say(planned.sentences)
