"""Recommendations, the two sentences and the methods paragraph: words that follow from numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from attunement.analysis._cube import THERAPIST, Cube
from attunement.stats.bootstrap import FEW
from attunement.tables import REFERENCE

Row = Mapping[str, Any]
Rows = Sequence[Row]


def listed(names: Sequence[str], last: str = "and") -> str:
    """Return names as a sentence lists them.

    >>> listed(["a", "b", "c"])
    'a, b and c'

    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def number(value: float | None) -> str:
    """Return a number with two decimals, a minus sign that is one, and a dash where undefined."""
    if value is None or value != value:
        return "–"
    return f"{value:.2f}".replace("-", "\u2212")


def p_text(value: float | None) -> str:
    """Return ``p = 0.012`` or ``p < 0.001``."""
    if value is None or value != value:
        return "p undefined"
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def plural(count: int, one: str) -> str:
    """Return a count with its noun.

    >>> plural(1, "topic"), plural(1200, "question")
    ('1 topic', '1,200 questions')

    """
    return f"{count:,} {one}{'' if count == 1 else 's'}"


class Findings:
    """What was found on one topic over all metrics: the nearest source and what it is told from."""

    def __init__(self, cube: Cube, topic: str, ranking: Rows, comparisons: Rows) -> None:
        found = [r for r in ranking if r["topic"] == topic and _known(r.get("estimate"))]
        self.topic = topic
        self.noun = _noun(cube)
        self.ranked = sorted(found, key=lambda r: float(r["estimate"]))
        self.unranked = [s for s in cube.compared if s not in {r["source"] for r in found}]
        self.best: str | None = self.ranked[0]["source"] if self.ranked else None
        here = [r for r in comparisons if r["topic"] == topic and r["metric"] == "all"]
        self.pairs = [r for r in here if self.best in (r["source_a"], r["source_b"])]
        self.yardstick = next((r for r in self.pairs if r["source_b"] == THERAPIST), None)
        if self.yardstick is not None and not self.yardstick["n"]:
            self.yardstick = None
        ranked = {str(r["source"]) for r in found}
        self.others = [
            r for r in self.pairs if r["source_b"] != THERAPIST and _other(r, self.best) in ranked
        ]
        beyond = {
            r["source_a"] for r in here if r["source_b"] == THERAPIST and r["closer"] == THERAPIST
        }
        self.unknown = [s for s in self.unranked if s not in beyond]
        self.open = (
            [_other(r, self.best) for r in self.others if r["closer"] != self.best]
            if self.best
            else []
        )

    @property
    def beyond(self) -> bool:
        """Whether the nearest source is shown to be farther than the yardstick."""
        return self.yardstick is not None and self.yardstick["closer"] == THERAPIST

    @property
    def kind(self) -> str:
        """``use``, ``none_good_enough`` or ``undecided``."""
        if self.beyond:
            return "undecided" if self.unknown else "none_good_enough"
        return "use" if self.best and self.others and not self.open else "undecided"


def _known(value: float | None) -> bool:
    return value is not None and value == value


def _other(row: Row, source: str | None) -> str:
    return str(row["source_b"] if row["source_a"] == source else row["source_a"])


def recommend(
    cube: Cube, ranking: Rows, comparisons: Rows, distance: Rows, answers: Rows
) -> list[dict[str, Any]]:
    """Return one recommendation for all topics together and one for each topic.

    ``use`` needs a source that is shown to be closer than every other; ``none_good_enough`` needs
    the nearest one to be shown farther than the yardstick; everything else is ``undecided``.
    """
    out = []
    for topic in ("all", *cube.named_topics):
        found = Findings(cube, topic, ranking, comparisons)
        out.append(
            {
                "topic": topic,
                "source": found.best if found.kind == "use" else None,
                "kind": found.kind,
                "text": _text(found),
                "evidence": _evidence(cube, found, distance, answers),
            }
        )
    return out


