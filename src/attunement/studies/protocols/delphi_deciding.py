"""What the owner of a panel decides and codes between the rounds, checked before it is stored."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db import transaction
from pydantic import ValidationError

from attunement.delphi import NewItem
from attunement.errors import UserError
from attunement.instruments import Words
from attunement.studies.audit import log
from attunement.studies.models import Answer, CommentCode, PanelDecision, Stage
from attunement.studies.opened import instrument_of
from attunement.studies.protocols import delphi_rounds as rounds
from attunement.studies.protocols.delphi_files import written

_SLUG = re.compile(r"[a-z0-9]+([-_][a-z0-9]+)*")
LONGEST_CODES = 300


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

    """

    action: str
    reason: str
    item: str = ""
    dimension: str = ""
    label: Mapping[str, str] = field(default_factory=dict)
    into: Sequence[tuple[str, Mapping[str, str]]] = ()
    rests_on: int | None = None


def decide(stage: Stage, wanted: Wanted, *, by: str) -> PanelDecision:
    """Store a decision; one on an item that was decided on before replaces that.

    Raises
    ------
    UserError
        Where the next round is open already, or the decision is not complete or does not go
        together with the others.

    """
    with transaction.atomic():
        held = _undecided(stage)
        row = _row(held, wanted, by)
        try:
            own = rounds.as_decision(row)
        except ValidationError as error:
            said = error.errors()[0]
            key = str(said["loc"][0]) if said["loc"] else "the decision"
            message = said["msg"].removeprefix("Value error, ")
            raise UserError(f"{key}: {message}.", where=row.item or row.dimension) from None
        others = PanelDecision.objects.filter(stage=held)
        if row.item:
            others.filter(item=row.item).delete()
        before = [rounds.as_decision(other) for other in others.all()]
        outcome = rounds.outcome_of(held, owner=[*before, own])
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
    with transaction.atomic():
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
    with transaction.atomic():
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


def _row(stage: Stage, wanted: Wanted, by: str) -> PanelDecision:
    """Return the decision as it is stored, each new item with an id."""
    instrument = instrument_of(stage)
    taken = {d.id for d in instrument.dimensions}
    for row in PanelDecision.objects.filter(stage=stage).exclude(item=wanted.item or None):
        taken |= {str(new["id"]) for new in row.into}
    label: Words = {}
    if wanted.action == "add":
        _refuse_name(wanted.dimension, "dimension")
        if wanted.dimension not in {part.id for part in rounds.parts_of(instrument)}:
            label = _whole(wanted.label, instrument.languages, "the new dimension")
    into = []
    for place, (given, wordings) in enumerate(wanted.into):
        id = given or _id(wanted, place, taken)
        _refuse_name(id, "item")
        if id in taken - {wanted.item}:
            raise UserError(f"there is an item {id!r} already.", fix="Give it another id.")
        taken.add(id)
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
    missing = [language for language in languages if not found[language]]
    if missing:
        raise UserError(f"{what} has no text in {', '.join(missing)}.", fix="Give it in each.")
    _refuse_unreadable(found, what)
    return found


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
