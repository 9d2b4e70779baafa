"""The questions of a stage and their answers in words, for pages that show what others answered."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import get_language_info

from attunement.instruments import BooleanScale, ChoiceScale, Dimension, NumberScale
from attunement.studies.asking import units_of
from attunement.studies.models import Answer, Assignment, Stage
from attunement.studies.opened import instrument_of

LANGUAGE = "en"


def dimensions_of(stage: Stage) -> dict[str, Dimension]:
    """Return the questions of a stage by their ids, those that a protocol makes itself included."""
    found = {d.id: d for d in instrument_of(stage).dimensions}
    asked = set(
        Answer.objects.filter(assignment__stage=stage)
        .values_list("dimension", flat=True)
        .distinct()
    )
    for id in sorted(asked - found.keys()):
        page = Assignment.objects.filter(stage=stage, answers__dimension=id).first()
        for unit in units_of(page) if page is not None else []:
            found.update((d.id, d) for d in unit.instrument.dimensions if d.id not in found)
    return {id: d for id, d in found.items() if id in asked} if asked else found


def said(words: Mapping[str, str]) -> str:
    """Return a text in the language of the owner's pages, else in the first that it has."""
    return words.get(LANGUAGE) or next(iter(words.values()))


def language_name(code: str) -> str:
    """Return what a language is called on the owner's pages, or its code where that is unknown."""
    try:
        return str(get_language_info(code)["name"])
    except KeyError:
        return code


def in_words(answer: Answer, dimension: Dimension, names: Mapping[str, str]) -> str:
    """Return an answer as people read it.

    Parameters
    ----------
    answer
        As it is stored.
    dimension
        Its question.
    names
        What stands for a stored label that must not be shown: its option on the page.

    """
    if answer.status != "ok":
        return answer.status.replace("_", " ")
    scale = dimension.scale
    if isinstance(scale, BooleanScale):
        anchor = scale.anchors.get(1 if answer.value else 0)
        return said(anchor) if anchor else ("Yes" if answer.value else "No")
    if isinstance(scale, NumberScale):
        assert answer.value is not None, "the save path lets no number without a value pass"
        anchor = scale.anchors.get(answer.value)
        return f"{answer.value:g}" + (f" ({said(anchor)})" if anchor else "")
    labels = [names.get(label, label) for label in answer.labels or []]
    if isinstance(scale, ChoiceScale):
        words = {option.id: said(option.label) for option in scale.options}
        return ", ".join(words.get(label, label) for label in labels) or "none of these"
    return ", ".join(labels) or "none"
