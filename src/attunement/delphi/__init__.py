"""The analysis of an eDelphi: what the panel said, what stays, and the instrument that comes out.

The procedure is that of CES-LCC (Bolpagni and Gabrielli 2025, Informatics 12, 33).
"""

from attunement.delphi._model import (
    Addition,
    Decision,
    Item,
    ItemSummary,
    Outcome,
    PanelRound,
    Reason,
    Scale,
    Thresholds,
)
from attunement.delphi.amd import MINIMUM, decide
from attunement.delphi.behind import counts_behind
from attunement.delphi.items import items_from
from attunement.delphi.log import (
    action_of,
    as_markdown,
    decisions_table,
    motivation,
    statistics_table,
    tally,
)
from attunement.delphi.matching import aligned
from attunement.delphi.outcome import Written, instrument_of, priorities
from attunement.delphi.owner import NewItem, OwnerDecision, read_decisions
from attunement.delphi.raw import Drawing
from attunement.delphi.reading import compared, read_round, stability

__all__ = [
    "MINIMUM",
    "Addition",
    "Decision",
    "Drawing",
    "Item",
    "ItemSummary",
    "NewItem",
    "Outcome",
    "OwnerDecision",
    "PanelRound",
    "Reason",
    "Scale",
    "Thresholds",
    "Written",
    "action_of",
    "aligned",
    "as_markdown",
    "compared",
    "counts_behind",
    "decide",
    "decisions_table",
    "instrument_of",
    "items_from",
    "motivation",
    "priorities",
    "read_decisions",
    "read_round",
    "stability",
    "statistics_table",
    "tally",
]
