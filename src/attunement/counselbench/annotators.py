"""Who rates how: by time spent and by experience, and how much annotators wrote (appendix C)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from attunement import tables
from attunement.counselbench.scores import INSTRUMENT, Scores
from attunement.counselbench.sources import OFFERED
from attunement.errors import UserError
from attunement.stats.comparison import holm
from attunement.stats.groups import chi_squared, common_units, kruskal_wallis, permute_raters
from attunement.stats.result import TestResult

if TYPE_CHECKING:
    from attunement.tables.conform import Frame

EXPERIENCE = ("1-3", "3-5", "5-10", "10+")
"""Years; the paper left out bands with too few annotators, such as under a year."""
FEWEST = 5
"""Annotators with an answer that every band rated, which a band needs."""
_NOT_SURE = -1.0
"""Stands for "not sure" where it is a category of its own."""


@dataclass(frozen=True)
class Bands:
    """How bands of annotators rate the answers that every band rated.

    Parameters
    ----------
    by
        ``time`` or ``experience``.
    means
        ``dimension``, ``band``, ``mean``, ``sd``, ``ratings``, ``not_sure``, ``annotators`` (who
        rated an answer that every band rated).
    tests
        For each dimension a test of the variant ``paper`` and one of the variant ``standard``.
    answers
        How many answers every band rated.
    notes
        Who was left out, a sentence each.
    """

    by: str
    means: pl.DataFrame
    tests: list[TestResult]
    answers: int
    notes: list[str]


def band_analysis(
    given: Scores,
    bands: Mapping[str, str],
    by: str,
    *,
    replicates: int = 2000,
    seed: int = 1,
    fewest: int = FEWEST,
) -> Bands:
    """Compare bands of annotators on the answers that every band rated.

    ``paper`` repeats the paper's tests, which take one annotator's ratings as independent. By time:
    Kruskal-Wallis, and chi-squared for medical advice and factual consistency with "not sure" as a
    category. By experience: chi-squared throughout, "not sure" left out. ``standard`` has the same
    statistic with its p value from permuting whole annotators between bands. Holm's correction is
    over the dimensions of one variant.

    Parameters
    ----------
    given
        Ratings.
    bands
        Annotator to band; annotators without one are left out and counted.
    by
        ``time`` or ``experience``.
    replicates, seed
        Of the permutations.
    fewest
        Bands with fewer annotators, counting those who rated an answer that every band rated, are
        left out, the smallest first.

    Raises
    ------
    UserError
        Where fewer than two bands are left.
    """
    if by not in ("time", "experience"):
        raise UserError(f"bands by {by!r} are not known.", fix="Use time or experience.")
    raters = given.frame["rater"].unique(maintain_order=True).to_list()
    mine = {r: bands[r] for r in raters if r in bands}
    kept, left_out = _large_bands(given.frame, mine, fewest)
    notes = (
        [f"Annotators without a band: {len(raters) - len(mine)}."]
        if len(mine) < len(raters)
        else []
    )
    notes += left_out
    if len(kept) < 2:
        raise UserError(
            f"only {len(kept)} bands by {by} have {fewest} annotators or more who rated an answer "
            "that every band rated.",
            where="attributes of the raters",
        )
    frame = given.frame.with_columns(
        band=pl.col("rater").replace_strict(mine, default=None, return_dtype=pl.String)
    ).filter(pl.col("band").is_in(kept) & pl.col("status").is_in(_DECIDED))
    tests: dict[str, list[TestResult]] = {"paper": [], "standard": []}
    rows: list[dict[str, Any]] = []
    answers = 0
    for dimension in given.dimensions:
        every = frame.filter(pl.col("dimension") == dimension)
        common = every.filter(
            pl.Series(
                common_units(every["answer"].to_list(), every["band"].to_list()), dtype=pl.Boolean
            )
        )
        answers = max(answers, common["answer"].n_unique())
        rows += _means(common, dimension, kept)
        for variant, test in _tests(every, common, dimension, by, kept, replicates, seed).items():
            tests[variant].append(test)
    return Bands(
        by, pl.DataFrame(rows), [t for v in tests.values() for t in _corrected(v)], answers, notes
    )


_DECIDED = ("ok", "not_sure")


def _large_bands(
    frame: pl.DataFrame, bands: Mapping[str, str], fewest: int
) -> tuple[list[str], list[str]]:
    """Return the bands that are large enough, in order, and a note on each of the others.

    Only answers that every band rated are compared, so a band is as large as those of its
    annotators who rated one of these. Without a band more answers are common: it is asked again.
    """
    there = frame.filter(pl.col("status").is_in(_DECIDED)).with_columns(
        band=pl.col("rater").replace_strict(bands, default=None, return_dtype=pl.String)
    )
    kept = sorted(set(bands.values()), key=_first_number)
    notes = []
    while kept:
        own = there.filter(pl.col("band").is_in(kept))
        common = own.filter(pl.col("band").n_unique().over("answer") == len(kept))
        sizes = dict.fromkeys(kept, 0)
        sizes |= dict(common.group_by("band").agg(pl.col("rater").n_unique()).iter_rows())
        all_sizes = {b: sum(v == b for v in bands.values()) for b in kept}
        # A band that is small whatever is compared goes first, lest it takes others with it.
        least = min(kept, key=lambda b: (min(all_sizes[b], fewest), sizes[b]))
        if sizes[least] >= fewest:
            break
        kept.remove(least)
        notes.append(
            f"Band {least!r} is left out: {sizes[least]} of its {all_sizes[least]} annotators "
            f"rated an answer that every band rated, fewer than {fewest}."
            if all_sizes[least] >= fewest
            else f"Band {least!r} is left out: {all_sizes[least]} annotators, fewer than {fewest}."
        )
    return kept, notes


def _first_number(band: str) -> tuple[float, str]:
    found = re.search(r"\d+", band)
    under = 0.5 if band.startswith("under") else 0.0
    return (float(found[0]) - under if found else float("inf"), band)


def _means(common: pl.DataFrame, dimension: str, bands: Sequence[str]) -> list[dict[str, Any]]:
    rows = []
    for band in bands:
        own = common.filter(pl.col("band") == band)
        values = own["value"].drop_nulls()
        rows.append(
            {
                "dimension": dimension,
                "band": band,
                "mean": values.mean(),
                "sd": values.std(),
                "ratings": values.len(),
                "not_sure": own["value"].null_count(),
                "annotators": own["rater"].n_unique(),
            }
        )
    return rows


def _tests(
    every: pl.DataFrame,
    common: pl.DataFrame,
    dimension: str,
    by: str,
    bands: Sequence[str],
    replicates: int,
    seed: int,
) -> dict[str, TestResult]:
    categories = by == "experience" or dimension in OFFERED
    own_category = by == "time" and dimension in OFFERED
    if own_category:
        every, common = (
            f.with_columns(pl.col("value").fill_null(_NOT_SURE)) for f in (every, common)
        )
    groups = [common.filter(pl.col("band") == b)["value"].drop_nulls().to_numpy() for b in bands]
    if categories:
        levels = np.unique(np.concatenate(groups)) if groups else np.empty(0)
        table = [[int((g == level).sum()) for level in levels] for g in groups]
        paper = chi_squared(table if levels.size else np.zeros((len(groups), 0)))
    else:
        paper = kruskal_wallis(groups)
    standard = permute_raters(
        every["value"].to_numpy(),
        every["answer"].to_list(),
        every["rater"].to_list(),
        every["band"].to_list(),
        statistic="chi_squared" if categories else "kruskal_wallis",
        replicates=replicates,
        seed=seed,
    )
    group = {"by": by, "dimension": dimension}
    return {
        "paper": replace(paper, group={**group, "variant": "paper"}),
        "standard": replace(standard, group={**group, "variant": "standard"}),
    }


def _corrected(tests: list[TestResult]) -> list[TestResult]:
    adjusted = holm([t.p_value for t in tests])
    return [replace(t, p_adjusted=float(p)) for t, p in zip(tests, adjusted, strict=True)]


def rationale_words(ratings: Frame) -> pl.DataFrame:
    """Return how many words each annotator wrote in all, and on each dimension.

    Returns
    -------
    polars.DataFrame
        ``rater``, ``dimension`` (``all`` for the sum), ``rationales`` and ``words``; parts between
        white space. Empty where nobody gave a reason.
    """
    rated = tables.conform(ratings, "ratings").filter(
        pl.col("instrument").str.split("@").list.first() == INSTRUMENT,
        pl.col("rationale").str.contains(r"\S"),
    )
    # What a judge wrote again in a replicate, or a person in a later round, counts once.
    key = ("unit_id", "rater", "dimension")
    rated = rated.filter(pl.col("round") == pl.col("round").max().over(key))
    rated = rated.filter(tables.of_first_replicate())
    counted = rated.select(
        "rater",
        "dimension",
        words=pl.col("rationale").str.extract_all(r"\S+").list.len().cast(pl.Int64),
    )
    by_dimension = counted.group_by("rater", "dimension", maintain_order=True).agg(
        rationales=pl.len(), words=pl.col("words").sum()
    )
    total = (
        counted.group_by("rater", maintain_order=True)
        .agg(rationales=pl.len(), words=pl.col("words").sum())
        .with_columns(dimension=pl.lit("all"))
    )
    return pl.concat([total.select(by_dimension.columns), by_dimension])


def words_by_band(words: pl.DataFrame, bands: Mapping[str, str], by: str) -> TestResult | None:
    """Test whether bands differ in how much they wrote in all; None with fewer than two bands.

    One number an annotator, so that Kruskal-Wallis is right as it is.
    """
    total = words.filter(pl.col("dimension") == "all")
    groups: dict[str, list[float]] = {}
    for rater, n in total.select("rater", "words").iter_rows():
        if rater in bands:
            groups.setdefault(bands[rater], []).append(n)
    if len(groups) < 2:
        return None
    found = kruskal_wallis(list(groups.values()))
    return replace(
        found,
        method="Kruskal-Wallis test of words an annotator",
        group={"by": by, "dimension": "rationale_words", "variant": "standard"},
    )
