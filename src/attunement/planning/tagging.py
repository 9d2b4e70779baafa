"""Taggers: which labels a text shows, in the words of a label set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from attunement.planning.labels import LabelSet
from attunement.planning.planner import Advance, Plan

NO_TEXT = Plan((), "not_applicable", "There is no text.")
"""What a tagger answers for a text with nothing but white space."""


@runtime_checkable
class Tagger(Protocol):
    """Says which labels a text shows."""

    @property
    def kind(self) -> str:
        """Its name."""
        ...

    @property
    def labels(self) -> LabelSet:
        """The label set it tags with."""
        ...

    @property
    def signature(self) -> str:
        """What makes it what it is."""
        ...

    def tag(
        self,
        texts: Sequence[str],
        *,
        after: Sequence[str | None] | None = None,
        advance: Advance | None = None,
    ) -> list[Plan]:
        """Return each text's label sequence, in order.

        Parameters
        ----------
        texts
            Turns.
        after
            The turn before each of them, None where there is none or it is not known.
        advance
            Is told how many texts were done.
        """
        ...
