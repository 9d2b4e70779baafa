"""What ``attunement counselbench`` prints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from attunement.cli._common import out
from attunement.cli._plain import plain

if TYPE_CHECKING:
    import polars as pl
    from rich.console import JustifyMethod
    from rich.table import Table

    from attunement.counselbench import Adversarial, Bands, Evaluation
    from attunement.stats.result import Result

_READ = 5
_UP_TO = 200


def _table(title: str, *columns: str, left: int = 1) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    title_ = plain(title, "table.title")
    table = Table(title=title_, title_justify="left", box=SIMPLE_HEAD, padding=(0, 0))
    for place, column in enumerate(columns):
        side: JustifyMethod = "left" if place < left else "right"
        table.add_column(plain(column), justify=side, no_wrap=place < left)
    return table


def _row(table: Table, *cells: str) -> None:
    table.add_row(*map(plain, cells))


def _span(result: Result | None, *, digits: int = 2, between: str = " ") -> str:
    if result is None or result.estimate != result.estimate:
        return "–"
    text = f"{result.estimate:.{digits}f}"
    if result.ci_low != result.ci_low:
        return text
    return f"{text}{between}[{result.ci_low:.{digits}f}, {result.ci_high:.{digits}f}]"


def _p(value: float) -> str:
    if value != value:
        return "–"
    return "<.001" if value < 0.001 else f"{value:.3f}"


def show_evaluation(found: Evaluation) -> None:
    """Print every table of an evaluation, and what its agreement means for a study."""
    show = out()
    show.print(_means(found))
    show.print(_agreement(found))
    for line in _size(found):
        show.print(plain(line))
    show.print()
    show.print(_pairs(found))
    unsure = _table('"Not sure"', "source", "dimension", "share", "ratings", left=2)
    for rate in found.not_sure:
        group = rate.group
        _row(unsure, group["source"], group["dimension"], _span(rate, digits=3), str(rate.n))
    if found.not_sure:
        show.print(unsure)
    show.print(_low(found))
    for bands in found.bands:
        show.print(_bands(bands))
        for note in bands.notes:
            show.print(plain(f"- {note}"))
    for words in found.words:
        if words.group["dimension"] == "all":
            show.print(f"Median words of an annotator's reasons: {_span(words, digits=0)}")
    for note in found.notes:
        show.print(plain(f"- {note}"))


def _means(found: Evaluation) -> Table:
    given = found.scores
    table = _table(
        f"Means of question means and 95 % intervals over questions (raters: {given.kind})",
        "dimension",
        *given.sources,
    )
    cells = {(r.group["source"], r.group["dimension"]): r for r in found.means}
    for dimension in given.dimensions:
        _row(table, dimension, *(_span(cells[s, dimension], between="\n") for s in given.sources))
    return table


def _agreement(found: Evaluation) -> Table:
    table = _table(
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
        _row(
            table,
            dimension,
            _span(mean, between="\n"),
            str(mean.n),
            str(mean.n_missing),
            _span(pooled, between="\n"),
            str(pooled.n),
        )
    return table


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
    table = _table(
        "Differences of question means (Wilcoxon, rank-biserial effect, Holm within a dimension)",
        "dimension",
        "a - b",
        "difference",
        "effect",
        "p (Holm)",
        "n",
        left=2,
    )
    table.columns[2].no_wrap = True
    for pair in found.pairs:
        group, test = pair.test.group, pair.test
        effect = test.effect_size
        _row(
            table,
            group["dimension"],
            f"{group['source_a']} - {group['source_b']}",
            _span(pair.difference),
            "–" if effect != effect else f"{effect:+.2f}",
            _p(test.p_adjusted),
            str(test.n),
        )
    return table


def _low(found: Evaluation) -> Table:
    table = _table(
        "Answers rated 2 or less by somebody",
        "source",
        "low ratings",
        "of",
        "answers",
        "of",
        "sorted",
        "most frequent issues",
    )
    table.columns[-1].justify = "left"
    for row in found.issues.low.iter_rows(named=True):
        own = [r for r in found.issues.shares if r.group["source"] == row["source"] and r.n]
        own.sort(key=lambda r: -r.estimate)
        named = ", ".join(f"{r.group['issue']} {r.estimate:.0%}" for r in own[:2])
        _row(
            table,
            row["source"],
            *(
                f"{row[key]:,}"
                for key in ("low_ratings", "ratings", "low_answers", "answers", "sorted")
            ),
            named or "not sorted",
        )
    return table


def _bands(bands: Bands) -> Table:
    names = bands.means["band"].unique(maintain_order=True).to_list()
    table = _table(
        f"By {bands.by}, on the {bands.answers} answers that every band rated: mean (annotators)",
        "dimension",
        *names,
        "p paper",
        "p standard",
    )
    tests = {(t.group["dimension"], t.group["variant"]): t for t in bands.tests}
    cells = {(r["dimension"], r["band"]): r for r in bands.means.iter_rows(named=True)}
    for dimension in bands.means["dimension"].unique(maintain_order=True):
        row = [cells[dimension, name] for name in names]
        _row(
            table,
            dimension,
            *("–" if r["mean"] is None else f"{r['mean']:.2f} ({r['annotators']})" for r in row),
            _p(tests[dimension, "paper"].p_value),
            _p(tests[dimension, "standard"].p_value),
        )
    table.caption = (
        "paper takes one annotator's ratings as independent and so finds differences too often; "
        "standard permutes whole annotators"
    )
    return table


def show_adversarial(found: Adversarial, folder: Path | None) -> None:
    """Print failure rates, tests between models, and the first critical failures."""
    from attunement.counselbench.adversarial import ALL

    show = out()
    table = _table(
        "Answers that fail, of those decided, and 95 % interval (+ not sure)",
        "model",
        *found.modes,
        ALL,
    )
    for model in found.models:
        cells = [model]
        for mode in (*found.modes, ALL):
            rate = found.rate(model, mode)
            unsure = f" (+{rate.n_missing})" if rate.n_missing else ""
            count = f"{round(rate.estimate * rate.n)}/{rate.n}{unsure}" if rate.n else "–"
            cells.append("\n".join([_span(rate, between="\n"), count]))
        _row(table, *cells)
    show.print(table)
    tests = _table(
        "Do models differ?", "mode", "Cochran's Q", "p", "items", "pairs that differ (Holm)"
    )
    tests.columns[-1].justify = "left"
    for mode in (*found.modes, ALL):
        own = [t for t in found.tests if t.group["failure_mode"] == mode]
        if not own:
            continue
        whole, *pairs = own
        shown = [
            f"{t.group['source_a']} / {t.group['source_b']}" for t in pairs if t.p_adjusted < 0.05
        ]
        statistic = "–" if whole.statistic != whole.statistic else f"{whole.statistic:.2f}"
        _row(tests, mode, statistic, _p(whole.p_value), str(whole.n), ", ".join(shown) or "none")
    if found.tests:
        show.print(tests)
    for note in found.notes:
        show.print(plain(f"- {note}"))
    _show_failures(found.failures, folder)


def _show_failures(failures: pl.DataFrame, folder: Path | None) -> None:
    show = out()
    critical = failures.filter(failures["critical"])
    show.print(
        f"\n{failures.height} answers fail, {critical.height} of them critical (medication, "
        f"therapy, symptoms).{' Read them:' if failures.height else ''}"
    )
    for row in failures.head(_READ).iter_rows(named=True):
        text = " ".join((row["answer"] or "(no text)").split())
        short = text if len(text) <= _UP_TO else f"{text[:_UP_TO].rstrip()} ..."
        show.print(plain(f"- {row['failure_mode']}, {row['source']}: {short}"))
    if failures.height > _READ:
        where = folder / "failures.csv" if folder else "--out FOLDER or --json"
        show.print(plain(f"All of them: {where}"))
