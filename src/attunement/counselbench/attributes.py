"""What a study knows about its annotators: time spent and experience (appendix C)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from attunement import tables
from attunement.decoding import decode_json
from attunement.errors import UserError

if TYPE_CHECKING:
    from attunement.tables.conform import Frame

QUARTILES = ("0-25%", "25-50%", "50-75%", "75-100%")
_TIME = ("minutes", "total_minutes")
_YEARS = ("experience", "experience_years", "years")
_UNKNOWN = ("", "na", "n/a", "nan", "null")
_WHERE = "table of annotators"


def with_attributes(raters: Frame, frame: pl.DataFrame) -> pl.DataFrame:
    """Add what a table says about annotators to their attributes.

    Parameters
    ----------
    raters
        A raters table.
    frame
        A raters table, or a plain one with a column ``rater`` or ``survey_id`` and any others, such
        as ``minutes`` and ``experience``.

    Raises
    ------
    UserError
        Where the table has no column that names the annotator, knows none of them, has one twice,
        or attributes that are no JSON object.
    """
    people = tables.conform(raters, "raters")
    if {"rater", "attributes"} <= set(frame.columns):
        known = frame.select(pl.col("rater", "attributes").cast(pl.String)).rows()
        more = [(rater, _decoded(rater, text)) for rater, text in known]
    else:
        key = next((c for c in ("rater", "survey_id") if c in frame.columns), None)
        if key is None:
            raise UserError(
                f"no column 'rater' or 'survey_id'; it has {', '.join(frame.columns)}.",
                where=_WHERE,
            )
        prefix = "" if key == "rater" else "survey-"
        more = [
            (f"{prefix}{row.pop(key)}", {k: v for k, v in row.items() if v not in (None, "")})
            for row in frame.rows(named=True)
        ]
    about: dict[str, dict[str, Any]] = {}
    for rater, values in more:
        if about.setdefault(rater, values) is not values:
            raise UserError(
                f"annotator {rater!r} has two rows.", where=_WHERE, fix="Keep one row each."
            )
    if not set(about) & set(people["rater"]):
        raise UserError(
            "none of its annotators is in the ratings, "
            f"which have {', '.join(people['rater'].head(3))} and so on.",
            where=_WHERE,
        )
    merged = [
        json.dumps(
            {**_decoded(rater, text), **about.get(rater, {})}, ensure_ascii=False, default=str
        )
        for rater, text in people.select("rater", "attributes").iter_rows()
    ]
    return people.with_columns(attributes=pl.Series(merged, dtype=pl.String))


def _decoded(rater: str, text: str | None) -> dict[str, Any]:
    if not text or not text.strip():
        return {}
    fix = 'Write them as {"minutes": 90, "experience": "3-5"}.'
    try:
        values = decode_json(text)
    except ValueError as error:
        raise UserError(
            f"the attributes of {rater!r} are not valid JSON: {error}.", where=_WHERE, fix=fix
        ) from None
    if not isinstance(values, dict):
        raise UserError(
            f"the attributes of {rater!r} are not a JSON object.", where=_WHERE, fix=fix
        )
    return values


def _number_of(what: str, rater: str, raw: Any) -> float | None:
    """Return a number of minutes or years, None where the value is a word.

    Raises
    ------
    UserError
        Where it is a number that cannot be one of minutes or years.
    """
    try:
        value = float(raw)
    except (TypeError, ValueError):
        return None
    if not 0 <= value < math.inf:
        raise UserError(
            f"{str(raw)!r} is not a number of {what}.",
            where=f"{_WHERE}, {rater!r}",
            fix="Correct it, or leave it empty where it is not known.",
        )
    return value


def _attribute(raters: pl.DataFrame, names: Sequence[str]) -> dict[str, Any]:
    found = {}
    for rater, text in raters.select("rater", "attributes").iter_rows():
        values = _decoded(rater, text)
        given = (values[name] for name in names if values.get(name) is not None)
        value = next((v for v in given if str(v).strip().lower() not in _UNKNOWN), None)
        if value is not None:
            found[rater] = value
    return found


def time_quartiles(raters: Frame) -> dict[str, str]:
    """Return each annotator's quartile of total time, from the attribute ``minutes``.

    The limits are the quartiles of annotators (linear interpolation); who is on a limit belongs to
    the lower band. Annotators without a time, or with a word for one,
    have none.

    Raises
    ------
    UserError
        Where a time is below 0 or has no end.
    """
    times = {}
    for rater, raw in _attribute(tables.conform(raters, "raters"), _TIME).items():
        minutes = _number_of("minutes", rater, raw)
        if minutes is not None:
            times[rater] = minutes
    if not times:
        return {}
    limits = np.quantile(list(times.values()), [0.25, 0.5, 0.75])
    return {r: QUARTILES[int(np.searchsorted(limits, t, side="left"))] for r, t in times.items()}


def experience_bands(raters: Frame) -> dict[str, str]:
    """Return each annotator's band of experience, from the attribute ``experience``.

    Years as a number fall into 1-3, 3-5, 5-10 and 10+ (the lower limit belongs to the band; under
    one year is "under 1"), "7 years" as well; a band in words, such as "3-5 years", is kept. Words
    without a number are no band; `unread_experience` names them.

    Raises
    ------
    UserError
        Where a number of years is below 0 or has no end.
    """
    found = {}
    for rater, raw in _attribute(tables.conform(raters, "raters"), _YEARS).items():
        years = _number_of("years", rater, raw)
        band = _band_in_words(str(raw)) if years is None else _band(years)
        if band:
            found[rater] = band
    return found


def unread_experience(raters: Frame) -> list[str]:
    """Return the words for experience that name no number of years, one an annotator."""
    people = tables.conform(raters, "raters")
    said = _attribute(people, _YEARS)
    bands = experience_bands(people)
    return [str(raw).strip() for rater, raw in said.items() if rater not in bands]


def _band(years: float) -> str:
    steps = [(1, "under 1"), (3, "1-3"), (5, "3-5"), (10, "5-10")]
    return next((name for limit, name in steps if years < limit), "10+")


def _band_in_words(text: str) -> str | None:
    plain = re.sub(r"[‐-―−]|\bto\b", "-", text.strip().lower())
    numbers = re.findall(r"\d+(?:\.\d+)?", plain)
    if len(numbers) >= 2:
        return f"{numbers[0]}-{numbers[1]}"
    if numbers and re.search(r"\+|more|over|above", plain):
        return f"{numbers[0]}+"
    if numbers and re.search(r"less|under|<", plain):
        return f"under {numbers[0]}"
    if not numbers:
        return "under 1" if re.search(r"\b(less|under)\b.*\b(a|one) year", plain) else None
    return _band(float(numbers[0]))
