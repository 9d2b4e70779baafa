"""What a judge's reply says on one dimension."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from attunement.quotes import Quote


@dataclass(frozen=True)
class Verdict:
    """What a reply says on one dimension.

    Parameters
    ----------
    status
        ``ok``, ``not_sure``, ``not_applicable``, ``refused`` or ``unparsed``.
    value
        The number, on the dimension's own scale; None where the status is not ``ok`` or the scale
        has no numbers.
    labels
        The options of a choice, the labels of spans in their order, or the one text of a free
        answer.
    rationale
        The judge's words before the score, where it gave any.
    reason
        Why there is no verdict, where there is none.
    quotes
        The passages that it quotes from the answer, where it gave any.

    """

    status: Literal["ok", "not_sure", "not_applicable", "refused", "unparsed"]
    value: float | None = None
    labels: tuple[str, ...] | None = None
    rationale: str | None = None
    reason: str | None = None
    quotes: tuple[Quote, ...] = ()
