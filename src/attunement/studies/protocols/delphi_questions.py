"""What a panel is asked of an item, of a dimension, and at the end: instruments built on the fly.

The first round asks for relevance, priority and comments; later ones for relevance again, a ranking
within the dimension, overlaps with other items, and of native speakers the translation. Bolpagni
and Gabrielli (2025), Informatics 12, 33, section 2.2.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from django.utils import translation
from django.utils.translation import gettext as _

from attunement.instruments import (
    ChoiceScale,
    Dimension,
    Instrument,
    NumberScale,
    Option,
    Source,
    TextScale,
    Words,
    parse_instrument,
)

RELEVANCE, PRIORITY, COMMENT = "relevance", "priority", "comment"
RANK, REDUNDANT = "rank", "redundant"
TRANSLATION, SUGGESTION = "translation", "suggestion"
NEW_ITEMS, NEW_DIMENSIONS, REMARKS = "new-items", "new-dimensions", "remarks"
PROPOSALS = (NEW_ITEMS, NEW_DIMENSIONS, REMARKS)
LOW, HIGH, AGREES_FROM = 1, 5, 4
FEWEST_TO_OVERLAP = 3
"""Items of a round from which on it is asked which of them overlap."""

Languages = tuple[str, ...]


@lru_cache(maxsize=16)
def _items(source: str) -> Instrument:
    return parse_instrument(source, where="stage")


@lru_cache(maxsize=1024)
def about_item(
    source: str, id: str, number: int, languages: Languages, translated: str | None = None
) -> Instrument:
    """Return what is asked of one item.

    Parameters
    ----------
    source
        The round's items, as the stage has them.
    id
        Of the item.
    number
        Of the round, from 1.
    languages
        Of the study.
    translated
        The language of the translation that is judged; None for whoever does not judge it.

    """
    items = _items(source)
    name = items.dimension(id).label
    asked = [_relevance(name, languages, again=number > 1)]
    if number == 1:
        asked.append(_priority(name, languages))
    elif len(items.dimensions) >= FEWEST_TO_OVERLAP:
        asked.append(_redundant(items, id, languages))
    if translated is not None:
        asked += _translation(name, languages, translated)
    asked.append(_comment(name, languages, number))
    return _instrument(items, number, languages, asked)


@lru_cache(maxsize=1024)
def ranking(source: str, id: str, number: int, languages: Languages, count: int) -> Instrument:
    """Return the question for an item's place among the ``count`` items of its dimension."""
    items = _items(source)
    asked = Dimension(
        id=RANK,
        label=_named(items.dimension(id).label, languages, lambda: _("place")),
        wording=_in(languages, lambda: _("Place in the order")),
        scale=NumberScale(type="integer", min=1, max=count, better="lower"),
    )
    return _instrument(items, number, languages, [asked])


@lru_cache(maxsize=64)
def proposals(source: str, number: int, languages: Languages, *, last: bool) -> Instrument:
    """Return what is asked at the end of a dimension, or of the round where ``last``."""
    items = _items(source)
    texts: list[tuple[str, Callable[[], str], Callable[[], str]]] = [
        (
            NEW_ITEMS,
            lambda: _("New items"),
            lambda: _("Is anything missing here? Propose new items, one a line."),
        )
    ]
    if last:
        texts = [
            (
                NEW_DIMENSIONS,
                lambda: _("New dimensions"),
                lambda: _(
                    "Does the scale miss a whole dimension? Propose it, with items for it if you "
                    "have some in mind."
                ),
            ),
            (
                REMARKS,
                lambda: _("Remarks"),
                lambda: _("Is there anything else that you would like to say about the scale?"),
            ),
        ]
    asked = [_text(id, _in(languages, label), _in(languages, say)) for id, label, say in texts]
    return _instrument(items, number, languages, asked)


