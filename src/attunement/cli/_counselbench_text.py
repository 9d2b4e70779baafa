"""What ``attunement counselbench eval`` prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from attunement.cli._common import out
from attunement.cli._counselbench_tables import in_columns, p_value, row, span, table
from attunement.cli._plain import plain

if TYPE_CHECKING:
    from rich.table import Table

    from attunement.counselbench import Bands, Evaluation


def show_evaluation(found: Evaluation) -> None:
    """Print every table of an evaluation, and what its agreement means for a study."""
    show = out()
    for means in _means(found):
        show.print(means)
    show.print(_agreement(found))
    for line in [*_reasons(found), *_size(found)]:
        show.print(plain(line))
    show.print()
    show.print(_pairs(found))
    for line in _untested(found):
        show.print(plain(line))
    unsure = table('"Not sure"', "source", "dimension", "share", "ratings", left=2)
    for rate in found.not_sure:
        group = rate.group
        row(unsure, group["source"], group["dimension"], span(rate, digits=3), str(rate.n))
    if found.not_sure:
        show.print(unsure)
    show.print(_low(found))
    for issues in _issues(found):
        show.print(issues)
    for bands in found.bands:
        show.print(_bands(bands))
        for note in (*_BANDS, *bands.notes):
            show.print(plain(f"- {note}"))
    for words in found.words:
        if words.group["dimension"] == "all":
            said = f"{span(words, digits=0)} ({words.n} annotators)"
            show.print(f"Median words that an annotator wrote, all reasons together: {said}")
    for note in found.notes:
        show.print(plain(f"- {note}"))


def _means(found: Evaluation) -> Iterator[Table]:
    given = found.scores
    cells = {(r.group["source"], r.group["dimension"]): r for r in found.means}
    for sources in in_columns(given.sources):
        made = table(
            f"Means of question means and 95 % intervals over questions (raters: {given.kind})",
            "dimension",
            *sources,
        )
        for dimension in given.dimensions:
            row(made, dimension, *(span(cells[s, dimension], between="\n") for s in sources))
        yield made


def _agreement(found: Evaluation) -> Table:
    made = table(
        "Krippendorff's alpha (ordinal; medical advice nominal)",
        "dimension",
        "by question, averaged",
        "questions",
        "undefined",
        "pooled",
        "answers",
    )
    cells = {(r.group["dimension"], r.group["over"]): r for r in found.agreement}
    for dimension in found.scores.dimensions:
        mean, pooled = cells[dimension, "question"], cells[dimension, "pooled"]
        row(
            made,
            dimension,
            span(mean, between="\n"),
            str(mean.n),
            str(mean.n_missing),
            span(pooled, between="\n"),
            str(pooled.n),
        )
    return made


def _reasons(found: Evaluation) -> list[str]:
    """Say why an alpha is undefined, or its interval not to be trusted."""
    whose: dict[str, list[str]] = {}
    for one in found.agreement:
        if one.reason:
            over = {"question": "by question", "pooled": "pooled"}[one.group["over"]]
            whose.setdefault(one.reason, []).append(f"{one.group['dimension']} {over}")
    return [f"- {', '.join(names)}: {reason}." for reason, names in whose.items()]


def _size(found: Evaluation) -> list[str]:
    from attunement.counselbench import size_table

    rows = size_table().rows(named=True)
    low, high = rows[0], rows[-1]
    return [
        "What this means for a study's size:",
        *(f"- {dimension}: {text}" for dimension, text in found.meaning.items()),
        f"- In general, at an agreement of {low['agreement']} to {high['agreement']} the mean of "
        f"five raters has a reliability of {low['of_5']:.2f} to {high['of_5']:.2f}; it takes "
        f"{low['raters']} to {high['raters']} raters an answer to reach 0.8, and with one rater "
        f"{low['answers']:.0f} to {high['answers']:.0f} times the answers.",
    ]


def _pairs(found: Evaluation) -> Table:
    made = table(
        "Differences of question means (Wilcoxon, rank-biserial effect, Holm within a dimension)",
        "dimension",
        "a - b",
        "difference",
        "effect",
        "p (Holm)",
        "n",
        left=2,
    )
    made.columns[2].no_wrap = True
    for pair in found.pairs:
        group, test = pair.test.group, pair.test
        effect = test.effect_size
        row(
            made,
            group["dimension"],
            f"{group['source_a']} - {group['source_b']}",
            span(pair.difference),
            "–" if effect != effect else f"{effect:+.2f}",
            p_value(test.p_adjusted),
            str(test.n),
        )
    return made


def _untested(found: Evaluation) -> list[str]:
    reasons = (pair.test.reason for pair in found.pairs if pair.test.p_value != pair.test.p_value)
    return [f"- Not tested: {reason}." for reason in dict.fromkeys(reasons) if reason]


def _low(found: Evaluation) -> Table:
    made = table(
        "Answers that somebody rated 2 or less overall",
        "source",
        "ratings",
        "of these 2 or less",
        "answers",
        "of these with such a rating",
        "of these sorted",
    )
    for one in found.issues.low.iter_rows(named=True):
        keys = ("ratings", "low_ratings", "answers", "low_answers", "sorted")
        row(made, one["source"], *(f"{one[key]:,}" for key in keys))
    return made


def _issues(found: Evaluation) -> Iterator[Table]:
    """Yield shares of every issue; sources of which no low-rated answer was sorted have none."""
    cells = {(r.group["source"], r.group["issue"]): r for r in found.issues.shares}
    sorted_ = [s for s in found.scores.sources if any(r.n for k, r in cells.items() if k[0] == s)]
    for sources in in_columns(sorted_):
        made = table(
            "Issues of low-rated answers that were sorted: share of n and 95 % interval",
            "issue",
            *sources,
        )
        for issue in dict.fromkeys(issue for _, issue in cells):
            shares = [cells[source, issue] for source in sources]
            row(made, issue, *(f"{span(r, between=chr(10))}\nn {r.n}" for r in shares))
        yield made


def _bands(bands: Bands) -> Table:
    names = bands.means["band"].unique(maintain_order=True).to_list()
    made = table(
        f"By {bands.by}, on the {bands.answers} answers that every band rated: mean (annotators)",
        "dimension",
        *names,
        "p paper",
        "p standard",
    )
    tests = {(t.group["dimension"], t.group["variant"]): t for t in bands.tests}
    cells = {(r["dimension"], r["band"]): r for r in bands.means.iter_rows(named=True)}
    for dimension in bands.means["dimension"].unique(maintain_order=True):
        own = [cells[dimension, name] for name in names]
        row(
            made,
            dimension,
            *("–" if r["mean"] is None else f"{r['mean']:.2f} ({r['annotators']})" for r in own),
            p_value(tests[dimension, "paper"].p_value),
            p_value(tests[dimension, "standard"].p_value),
        )
    return made


_BANDS = (
    "Annotators are those of the band who rated an answer that every band rated.",
    "p paper takes one annotator's ratings as independent and so finds differences too often; p "
    "standard permutes whole annotators.",
)
