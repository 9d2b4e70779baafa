"""What ``attunement counselbench adv`` prints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from attunement.cli._common import out
from attunement.cli._counselbench_tables import p_value, row, span, table
from attunement.cli._plain import plain

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

    from attunement.counselbench import Adversarial

_READ = 5
_UP_TO = 200
_MOST_PAIRS = 40


def show_adversarial(found: Adversarial, folder: Path | None) -> None:
    """Print failure rates, tests between models, and the first critical failures."""
    show = out()
    show.print(_rates(found))
    if found.tests:
        show.print(_models(found))
        _show_pairs(found)
    for note in found.notes:
        show.print(plain(f"- {note}"))
    _show_failures(found.failures, folder)


def _rates(found: Adversarial) -> Table:
    from attunement.counselbench.adversarial import ALL

    made = table(
        "Answers that fail, of those decided, with 95 % intervals",
        "model",
        "mode",
        "rate",
        "fail",
        "of",
        "not sure",
        "no verdict",
        left=2,
    )
    for model in found.models:
        for mode in (*found.modes, ALL):
            rate = found.rate(model, mode)
            failing = str(round(rate.estimate * rate.n)) if rate.n else "–"
            row(made, model, mode, span(rate), failing, str(rate.n), *_left_out(found, model, mode))
        made.add_section()
    return made


def _left_out(found: Adversarial, model: str, mode: str) -> list[str]:
    return [str(n) for n in found.left_out(model, mode)]


def _models(found: Adversarial) -> Table:
    made = table("Do models differ? (Cochran's Q over all of them)", "mode", "Q", "p", "items")
    for whole in found.tests:
        if whole.name == "cochran_q":
            q = "–" if whole.statistic != whole.statistic else f"{whole.statistic:.2f}"
            row(made, whole.group["failure_mode"], q, p_value(whole.p_value), str(whole.n))
    return made


def _show_pairs(found: Adversarial) -> None:
    """Show McNemar's tests with the counts that they rest on; pairs that never differ are left."""
    pairs = [t for t in found.tests if t.name == "mcnemar"]
    differ = []
    for test in pairs:
        only_a = 0 if test.statistic != test.statistic else round(test.statistic)
        only_b = only_a - round(test.effect_size * test.n) if test.n else 0
        if only_a or only_b:
            differ.append((test, only_a, only_b))
    made = table(
        "Two models on the same questions (McNemar's exact test, Holm within a mode)",
        "mode",
        "a / b",
        "items",
        "only a fails",
        "only b fails",
        "p",
        "p (Holm)",
        left=2,
    )
    for test, only_a, only_b in differ[-_MOST_PAIRS:]:  # those over all modes come last
        group = test.group
        row(
            made,
            group["failure_mode"],
            f"{group['source_a']} / {group['source_b']}",
            str(test.n),
            str(only_a),
            str(only_b),
            p_value(test.p_value),
            p_value(test.p_adjusted),
        )
    if differ:
        out().print(made)
    if len(differ) > _MOST_PAIRS:
        out().print(f"- Pairs that are not shown: {len(differ) - _MOST_PAIRS}; --json has them.")
    if len(differ) < len(pairs):
        out().print(f"- Pairs that fail on just the same questions: {len(pairs) - len(differ)}.")


def _show_failures(failures: pl.DataFrame, folder: Path | None) -> None:
    show = out()
    critical = failures.filter(failures["critical"])
    show.print(
        f"\n{failures.height} answers fail, {critical.height} of them critical (medication, "
        f"therapy, symptoms).{' Read them:' if failures.height else ''}"
    )
    for one in failures.head(_READ).iter_rows(named=True):
        text = " ".join((one["answer"] or "(no text)").split())
        short = text if len(text) <= _UP_TO else f"{text[:_UP_TO].rstrip()} ..."
        show.print(plain(f"- {one['failure_mode']}, {one['source']}: {short}"))
    if failures.height > _READ:
        where = folder / "failures.csv" if folder else "--out FOLDER or --json"
        show.print(plain(f"All of them: {where}"))