def _relevance(name: Words, languages: Languages, *, again: bool) -> Dimension:
    return Dimension(
        id=RELEVANCE,
        label=_named(name, languages, lambda: _("relevance")),
        wording=_in(
            languages,
            lambda: (
                _("How relevant do you find it now?") if again else _("How relevant is this item?")
            ),
        ),
        scale=_points(
            languages, lambda: _("Not relevant at all"), lambda: _("Very relevant"), HIGH
        ),
    )


def _priority(name: Words, languages: Languages) -> Dimension:
    return Dimension(
        id=PRIORITY,
        label=_named(name, languages, lambda: _("priority")),
        wording=_in(languages, lambda: _("How high is its priority?")),
        scale=_points(languages, lambda: _("Very low"), lambda: _("Very high"), HIGH),
    )


def _redundant(items: Instrument, id: str, languages: Languages) -> Dimension:
    others = _others(items, id)
    return Dimension(
        id=REDUNDANT,
        label=_named(items.dimension(id).label, languages, lambda: _("overlap")),
        wording=_in(languages, lambda: _("Is it redundant? Tick the items that it overlaps with.")),
        scale=ChoiceScale(
            type="multi",
            options=tuple(
                Option(
                    id=d.id,
                    label={code: f"{d.label[code]}: {d.wording[code]}" for code in languages},
                )
                for d in others
            ),
        ),
        required=False,
    )


def _others(items: Instrument, id: str) -> list[Dimension]:
    """Return all other items, those of its own dimension first."""
    near = {d for s in items.subscales if id in s.dimensions for d in s.dimensions}
    rest = [d for d in items.dimensions if d.id != id]
    return sorted(rest, key=lambda d: d.id not in near)


def _translation(name: Words, languages: Languages, translated: str) -> list[Dimension]:
    quality = Dimension(
        id=TRANSLATION,
        label=_named(name, languages, lambda: _("translation")),
        wording=_in(
            languages,
            lambda: (
                _("How good is the Italian translation?")
                if translated == "it"
                else _("How good is the English translation?")
            ),
        ),
        scale=_points(languages, lambda: _("Very poor"), lambda: _("Excellent"), HIGH),
    )
    better = _text(
        SUGGESTION,
        _named(name, languages, lambda: _("better translation")),
        _in(languages, lambda: _("Is there a better way to translate it? Please write it here.")),
    )
    return [quality, better]


def _comment(name: Words, languages: Languages, number: int) -> Dimension:
    return _text(
        COMMENT,
        _named(name, languages, lambda: _("comment")),
        _in(
            languages,
            lambda: (
                _("Is it clear? Does it leave anything out?")
                if number == 1
                else _("Would you change anything about it?")
            ),
        ),
    )


def _text(id: str, label: Words, wording: Words) -> Dimension:
    return Dimension(
        id=id, label=label, wording=wording, scale=TextScale(type="text"), required=False
    )


def _points(
    languages: Languages, low: Callable[[], str], high: Callable[[], str], most: int
) -> NumberScale:
    return NumberScale(
        type="integer",
        min=LOW,
        max=most,
        anchors={float(LOW): _in(languages, low), float(most): _in(languages, high)},
        better="higher",
    )


def _named(name: Words, languages: Languages, what: Callable[[], str]) -> Words:
    said = _in(languages, what)
    return {code: f"{name[code]}: {said[code]}" for code in languages}


def _in(languages: Languages, say: Callable[[], str]) -> Words:
    """Return what is said in each language."""
    found = {}
    for code in languages:
        with translation.override(code):
            found[code] = say()
    return found


def _instrument(
    items: Instrument, number: int, languages: Languages, asked: Sequence[Dimension]
) -> Instrument:
    titles = _in(languages, lambda: _("Round %(number)s of the panel") % {"number": number})
    return Instrument(
        id=f"{items.id}-round-{number}",
        version=items.version,
        title=titles,
        description=titles,
        unit="item",
        languages=languages,
        dimensions=tuple(asked),
        source=Source(citation=items.name),
        license=items.license,
    )
