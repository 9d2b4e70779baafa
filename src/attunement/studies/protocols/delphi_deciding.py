"""What the owner of a panel decides and codes between the rounds, checked before it is stored."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import ValidationError

from attunement.delphi import Item, NewItem
from attunement.errors import UserError
from attunement.instruments import Words
from attunement.studies.asked import language_name
from attunement.studies.audit import log
from attunement.studies.config_delphi import plain_words
from attunement.studies.holding import writing
from attunement.studies.models import Answer, CommentCode, PanelDecision, Stage
from attunement.studies.opened import instrument_of
from attunement.studies.protocols import delphi_rounds as rounds
from attunement.studies.protocols.delphi_files import written

_SLUG = re.compile(r"[a-z0-9]+([-_][a-z0-9]+)*")
LONGEST_CODES = 300
ACTIONS = {"keep": 0, "drop": 0, "modify": 1, "split": 2, "add": 1}
"""What can be decided, and how many new wordings it takes at least."""


@dataclass(frozen=True)
class Wanted:
    """A decision as a form gives it.

    Parameters
    ----------
    action
        ``keep``, ``drop``, ``modify``, ``split`` or ``add``.
    reason
        Why.
    item
        The item that it is about; of all but ``add``.
    dimension, label
        Of ``add``: the dimension's id, and its name in each language where it is new.
    into
        The new items: an id, which may be empty, and the wordings by language.
    rests_on
        The key of the panellist's text behind it.
    seen
        The key of the decision that the form showed, 0 where it showed none; None where nobody
        looked.

    """

    action: str
    reason: str
    item: str = ""
    dimension: str = ""
    label: Mapping[str, str] = field(default_factory=dict)
    into: Sequence[tuple[str, Mapping[str, str]]] = ()
    rests_on: int | None = None
    seen: int | None = None


def decide(stage: Stage, wanted: Wanted, *, by: str) -> PanelDecision:
    """Store a decision; one on an item that was decided on before replaces that.

    Raises
    ------
    UserError
        Where the next round is open already, somebody decided otherwise since the form was shown,
        or the decision is not complete or does not go together with the others.

    """
    with writing():
        held = _undecided(stage)
        _refuse_incomplete(wanted)
        row = _row(held, wanted, by)
        own = rounds.as_decision(row)
        others = PanelDecision.objects.filter(stage=held)
        if row.item:
            _refuse_unseen(others.filter(item=row.item).first(), wanted)
            others.filter(item=row.item).delete()
        before = [rounds.as_decision(other) for other in others.all()]
        outcome = rounds.outcome_of(held, owner=[*before, own])
        _refuse_same_words(outcome.items, [str(new["id"]) for new in row.into])
        row.save()
        if outcome.items:
            rounds.revised(held, outcome)  # raises where it makes no instrument
        log(by, "panel decision", stage=held.key, decision=str(row))
    return row


def take_back(row: PanelDecision, *, by: str) -> None:
    """Take a decision back: the thresholds decide again.

    Raises
    ------
    UserError
        Where the next round is open already.

    """
    with writing():
        _undecided(row.stage)
        said = str(row)
        PanelDecision.objects.filter(pk=row.pk).delete()
        log(by, "panel decision taken back", stage=row.stage.key, decision=said)


def code(stage: Stage, given: Mapping[int, tuple[str, bool]], *, by: str) -> int:
    """Store short codes for texts of the panel, and which of them it is not shown.

    Parameters
    ----------
    stage
        Of the texts.
    given
        By the text's key: its codes, separated by commas, and whether it is hidden.
    by
        Who codes.

    Returns
    -------
    int
        How many texts have other codes now.

    """
    changed = 0
    with writing():
        for answer in written(stage):
            if answer.pk not in given:
                continue
            codes, hidden = _tidy(given[answer.pk][0]), given[answer.pk][1]
            before = CommentCode.objects.filter(answer=answer).first()
            if (
                (before.codes, before.hidden) == (codes, hidden)
                if before
                else not (codes or hidden)
            ):
                continue
            CommentCode.objects.update_or_create(
                answer=answer, defaults={"codes": codes, "hidden": hidden, "by": by}
            )
            changed += 1
        if changed:
            log(by, "comments coded", stage=stage.key, count=changed)
    return changed


def code_counts(stage: Stage) -> list[tuple[str, int]]:
    """Return the codes of a round and how many texts have each, the most frequent first."""
    counts: dict[str, int] = {}
    for row in CommentCode.objects.filter(answer__assignment__in=rounds.complete(stage)):
        for name in filter(None, row.codes.split(", ")):
            counts[name] = counts.get(name, 0) + 1
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _undecided(stage: Stage) -> Stage:
    """Return the stage, its row held, where the next round has not frozen what was decided."""
    held = Stage.objects.select_for_update().get(pk=stage.pk)
    later = rounds.after(held)
    if later is not None and later.opened_at is not None:
        raise UserError(
            f"{later.key} is open, and its items are frozen.",
            where=held.key,
            fix="Decide after that round.",
        )
    return held


def _refuse_incomplete(wanted: Wanted) -> None:
    """Say in the words of the page what a decision lacks."""
    if wanted.action not in ACTIONS:
        raise UserError("no decision was chosen.", where=wanted.item)
    if len(wanted.into) < ACTIONS[wanted.action]:
        raise UserError(
            {
                "split": "an item is split into two or more: the wording of the second is missing.",
                "modify": "the new wording is missing.",
            }.get(wanted.action, "the wording of the item is missing."),
        )
    if not wanted.reason.strip():
        raise UserError("the reason is missing.")


def _refuse_unseen(stands: PanelDecision | None, wanted: Wanted) -> None:
    """Refuse to replace a decision that the form did not show, such as one of another tab."""
    if wanted.seen is None or wanted.seen == (0 if stands is None else stands.pk):
        return
    now = "taken back" if stands is None else f"decided by {stands.by}: {stands.action}"
    raise UserError(
        f"what becomes of {wanted.item} was meanwhile {now}.",
        fix="Look at that, then record yours again if it is still to be.",
    )


def _refuse_same_words(items: Sequence[Item], new: Sequence[str]) -> None:
    """Refuse an item that reads as another one does: nobody could tell them apart."""
    for item in items:
        if item.id not in new:
            continue
        words = plain_words(dict(item.wording))
        same = [i.id for i in items if i.id != item.id and plain_words(dict(i.wording)) == words]
        if same:
            raise UserError(f"{item.id} would read as {same[0]} does.", fix="Word one otherwise.")


def _row(stage: Stage, wanted: Wanted, by: str) -> PanelDecision:
    """Return the decision as it is stored, each new item with an id."""
    instrument = instrument_of(stage)
    taken = {d.id for d in instrument.dimensions}
    if wanted.item and wanted.item not in taken:
        raise UserError(f"the round has no item {wanted.item!r}.")
    for row in PanelDecision.objects.filter(stage=stage).exclude(item=wanted.item or None):
        taken |= {str(new["id"]) for new in row.into}
    label: Words = {}
    if wanted.action == "add":
        _refuse_name(wanted.dimension, "dimension")
        if wanted.dimension not in {part.id for part in rounds.parts_of(instrument)}:
            label = _label(stage, wanted, instrument.languages)
    into = []
    for place, (given, wordings) in enumerate(wanted.into):
        id = given or _id(wanted, place, taken)
        _refuse_name(id, "item")
        if id in taken - {wanted.item}:
            raise UserError(f"there is an item {id!r} already.", fix="Give it another id.")
        taken.add(id)
        if wanted.action == "modify":
            _refuse_unchanged(wordings, instrument.dimension(wanted.item).wording)
        new = NewItem(id=id, wording=_whole(wordings, instrument.languages, f"the item {id}"))
        into.append(new.model_dump(mode="json", exclude_none=True))
    return PanelDecision(
        stage=stage,
        action=wanted.action,
        item=wanted.item,
        dimension=wanted.dimension if wanted.action == "add" else "",
        label=label,
        into=into,
        reason=_reason(wanted.reason),
        rests_on=_text(stage, wanted.rests_on),
        by=by,
    )


def _label(stage: Stage, wanted: Wanted, languages: Sequence[str]) -> Words:
    """Return the name of a new dimension: as given, or as it was named with an item before."""
    named = PanelDecision.objects.filter(stage=stage, item="", dimension=wanted.dimension)
    before = named.exclude(label={}).first()
    if before is not None and not any(map(str.strip, wanted.label.values())):
        return dict(before.label)
    return _whole(wanted.label, languages, "the new dimension")


def _id(wanted: Wanted, place: int, taken: set[str]) -> str:
    """Return an id for a new item: its own, with a letter, or the dimension's next number."""
    if wanted.action == "modify":
        return wanted.item
    if wanted.action == "split":
        return f"{wanted.item}{'abcdefghijklmnopqrstuvwxyz'[place % 26]}"
    number = 1
    while f"{wanted.dimension}{number}" in taken:
        number += 1
    return f"{wanted.dimension}{number}"


