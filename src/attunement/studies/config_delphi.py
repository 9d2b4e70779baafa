"""What a study file says of a panel: rounds, thresholds, and the translation that is judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from attunement.errors import UserError
from attunement.instruments import BooleanScale, Dimension, Instrument, Slug, Strict


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
    panel: Annotated[int, Field(ge=1)] = Field(16, description="experts")
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


def refuse_untranslated(protocol: Delphi, instrument: Instrument) -> None:
    """Raise where the draft has no texts in the language whose translation is judged.

    Raises
    ------
    UserError
        Where it has not, or was written in that language.

    """
    judged = protocol.translation
    if judged is not None and judged.language not in instrument.languages[1:]:
        raise UserError(
            f"{instrument.name} has no translation into {judged.language!r}.",
            where="protocol.translation.language",
            fix="Give the draft's texts in that language too, after its own; wordings can be "
            "edited between the rounds.",
        )
