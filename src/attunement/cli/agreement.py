"""``attunement agreement``: how well raters agree, and what that means for a study."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import typer

from attunement.cli._common import console, friendly, out, print_json
from attunement.cli._options import CI_LEVEL, JSON, SEED, TOPICS, choose, refuse_level, resamples
from attunement.cli._plain import plain
from attunement.errors import UserError, first_of

if TYPE_CHECKING:
    from attunement.cli._agreement_types import Ratings
    from attunement.stats.agreement import Level
    from attunement.stats.result import Result

STATISTICS = ("alpha", "kappa", "fleiss", "ac1", "ac2", "icc", "percent", "all")
_MOST_GROUPS = 30
_MOST_NAMES = 3


@friendly
def agreement(
    ratings: Path = typer.Argument(
        ...,
        help="Long table: item_id, rater, value, a table of ratings (unit_id, dimension, ...) or a "
        "run folder. With --wide: one row an item, one column a rater.",
    ),
    dimension: str | None = typer.Option(
        None,
        "--dimension",
        help="Which dimension; in a table without a column 'dimension', the column of values.",
    ),
    level: str = typer.Option(
        "ordinal", "--level", help="What values mean: nominal, ordinal, interval or ratio."
    ),
    statistic: str = typer.Option(
        "alpha", "--statistic", help="alpha, kappa, fleiss, ac1, ac2, icc, percent or all."
    ),
    by: str | None = typer.Option(
        None,
        "--by",
        help="Also in each group, averaged over groups: item, topic (may need --items), source, or "
        "any column.",
    ),
    wide: bool = typer.Option(
        False,
        "--wide",
        help="One column a rater; the first column names the items if it is called item_id (or "
        "item, id), holds words, or counts the rows.",
    ),
    id_column: str | None = typer.Option(
        None,
        "--id",
        help="With --wide: the column that names the items; none where each column is a rater.",
    ),
    items: Path | None = TOPICS,
    categories: str | None = typer.Option(
        None,
        "--categories",
        help="All values of the scale, such as 1,2,3,4,5, for kappa, ac1 and ac2; by default those "
        "that occur.",
    ),
    missing: list[str] = typer.Option(
        [], "--missing", help="A word that stands for no rating; may be given several times."
    ),
    instrument: str | None = typer.Option(
        None, "--instrument", help="Only ratings with this instrument."
    ),
    rater_kind: str | None = typer.Option(
        None, "--rater-kind", help="Only raters of this kind: human, judge or metric."
    ),
    replicates: int = resamples(1000),
    ci_level: float = CI_LEVEL,
    seed: int = SEED,
    as_json: bool = JSON,
) -> None:
    """Say how well raters agree, with intervals, and how many raters a study takes."""
    from rich.text import Text

    from attunement.cli._agreement_input import read
    from attunement.cli._agreement_types import Wanted

    choose(level, "--level", ("nominal", "ordinal", "interval", "ratio"))
    choose(statistic, "--statistic", STATISTICS)
    refuse_level(ci_level)
    if id_column is not None and not wide:
        raise UserError("--id is for a table with one column a rater.", fix="Add --wide.")
    given = read(
        ratings,
        Wanted(
            dimension=dimension,
            nominal=level == "nominal",
            by=by,
            wide=wide,
            items=items,
            instrument=instrument,
            rater_kind=rater_kind,
            missing=tuple(missing),
            id=id_column,
        ),
    )
    if given.categories:
        level = "nominal"
    if given.sets is not None and statistic not in ("alpha", "all"):
        raise UserError(
            f"{statistic} compares single values, and these ratings are sets of labels.",
            where=str(ratings),
            fix="Use --statistic alpha.",
        )
    how: dict[str, Any] = {"replicates": replicates, "ci_level": ci_level, "seed": seed}
    try:
        results = _results(given, statistic, cast("Level", level), _scale(categories), by, how)
    except ValueError as error:
        fix = "Check the values, --level and --categories."
        raise UserError(f"{error}.", where=str(ratings), fix=fix) from None
    sentence = _sentence(results, given, level)
    for warning in given.warnings:
        console().print(Text.assemble(("Warning: ", "bold yellow"), plain(warning)))
    if as_json:
        print_json(results, notes=[*given.warnings, *given.notes], study_size=sentence)
        return
    _show(results, given, sentence, by)


def _scale(categories: str | None) -> list[float] | None:
    from attunement.cli._agreement_cells import as_number

    if categories is None:
        return None
    values = [as_number(part) for part in categories.split(",")]
    if None in values:
        raise UserError(
            f"--categories {categories!r} is not a list of numbers.", fix="Write it as 1,2,3,4,5."
        )
    return sorted({value for value in values if value is not None})


def _plan(
    statistic: str, level: Level, scale: list[float] | None, given: Ratings
) -> list[Callable[..., Result]]:
    """Return the statistics to compute: what was asked for, as the level of the values has it."""
    from functools import partial

    from attunement.stats import agreement as a

    ordered = level != "nominal"
    kappas: list[a.Weights] = ["quadratic"] if ordered else ["identity"]
    if level == "ordinal":
        kappas = ["linear", "quadratic"]
    ac2: a.Weights = "ordinal" if level == "ordinal" else "quadratic"
    every: dict[str, Callable[[], list[Callable[..., Result]]]] = {
        "alpha": lambda: [partial(a.alpha, level=level)],
        "kappa": lambda: [partial(a.cohen_kappa, weights=w, categories=scale) for w in kappas],
        "fleiss": lambda: [a.fleiss_kappa],
        "ac1": lambda: [partial(a.gwet_ac, categories=scale)],
        "ac2": lambda: [partial(a.gwet_ac, weights=ac2, categories=scale)] if ordered else [],
        "icc": lambda: _iccs(given) if ordered else [],
        "percent": lambda: [a.percent_agreement],
    }
    if statistic == "all":
        return [f for make in every.values() for f in make()]
    found = every[statistic]()
    if not found:
        raise UserError(
            f"{statistic} needs an order of the values, which level nominal has not.",
            fix="Use ac1, alpha, kappa or fleiss, or another --level.",
        )
    return found


def _iccs(given: Ratings) -> list[Callable[..., Result]]:
    """Return the intraclass correlations that the table allows."""
    from functools import partial

    import numpy as np

    from attunement.stats import agreement as a

    # Items of a group share their raters; the F interval is for items that share nothing else.
    interval: Any = "f" if given.groups is None else "bootstrap"
    groups = np.array(given.groups) if given.groups is not None else np.zeros(len(given.matrix))
    if any(_complete(given.matrix[groups == g]) for g in np.unique(groups)):
        return [partial(a.icc, kind=kind, interval=interval) for kind in a.KINDS]
    given.notes.append(
        "No item was rated by every rater: ICC(1) and ICC(1,k) take each item's ratings whoever "
        "gave them; the other kinds are left out."
    )

    def whoever(matrix: Any, *, kind: a.Kind, **how: Any) -> Result:
        return a.icc(a.without_raters(matrix), kind, interval=interval, **how)

    one_way: list[a.Kind] = ["1", "1,k"]
    return [partial(whoever, kind=kind) for kind in one_way]


def _complete(matrix: Any) -> bool:
    """Say whether any item was rated by everyone who rated here at all."""
    import numpy as np

    there = ~np.isnan(matrix)
    return bool(there[:, there.any(axis=0)].all(axis=1).any())


def _results(
    given: Ratings,
    statistic: str,
    level: Level,
    scale: list[float] | None,
    by: str | None,
    how: dict[str, Any],
) -> list[Result]:
    from dataclasses import replace

    from attunement.stats.agreement import grouped

    found: list[Result] = []
    for f in _of_sets(given) or _plan(statistic, level, scale, given):
        if given.groups is None:
            found.append(f(given.matrix, **how))
            continue
        each = grouped(given.matrix, given.groups, f, over=by or "group", **how)
        found += [each.mean, each.pooled, *each.groups]
    about = {"dimension": given.dimension} if given.dimension else {}
    return [replace(r, group={**about, **r.group}) for r in found]


def _of_sets(given: Ratings) -> list[Callable[..., Result]]:
    """Return alpha by each distance between sets, where ratings are sets of labels."""
    from functools import partial

    import numpy as np

    from attunement.stats import agreement as a

    if given.sets is None:
        return []

    def alpha(matrix: np.ndarray, *, name: str, delta: np.ndarray, **how: Any) -> Result:
        codes = np.where(np.isnan(matrix), -1, matrix).astype(np.intp)
        return a.alpha_with_distance(codes, delta, name=name, **how)

    return [
        partial(alpha, name=name, delta=a.set_distances(given.sets, name))
        for name in a.SET_DISTANCES
    ]


def _sentence(results: list[Result], given: Ratings, level: str) -> str:
    """Say what the first reliability among the results means for a study's size."""
    import numpy as np

    from attunement.stats.agreement import is_reliability, study_size

    known = given.matrix[~np.isnan(given.matrix)]
    categories = np.unique(known).size if given.sets is None else None
    for result in results:
        if is_reliability(result.name, categories=categories):
            return study_size(result, unit="item")
    if given.sets is not None or level == "nominal":
        return (
            "Categories without an order have no mean that more raters could make reliable, so no "
            "number of raters is given."
        )
    return (
        "This statistic is not the reliability of a mean, so it gives no number of raters; "
        "--statistic alpha or icc does."
    )