def _text(found: Findings) -> str:
    where = "Over all topics" if found.topic == "all" else f"For {found.topic}"
    best, enough = found.best, _enough(found)
    noun = found.noun
    if best is None:
        return f"{where}, no distance could be computed, so nothing can be recommended."
    if found.kind == "none_good_enough":
        return (
            f"{where}, no source is good enough: even {best}, the nearest, is farther from "
            f"{noun} than another therapist's answer is."
        )
    if found.kind == "use":
        return f"{where}, use {best}: it is closer to the reference than {_rivals(found)}. {enough}"
    if not found.others and not found.beyond:
        return f"{where}, {best} is the only source, so there is no choice to make. {enough}"
    if found.beyond:
        return (
            f"{where}, {best}, the nearest of those that could be ranked, is farther from {noun} "
            f"than another therapist's answer is; {_unranked(found)}."
        )
    items = plural(found.ranked[0]["n"], "item")
    return (
        f"{where}, the data ({items}) do not decide: {best} has the smallest distance but is not "
        f"told apart from {listed(found.open)}, which does not mean that they are equally close. "
        f"{enough}"
    )


def _unranked(found: Findings) -> str:
    verb = "was" if len(found.unknown) == 1 else "were"
    return (
        f"{listed(found.unknown)} {verb} rated on too few items and metrics to be ranked, which "
        "leaves open whether any source is good enough"
    )


def _rivals(found: Findings) -> str:
    names = [_other(r, found.best) for r in found.others]
    every = "every other ranked source" if found.unranked else "every other source"
    return names[0] if len(names) == 1 else every


def _enough(found: Findings) -> str:
    if found.yardstick is None:
        return "There are no other therapists' answers to say whether that is close enough."
    if found.yardstick["closer"] == found.best:
        return "It is closer than another therapist's answer is."
    return "Whether it is as close as another therapist's answer is not decided."


def _evidence(cube: Cube, found: Findings, distance: Rows, answers: Rows) -> list[str]:
    said = [
        f"{r['source']}: mean standardized distance {_span(r, 'estimate')}, "
        f"{plural(r['n'], 'item')}"
        + (f", nearest in {r['p_best']:.0%} of resamples" if _known(r["p_best"]) else "")
        for r in found.ranked
    ]
    said += [
        f"yardstick: another therapist's mean standardized distance {_span(r, 'estimate')}, "
        f"{plural(r['n'], 'item')}"
        for r in distance
        if (r["source"], r["topic"], r["metric"]) == (THERAPIST, found.topic, "all") and r["n"]
    ]
    for r in found.pairs:
        if r["n"]:
            b = "another therapist" if r["source_b"] == THERAPIST else r["source_b"]
            said.append(
                f"{r['source_a']} minus {b}: {_span(r, 'difference')}, Holm-adjusted "
                f"{p_text(r['p_adjusted'])}, rank-biserial {number(r['effect_size'])}, "
                f"{plural(r['n'], 'item')}"
            )
    said += [f"{s}: not ranked, rated on too few items and metrics" for s in found.unranked]
    said += [_price(r) for r in answers if r["source"] == found.best and _price(r)]
    if cube.demonstration:
        said.append(
            f"scores by {listed(cube.demonstration)} are of demonstration quality and must not "
            "guide a decision"
        )
    return said


def _span(row: Row, column: str) -> str:
    value = number(row[column])
    if not _known(row["ci_low"]):
        return f"{value} (no interval)"
    return f"{value} [{number(row['ci_low'])}, {number(row['ci_high'])}]"


def _price(row: Row) -> str:
    said = []
    if _known(row["latency_mean_s"]):
        said.append(f"{row['latency_mean_s']:.1f} s an answer")
    if _known(row["cost_total_usd"]) and row["n"]:
        said.append(f"{row['cost_total_usd'] / row['n']:.4f} USD an answer")
    return f"{row['source']}: {listed(said)}" if said else ""


NAMES_SHOWN = 6


def summarize(cube: Cube, ranking: Rows, comparisons: Rows) -> list[str]:
    """Return what was compared, what came out and, where there are some, whose ratings are not in.

    One sentence each.
    """
    names = cube.compared[:NAMES_SHOWN]
    more = len(cube.compared) - len(names)
    who = listed([*names, f"{more} more"] if more else names)
    topics = cube.named_topics
    scope = f" in {plural(len(topics), 'topic')}" if topics else ""
    doubt = (
        f", with scores by {listed(cube.demonstration)} that are of demonstration quality only"
        if cube.demonstration
        else ""
    )
    count = len(cube.compared)
    first = (
        f"{plural(count, 'source')} ({who}) {'was' if count == 1 else 'were'} compared with "
        f"{_gold(cube)} to {plural(len(cube.items), 'question')}{scope} on "
        f"{plural(_measured(cube), 'metric')}{doubt}."
    )
    said = [first, _outcome(Findings(cube, "all", ranking, comparisons))]
    if cube.judged_too:
        said.append(
            f"Judges' ratings of {listed(cube.judged_too)} are left out, since people rated that "
            "too: attunement compare-judges holds the ones against the others."
        )
    return said