def _refuse_name(name: str, what: str) -> None:
    if not _SLUG.fullmatch(name) or len(name) > 100:
        raise UserError(
            f"{name!r} cannot be the id of {'an' if what == 'item' else 'a'} {what}.",
            fix="Use lower-case letters and digits, joined by - or _.",
        )


def _whole(given: Mapping[str, str], languages: Sequence[str], what: str) -> Words:
    found = {language: " ".join(given.get(language, "").split()) for language in languages}
    missing = [language_name(language) for language in languages if not found[language]]
    if missing:
        raise UserError(
            f"{what} has no text in {', '.join(missing)}.", fix="Give it in every language."
        )
    _refuse_unreadable(found, what)
    return found


def _refuse_unchanged(given: Mapping[str, str], stands: Words) -> None:
    if {c: " ".join(t.split()) for c, t in given.items() if t} == {
        c: " ".join(t.split()) for c, t in stands.items()
    }:
        raise UserError("the wording is the one that it has.", fix="Change it, or keep the item.")


def _refuse_unreadable(words: Words, what: str) -> None:
    try:
        NewItem(wording=words)
    except ValidationError as error:
        said = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise UserError(f"{said}.", where=what) from None


def _reason(given: str) -> str:
    lines = "\n".join(given.strip().splitlines())
    if lines:
        _refuse_unreadable({"en": lines}, "the reason")
    return lines


def _text(stage: Stage, pk: int | None) -> Answer | None:
    if pk is None:
        return None
    return next((answer for answer in written(stage) if answer.pk == pk), None)


def _tidy(codes: str) -> str:
    parts = [" ".join(part.split()) for part in codes.replace("\x00", "").split(",")]
    return ", ".join(dict.fromkeys(part for part in parts if part))[:LONGEST_CODES]
