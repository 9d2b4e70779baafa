"""What a study file says of a panel: rounds, thresholds, and the translation that is judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from attunement.errors import UserError
from attunement.instruments import BooleanScale, Dimension, Instrument, Slug, Strict, Words


class PanelThresholds(Strict):
    """When an item of a Delphi stays."""

    agreement: Annotated[float, Field(ge=0, le=100)] = Field(
        75, description="per cent of the panel who rate its relevance 4 or 5, at least"
    )
    mean: Annotated[float, Field(ge=1, le=5)] = Field(3, description="mean relevance, at least")
    iqr: Annotated[float, Field(gt=0)] = Field(
        2, description="interquartile range of relevance, below"
    )
    redundancy: Annotated[float, Field(ge=0)] | None = Field(
        None, description="more flags than this drop it; by default the third quartile of all"
    )


class PanelTranslation(Strict):
    """A translation of the items that native speakers judge, from the second round on."""

    language: Literal["en", "it"] = Field(description="of the translation; the draft has it")
    native: Slug = Field(description="a yes-or-no background question: a native speaker?")


class Delphi(Strict):
    """A panel of experts settles in rounds which items a scale is to have."""

    type: Literal["delphi"]
    instrument: str = Field(description="the draft: its dimensions are the items")
    panel: Annotated[int, Field(ge=1, le=10_000)] = Field(16, description="experts")
    rounds: Annotated[int, Field(ge=1, le=9)] = 2
    thresholds: PanelThresholds = PanelThresholds()
    minimum: Annotated[int, Field(ge=0)] = Field(
        3, description="items that a dimension keeps where redundancy would take them"
    )
    translation: PanelTranslation | None = None

    @model_validator(mode="after")
    def _check_rounds(self) -> Self:
        if self.translation is not None and self.rounds < 2:
            raise ValueError("a translation is judged from the second round on: set rounds to 2")
        return self


def refuse_unfit(protocol: Delphi, background: Sequence[Dimension], *, trained: bool) -> None:
    """Raise ValueError where the rest of a study file does not go with its panel.

    Parameters
    ----------
    protocol
        The panel.
    background
        The study's questions, one of which tells native speakers.
    trained
        Whether the file has training items.

    """
    if trained:
        raise ValueError("a delphi has no training: its items have no right rating")
    asked = protocol.translation
    if asked is not None and not any(
        d.id == asked.native and isinstance(d.scale, BooleanScale) for d in background
    ):
        raise ValueError(
            f"protocol.translation.native names {asked.native!r}, which is no yes-or-no "
            "question under background"
        )


def refuse_draft(protocol: Delphi, instrument: Instrument) -> None:
    """Raise where a panel cannot settle the items of a draft.

    Raises
    ------
    UserError
        Where the draft has no texts in the language whose translation is judged, or was written in
        it; where an item belongs to two dimensions, or two items read the same; where some items
        belong to none and a dimension is named as the draft is, as these would be.

    """
    held = [id for subscale in instrument.subscales for id in subscale.dimensions]
    twice = next((id for id in held if held.count(id) > 1), None)
    if twice is not None:
        raise UserError(
            f"the item {twice!r} is in two subscales.",
            where=instrument.name,
            fix="A panel judges each item once: leave it in one.",
        )
    if len(held) < len(instrument.dimensions) and instrument.id in {
        s.id for s in instrument.subscales
    }:
        raise UserError(
            f"a subscale is called {instrument.id!r}, as the draft, and some items are in none.",
            where=instrument.name,
            fix="Put every item into a subscale, or name that one otherwise.",
        )
    seen: dict[tuple[str, ...], str] = {}
    for dimension in instrument.dimensions:
        other = seen.setdefault(plain_words(dimension.wording), dimension.id)
        if other != dimension.id:
            raise UserError(
                f"the items {other!r} and {dimension.id!r} read the same.",
                where=instrument.name,
                fix="Leave one of them out, or reword it.",
            )
    judged = protocol.translation
    if judged is not None and judged.language not in instrument.languages[1:]:
        raise UserError(
            f"{instrument.name} has no translation into {judged.language!r}.",
            where="protocol.translation.language",
            fix="Give the draft's texts in that language too, after its own; wordings can be "
            "edited between the rounds.",
        )


def plain_words(wording: Words) -> tuple[str, ...]:
    """Return a wording as one compares it with another: by language, without case and spacing."""
    return tuple(" ".join(wording[code].split()).casefold() for code in sorted(wording))
