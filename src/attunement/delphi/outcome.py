"""The outcome of a Delphi as an instrument that can be used at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from attunement.delphi._model import Item, Outcome
from attunement.errors import UserError
from attunement.instruments import (
    Dimension,
    Instrument,
    NumberScale,
    Source,
    Subscale,
    Words,
)
from attunement.stats.borda import places

_TEXTS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "description": "Items that a Delphi panel of experts kept.",
        "instructions": "Think of your conversations with the chatbot. How far do you agree with "
        "each sentence?",
        "caution": "Experts found these items relevant. Whether they measure what they name is "
        "still to be shown with people who used a chatbot.",
        "low": "Strongly Disagree",
        "high": "Strongly Agree",
    },
    "it": {
        "description": "Item conservati da un panel Delphi di esperti.",
        "instructions": "Pensi alle sue conversazioni con il chatbot. Quanto è d'accordo con "
        "ciascuna frase?",
        "caution": "Gli esperti hanno giudicato pertinenti questi item. Se misurino ciò che "
        "nominano va ancora mostrato con persone che hanno usato un chatbot.",
        "low": "Fortemente in disaccordo",
        "high": "Fortemente d'accordo",
    },
}
_FALLBACK = "en"
_SLUG = re.compile(r"[a-z0-9]+([-_][a-z0-9]+)*")


@dataclass(frozen=True)
class Written:
    """An instrument, and what its author has to know.

    Parameters
    ----------
    instrument
        The outcome.
    warnings
        What was left out or made up.

    """

    instrument: Instrument
    warnings: tuple[str, ...] = ()


def priorities(outcome: Outcome) -> dict[str, int]:
    """Return each kept item's place in its dimension by Borda points, by id; 1 comes first.

    Items that share their points share their place. What was not ranked has no place: items of a
    first round, and those that the owner split or added.
    """
    found: dict[str, int] = {}
    for dimension in outcome.round.dimensions:
        own = [
            d
            for d in outcome.decisions
            if d.item.dimension == dimension and d.action != "drop" and len(d.into) < 2
        ]
        points = [d.summary.value("borda_points") for d in own]
        for decision, place in zip(own, places(points), strict=True):
            if place is not None:
                (item,) = decision.into or (decision.item,)
                found[item.id] = place
    return found


def instrument_of(
    outcome: Outcome,
    *,
    id: str = "delphi-outcome",
    title: str | None = None,
    base: Instrument | None = None,
    citation: str = "A Delphi panel of the instrument's authors.",
    license: str = "Not stated; the authors of the items decide.",
) -> Written:
    """Return the refined scale as an instrument: five points, one subscale a dimension.

    Parameters
    ----------
    outcome
        What the round left.
    id, title, citation, license
        Of the instrument, where ``base`` does not say.
    base
        The instrument that the round was about: its scale, texts and source are kept, its version
        is one up.

    Raises
    ------
    UserError
        Where nothing is left, an item has no wording, items share no language, or two ids are the
        same once written as an instrument has them.

    """
    items = outcome.items
    languages, warnings = _languages(items, base)
    ids = _slugs(items)
    place = priorities(outcome)
    old_ones = [] if base is None else [_in(d, base.languages, languages) for d in base.dimensions]
    known = {d.id: d for d in old_ones}
    scale = old_ones[0].scale if old_ones else _scale(languages)
    dimensions: list[object] = []
    for item in items:
        old = known.get(item.id)
        wording = {code: item.wording[code] for code in languages}
        at = str(place[item.id]) if item.id in place else None
        if old is not None:
            changed = {"wording": wording, "reversed": item.reversed}
            dimensions.append(old.model_copy(update={**changed, "priority": at or old.priority}))
            continue
        dimensions.append(
            {
                "id": ids[item.id],
                "label": _same(ids[item.id].upper(), languages),
                "wording": wording,
                "scale": scale,
                "reversed": item.reversed,
                "priority": at,
            }
        )
    content = {
        **_frame(id, title, base, languages, outcome, citation, license),
        "dimensions": tuple(dimensions),
        "subscales": _subscales(outcome, ids, base, languages),
    }
    try:
        return Written(Instrument.model_validate(content), tuple(warnings))
    except ValidationError as error:
        said = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise UserError(f"the items make no instrument: {said}.", where="the outcome") from None


def _languages(items: tuple[Item, ...], base: Instrument | None) -> tuple[list[str], list[str]]:
    if not items:
        raise UserError("no item is left, so there is no instrument.", where="the outcome")
    for item in items:
        if not item.wording:
            raise UserError(
                f"the item {item.id!r} has no wording.",
                where="the outcome",
                fix="Name the items with their wording: --items, an instrument or a table.",
            )
    every = list(dict.fromkeys(code for item in items for code in item.wording))
    if base is not None:
        every = [code for code in base.languages if code in every]
    whole = [code for code in every if all(code in item.wording for item in items)]
    if not whole:
        raise UserError(
            "the items have no language in common.",
            where="the outcome",
            fix="Give every item a wording in one language at least.",
        )
    said = [
        f"Left out of the instrument: the wording in {code!r}, which not every item has."
        for code in every
        if code not in whole
    ]
    foreign = [code for code in whole if code not in _TEXTS]
    if foreign and base is None:
        said.append(
            f"In {', '.join(foreign)} the instructions and the ends of the scale are English: "
            "translate them in the file."
        )
    return whole, said


def _in(dimension: Dimension, spoken: tuple[str, ...], kept: list[str]) -> Dimension:
    """Return a dimension with its texts in these languages only."""

    def part(value: Any) -> Any:
        if isinstance(value, dict):
            texts = bool(value) and set(value) <= set(spoken)
            return {k: part(v) for k, v in value.items() if not texts or k in kept}
        return [part(v) for v in value] if isinstance(value, tuple | list) else value

    return Dimension.model_validate(part(dimension.model_dump()))


def _slugs(items: tuple[Item, ...]) -> dict[str, str]:
    found = {item.id: _slug(item.id) for item in items}
    for slug, n in Counter(found.values()).items():
        if n > 1:
            same = [id for id, s in found.items() if s == slug]
            raise UserError(
                f"the items {', '.join(map(repr, same))} would all be {slug!r}.",
                where="the outcome",
                fix="Give them ids that differ in letters and digits.",
            )
    return found


def _slug(name: str) -> str:
    if _SLUG.fullmatch(name):  # whoever knows it by that name finds it again
        return name
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if not slug:
        raise UserError(
            f"the name {name!r} has neither letters nor digits of the English alphabet.",
            where="the outcome",
        )
    return slug


def _scale(languages: list[str]) -> NumberScale:
    return NumberScale(
        type="integer",
        min=1,
        max=5,
        anchors={1: _words("low", languages), 5: _words("high", languages)},
        better="higher",
        not_applicable=True,
    )


def _words(key: str, languages: list[str]) -> Words:
    return {code: _TEXTS.get(code, _TEXTS[_FALLBACK])[key] for code in languages}


def _same(text: str, languages: list[str]) -> Words:
    return dict.fromkeys(languages, text)


def _frame(
    id: str,
    title: str | None,
    base: Instrument | None,
    languages: list[str],
    outcome: Outcome,
    citation: str,
    license: str,
) -> dict[str, object]:
    """Return everything of the instrument but its dimensions."""
    if base is not None:
        texts = {
            key: {code: words[code] for code in languages}
            for key in ("title", "description", "instructions", "caution")
            if (words := getattr(base, key))
        }
        return {
            **texts,
            "id": base.id,
            "version": base.version + 1,
            "unit": base.unit,
            "languages": tuple(languages),
            "source": base.source,
            "license": base.license,
        }
    return {
        "id": id,
        "version": 1,
        "title": _same(title or id, languages),
        **{k: _words(k, languages) for k in ("description", "instructions", "caution")},
        "unit": "session",
        "languages": tuple(languages),
        "source": Source(
            citation=citation,
            note=f"What round {outcome.round.number} of the Delphi left; the decision log says "
            "why. The priority is the panel's ranking within a dimension, 1 first.",
        ),
        "license": license,
    }


def _subscales(
    outcome: Outcome,
    ids: Mapping[str, str],
    base: Instrument | None,
    languages: list[str],
) -> tuple[Subscale, ...]:
    items = outcome.items
    labels = {a.item.dimension: a.label for a in outcome.additions if a.label}
    if base is not None:
        labels |= {base.id: base.title, **{s.id: s.label for s in base.subscales}}
    kept = {d.id for d in base.dimensions} if base is not None else set()
    found = []
    for dimension in dict.fromkeys(item.dimension for item in items):
        own = tuple(
            item.id if item.id in kept else ids[item.id]
            for item in items
            if item.dimension == dimension
        )
        label = labels.get(dimension, {})
        words = {code: label.get(code, dimension) for code in languages}
        found.append(Subscale(id=_slug(dimension), label=words, dimensions=own))
    return tuple(found)
