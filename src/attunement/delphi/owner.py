"""The owner's decisions: what people make of the panel's comments, over the thresholds.

A YAML file holds them as a list::

    - action: split
      item: LQ2
      reason: Two things in one sentence.
      comment: I would divide this item into two.
      into:
        - {id: LQ2a, wording: {en: The chatbot's language sounds natural.}}
        - {id: LQ2b, wording: {en: The chatbot's language suits the context.}}
    - action: add
      dimension: M
      label: {en: Memory}
      reason: Nothing asks about memory.
      into: [{id: M1, wording: {en: The chatbot recalls what I said before.}}]
    - {action: drop, item: OS2, reason: Says the opposite of OS1.}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from attunement.decoding import decode_yaml
from attunement.delphi._model import Addition, Decision, Item, Reason
from attunement.errors import UserError, nearest
from attunement.instruments import Strict, Words

Text = Annotated[str, Field(min_length=1, pattern=r"\S")]


class NewItem(Strict):
    """An item as the owner words it.

    Parameters
    ----------
    id
        Its name; a reworded item keeps its own where none is given.
    wording
        Its text by language code.
    reversed
        Whether agreeing means little of the dimension; a reworded item keeps what it was.

    """

    id: Text | None = None
    wording: Words
    reversed: bool | None = None


class OwnerDecision(Strict):
    """One decision.

    Parameters
    ----------
    action
        ``keep`` or ``drop`` an item whatever the thresholds say, ``modify`` its wording, ``split``
        it, or ``add`` items to a dimension, which may be new. ``modify`` and ``split`` keep it.
    item
        The item; of all but ``add``.
    dimension
        The dimension that items are added to.
    label
        What a dimension that is new is called, by language code.
    reason
        Why.
    comment
        The panel's comment that it rests on, word for word.
    into
        The new wording: one item for ``modify``, two or more for ``split``, any for ``add``.

    """

    action: Literal["keep", "drop", "modify", "split", "add"]
    item: Text | None = None
    dimension: Text | None = None
    label: Words | None = None
    reason: Text
    comment: Text | None = None
    into: tuple[NewItem, ...] = ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        adds = self.action == "add"
        if adds != (self.item is None) or adds != (self.dimension is not None):
            raise ValueError(
                f"'{self.action}' names " + ("a dimension, no item" if adds else "an item only")
            )
        if self.label is not None and not adds:
            raise ValueError("'label' names a new dimension, which only 'add' makes")
        few, many = {"modify": (1, 1), "split": (2, 99), "add": (1, 99)}.get(self.action, (0, 0))
        if not few <= len(self.into) <= many:
            raise ValueError(
                f"'{self.action}' has {len(self.into)} items under 'into', not "
                + (str(few) if few == many else f"{few} or more")
            )
        if adds and any(new.id is None for new in self.into):
            raise ValueError("an item that is added needs an id")
        return self

    def reasons(self) -> tuple[Reason, ...]:
        """Return why, the comment behind it."""
        own = Reason("owner", f"{self.action}: {self.reason}")
        quoted = (Reason("comment", self.comment),) if self.comment else ()
        return (own, *quoted)


def read_decisions(file: str | Path) -> list[OwnerDecision]:
    """Read the owner's decisions from a YAML file.

    Raises
    ------
    UserError
        Where the file is missing, no YAML, or a decision is not complete; it names the decision.

    """
    where = str(file)
    try:
        content = decode_yaml(Path(file).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError("no such file.", where=where, fix="Check the path.") from None
    except UnicodeDecodeError:
        raise UserError("it is not UTF-8.", where=where) from None
    except ValueError as error:
        raise UserError(f"it is no YAML: {error}.", where=where) from None
    try:
        return TypeAdapter(list[OwnerDecision]).validate_python(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = first["loc"]
        number = f", decision {int(place[0]) + 1}" if place and isinstance(place[0], int) else ""
        key = ".".join(map(str, place[1:]))
        said = first["msg"].removeprefix("Value error, ")
        raise UserError(
            f"{key}: {said}." if key else f"{said}.",
            where=where + number,
            fix="A list of decisions, each with action, item or dimension, reason; see "
            "docs/delphi.md.",
        ) from None


def apply(
    owner: Sequence[OwnerDecision], decisions: Sequence[Decision]
) -> tuple[list[Decision], tuple[Addition, ...]]:
    """Lay the owner's decisions over those of the thresholds.

    Parameters
    ----------
    owner
        What the owner decided, at most once an item.
    decisions
        One an item of the round.

    Raises
    ------
    UserError
        Where an item is not there, decided twice, or two items would have one id.

    """
    final = list(decisions)
    places = {d.item.id: i for i, d in enumerate(decisions)}
    additions: list[Addition] = []
    decided: set[str] = set()
    for own in owner:
        if own.item is None:
            dimension = own.dimension or ""
            additions += [
                Addition(
                    _new(new, new.id or "", dimension, reversed=False), own.reasons(), own.label
                )
                for new in own.into
            ]
            continue
        if own.item not in places:
            guess = nearest(own.item, list(places))
            raise UserError(
                f"the owner decided on {own.item!r}, which the round does not have.",
                where="the owner's decisions",
                fix=f"Did you mean {guess!r}?" if guess else None,
            )
        if own.item in decided:
            raise UserError(
                f"the owner decided on {own.item!r} twice.", where="the owner's decisions"
            )
        decided.add(own.item)
        at = places[own.item]
        final[at] = _overlaid(final[at], own)
    _refuse_same_ids(final, additions)
    return final, tuple(additions)


def _overlaid(decision: Decision, own: OwnerDecision) -> Decision:
    item = decision.item
    into = tuple(
        _new(new, new.id or _own_id(item.id, i, own), item.dimension, reversed=item.reversed)
        for i, new in enumerate(own.into)
    )
    failed = tuple(r for r in decision.reasons if decision.action == "drop")
    return replace(
        decision,
        action="drop" if own.action == "drop" else "keep",
        reasons=(*failed, *own.reasons()),
        by="owner",
        into=into,
    )


def _own_id(id: str, place: int, own: OwnerDecision) -> str:
    return id if own.action == "modify" else f"{id}{'abcdefghijklmnopqrstuvwxyz'[place % 26]}"


def _new(new: NewItem, id: str, dimension: str, *, reversed: bool) -> Item:
    turned = reversed if new.reversed is None else new.reversed
    return Item(id=id, dimension=dimension, wording=new.wording, reversed=turned)


def _refuse_same_ids(decisions: Sequence[Decision], additions: Sequence[Addition]) -> None:
    seen: set[str] = set()
    left = [item for d in decisions if d.action != "drop" for item in (d.into or (d.item,))]
    for item in [*left, *(a.item for a in additions)]:
        if item.id in seen:
            raise UserError(
                f"two items of the outcome are called {item.id!r}.",
                where="the owner's decisions",
                fix="Give one of them another id.",
            )
        seen.add(item.id)
