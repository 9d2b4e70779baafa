"""The socio-emotional scores of a study, by what its instrument says of the questions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Unpack

import polars as pl

from attunement import tables
from attunement.errors import UserError
from attunement.instruments import (
    BooleanScale,
    Dimension,
    Instrument,
    NumberScale,
    load_instrument,
)
from attunement.instruments.on_scale import refuse_off_scale
from attunement.stats import socemo
from attunement.stats.agreement import Bootstrap
from attunement.stats.result import Result
from attunement.stats.socemo_table import KEEP, Annotations, sort_ratings

if TYPE_CHECKING:
    from attunement.tables.conform import Frame

INSTRUMENT = "socio-emotional"
FLUENCY = "fluency"


@dataclass(frozen=True)
class SocioEmotional:
    """The scores of the three steps.

    Parameters
    ----------
    filter, top3
        Steps 1 and 2, a result a source.
    axes
        Step 3, a result a source and axis.
    socemo, fluency
        Weighted by how often a source's answers were annotated. ``fluency`` is empty where the
        instrument does not ask for it.
    agreement
        Between raters, on what to keep and what to choose.
    """

    filter: list[Result]
    top3: list[Result]
    axes: list[Result]
    socemo: list[Result]
    fluency: list[Result]
    agreement: list[Result]

    def results(self) -> list[Result]:
        """Return all of them, in the order of the steps."""
        scores = [*self.filter, *self.top3, *self.axes, *self.socemo, *self.fluency]
        return [*scores, *self.agreement]


def socio_emotional_scores(
    ratings: Frame,
    responses: Frame,
    *,
    instrument: Instrument | None = None,
    kind: Literal["human", "judge"] = "human",
    credited: Mapping[str, Sequence[str]] | None = None,
    contexts: Collection[str] | None = None,
    **bootstrap: Unpack[Bootstrap],
) -> SocioEmotional:
    """Return the scores of each source and the raters' agreement.

    Parameters
    ----------
    ratings
        A ratings table; of a rater's rounds the latest counts.
    responses
        The answers that were rated.
    instrument
        With a dimension ``keep`` and the axes as subscales; by default `INSTRUMENT`.
    kind
        Whose ratings count.
    credited
        The sources of every response that was shown, where equal answers were merged; see
        `attunement.stats.socemo_table.sort_ratings`.
    contexts
        What step 3 was about; see `attunement.stats.socemo.socemo_scores`.
    bootstrap
        ``replicates``, ``ci_level``, ``seed``; see `Bootstrap`.

    Raises
    ------
    UserError
        Where there is no rating on the instrument by such a rater, it has no axes of numbers, or
        a rating cannot be used.
    """
    asked = instrument or load_instrument(INSTRUMENT)
    axes, scales = questions(asked)
    rated = _own(tables.conform(ratings, "ratings"), asked, kind)
    try:
        given = sort_ratings(
            rated, tables.conform(responses, "responses"), list(scales), credited=credited
        )
        return _scores(given, axes, scales, contexts, bootstrap)
    except ValueError as error:
        raise UserError(f"{error}.", where="ratings table") from None


def questions(
    instrument: Instrument,
) -> tuple[dict[str, list[str]], dict[str, tuple[float, float]]]:
    """Return an instrument's axes with their questions, and each question's worst and best value.

    Raises
    ------
    UserError
        Where it has no dimension ``keep`` or no axes, or one of their questions is no number.
    """
    axes = {subscale.id: list(subscale.dimensions) for subscale in instrument.subscales}
    if not axes or KEEP not in [d.id for d in instrument.dimensions]:
        raise UserError(
            f"the instrument {instrument.name} has no {KEEP!r} or no subscales.",
            fix=f"Use {INSTRUMENT}, or an instrument with both.",
        )
    asked = dict.fromkeys(id for ids in axes.values() for id in ids)
    return axes, {id: _ends(instrument.dimension(id)) for id in asked}


def _ends(dimension: Dimension) -> tuple[float, float]:
    scale = dimension.scale
    if isinstance(scale, NumberScale):
        low, high = float(scale.min), float(scale.max)
    elif isinstance(scale, BooleanScale):
        low, high = 0.0, 1.0
    else:
        raise UserError(f"{dimension.id!r} is on an axis and is no number.")
    return (high, low) if dimension.reversed or scale.better == "lower" else (low, high)


def _own(ratings: pl.DataFrame, instrument: Instrument, kind: str) -> pl.DataFrame:
    own = ratings.filter((pl.col("instrument") == instrument.name) & (pl.col("rater_kind") == kind))
    if not own.height:
        known = ", ".join(ratings["instrument"].unique(maintain_order=True).to_list()) or "none"
        raise UserError(
            f"no rating by a {kind} on the instrument {instrument.name}; there are {known}.",
            where="ratings table",
        )
    refuse_off_scale(own, instrument)
    latest = pl.col("round") == pl.col("round").max().over("unit", "unit_id", "rater", "dimension")
    return own.filter(latest)


def _scores(
    given: Annotations,
    axes: Mapping[str, Sequence[str]],
    scales: Mapping[str, tuple[float, float]],
    contexts: Collection[str] | None,
    bootstrap: Bootstrap,
) -> SocioEmotional:
    fluent = FLUENCY in scales
    return SocioEmotional(
        filter=socemo.filter_scores(given, **bootstrap),
        top3=socemo.top3_scores(given, **bootstrap),
        axes=socemo.axis_scores(given, scales, axes, **bootstrap),
        socemo=socemo.socemo_scores(given, scales, axes, contexts=contexts, **bootstrap),
        fluency=socemo.weighted_scores(given, scales, FLUENCY, contexts=contexts, **bootstrap)
        if fluent
        else [],
        agreement=socemo.agreement(given, **bootstrap),
    )