def _measured(cube: Cube) -> int:
    """Return how many metrics have a value for any compared source."""
    columns = [cube.sources.index(s) for s in cube.compared]
    return sum(bool(np.isfinite(cube.value[m][:, columns]).any()) for m in range(len(cube.metrics)))


def _gold(cube: Cube) -> str:
    if cube.column(cube.reference) is None:
        return "no reference answers"
    own = cube.reference == REFERENCE
    return "the reference answers" if own else f"the answers of {cube.reference}"


def _noun(cube: Cube) -> str:
    return "the reference" if cube.reference == REFERENCE else cube.reference


def _outcome(found: Findings) -> str:
    if found.best is None:
        return "No distance from the reference could be computed, so nothing can be concluded."
    row = found.ranked[0]
    size = f"{_span(row, 'estimate')} over {plural(row['n'], 'question')}"
    if not found.others:
        said = f"{found.best} is at a mean standardized distance from {found.noun} of {size}"
    else:
        said = (
            f"{found.best} has the smallest mean standardized distance from the reference, {size}"
        )
        told = f", and is closer than {_rivals(found)}"
        said += f", but is not told apart from {listed(found.open)}" if found.open else told
    if found.yardstick is None:
        enough = "no other therapists' answers are there to say whether that is close enough"
    elif found.beyond and found.unknown:
        enough = f"that is farther than another therapist's answer is; {_unranked(found)}"
    elif found.beyond:
        enough = (
            "that is farther than another therapist's answer is, so by this yardstick no source is "
            "good enough"
        )
    elif found.yardstick["closer"] == found.best:
        enough = "it is closer than another therapist's answer is"
    else:
        enough = "whether it is as close as another therapist's answer is not decided"
    return f"{said}; {enough}."


def methods_text(
    cube: Cube, variant: str, *, level: float, seed: int, replicates: int, signatures: Sequence[str]
) -> str:
    """Return the methods paragraph, ready to paste."""
    versions = ", ".join(f"{p} {version(p)}" for p in ("attunement", "numpy", "scipy", "polars"))
    yardstick = (
        "The same distance of other therapists' answers to the same questions served as the "
        "yardstick, and as the margin of equivalence of the mean signed difference (two one-sided "
        "paired t tests). "
        if THERAPIST in cube.sources
        else "No other therapists' answers were there to serve as a yardstick. "
    )
    scaling = (
        "simplicity divided by 100, agreeability and active listening by 10"
        if variant == "paper"
        else "scaled to 0..1 by each metric's range"
    )
    formula = ", and the published formula (r1 - r2) / sqrt(2 (1 - r1 r2) / 7)"
    paper = formula if variant == "paper" else ""
    apart = (
        f" Left out, since they compare systems and are no distance: {listed(cube.apart)}."
        if cube.apart
        else ""
    )
    counted = f"{plural(len(cube.compared), 'source')} to {plural(len(cube.items), 'question')}"
    return (
        f"Answers of {counted} were rated on {listed(cube.metrics)} ({variant} variant). Ratings "
        "were averaged over a rater's replicates, then over raters. For every item and metric the "
        "distance from the reference is the absolute difference between an answer's value and that "
        "of the reference answer to the same question, averaged over candidates (for emotion "
        "consistency, 1 minus the value). Distances were standardized by the reference's standard "
        "deviation over items (emotion consistency by 1) and averaged over metrics. "
        f"{yardstick}"
        "Sources were compared on the items and metrics that both have by the mean paired "
        f"difference with a {level:.0%} interval (BCa bootstrap over items, {replicates:,} "
        f"replicates, seed {seed}; Student's t below {FEW} items) and the Wilcoxon signed-rank "
        "test (zeros by Pratt's method; exact up to 50 differences) with the matched-pairs "
        "rank-biserial correlation, Holm-corrected over the pairs of a metric and topic. Ranks "
        "were resampled over items. Correlations of mean profiles with the reference's "
        f"({scaling}) and their differences (Meng, Rosenthal and Rubin 1992; Steiger 1980; Fisher "
        f"1925{paper}) rest on the metrics as points and are descriptive. Missing values were left "
        f"out by cell and counted.{apart} Software: {versions}. "
        f"Signatures: {'; '.join(signatures)}."
    )