def _show(results: list[Result], given: Ratings, sentence: str, by: str | None) -> None:
    import numpy as np
    from rich.table import Table

    show = out()
    n_items, n_raters = given.matrix.shape
    n = int(np.count_nonzero(~np.isnan(given.matrix)))
    about = f"{given.dimension}: " if given.dimension else ""
    show.print(plain(f"{about}{n:,} ratings of {n_items:,} items by {n_raters:,} raters"))
    groups = len(set(given.groups or ()))
    shown = [r for r in results if not by or by not in r.group or groups <= _MOST_GROUPS]
    table = Table("statistic")
    if by:
        table.add_column(plain(by))
    for name in ("estimate", f"{results[0].ci_level:.0%} interval", "n", "n missing"):
        table.add_column(name, justify="right")
    reasons: dict[str, list[str]] = {}
    for r in shown:
        group = r.group.get(by, "") if by else ""
        name = r.name.replace("_", " ")
        table.add_row(
            name,
            *([plain(group)] if by else []),
            _number(r.estimate),
            "-" if r.ci_low != r.ci_low else f"{_number(r.ci_low)} to {_number(r.ci_high)}",
            f"{r.n:,}",
            f"{r.n_missing:,}",
        )
        if r.reason:
            reasons.setdefault(r.reason, []).append(" ".join([name, group]).strip())
    show.print(table)
    if len(shown) < len(results):
        show.print(plain(f"--json has each of the {groups} groups."))
    for reason, names in reasons.items():
        show.print(plain(f"{first_of(names, _MOST_NAMES)}: {reason}."))
    for note in given.notes:
        show.print(plain(note))
    show.print(plain(sentence))


def _number(value: float) -> str:
    return "-" if value != value else f"{value:.3f}"
