"""Table II of *socio-emotional*: planners of the next turn's labels on DailyDialog.

The paper's planners (BERT, BART, Beluga) are not trained again here. What can be shown is what the
table's numbers mean: under the published code's scoring a planner that always says "inform" comes
to the row of BERT large.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attunement.reproduce.comparison import Comparison, published

if TYPE_CHECKING:
    from attunement.planning import Plan, Window
    from attunement.planning.evaluation import Scoring
    from attunement.planning.training import Material

TITLE = (
    "Socio-Emotional Response Generation: A Human Evaluation Protocol for LLM-Based "
    "Conversational Systems"
)
FOLDER = Path("data") / "dailydialog"
TRAIN_TEXTS = FOLDER / "train" / "dialogues_train.txt"
PRINTED_WINDOWS = {"train": 76052, "validation": 7070, "test": 6740}
PRINTED_LENGTH = 1.20
TWO_DECIMALS = 0.005 + 1e-9
OURS = ("linear", "random", "majority", "constant")

PAPER_NOTE = (
    "`paper` repeats the published code: only the last label of a turn counts, scikit-learn is "
    "given the plans as truth (precision and recall change places), NLS is one distance over the "
    "whole list of turns. A constant 'inform' comes to the row of BERT large but for a hundredth, "
    "so the table does not tell planners from a constant; `standard` does."
)
NOT_TRAINED_NOTE = "The paper's trained planners are printed as they stand; they are not run here."
RANDOM_NOTE = (
    "The random planner draws as many labels as training turns have, of the ten that turns can "
    "have, in any order. Both rows are one draw of chance, so they may differ by two hundredths."
)
BY_CHANCE = 0.02
STANDARD_NOTE = (
    "`standard`: what people said is the truth, all labels of a turn count, scores by label are "
    "weighted by the turns that have it, NLS is taken pair by pair. The paper prints none of it."
)
MAJORITY_NOTE = "The most frequent sequence of the training turns is 'inform' alone."
VALIDATION_NOTE = (
    "The validation split has 8,069 turns in 1,000 dialogues: 7,069 turns have one before them."
)
LENGTH_NOTE = "The paper prints one number for the data set; it does not say of which split."


def reproduce(data: Path | None = None) -> list[Comparison]:
    """Return window counts, and Table II with and without duplicates; nothing without the data.

    Trains the linear planner, about a minute. Without duplicates: test dialogues whose text stands
    in the training split are left out.
    """
    if data is None:
        return []
    from attunement.planning import duplicates, training

    order = training.Order(sequence=("inform",))
    given = training.material(data / FOLDER, order)
    split, turns = training.turns_of(data / FOLDER, "test", order)
    known = set(duplicates(split, given.splits[0]))
    contexts = [w.context for w in turns]
    plans = {kind: training.train(kind, given, order).plan(contexts) for kind in OURS}
    scorings: tuple[Scoring, ...] = ("paper", "standard")
    parts: dict[str, set[str]] = {"": set(), ", without duplicates": known}
    return [
        *_windows(given, turns),
        *(
            row
            for scoring in scorings
            for said, without in parts.items()
            for row in _table(plans, turns, without, said, scoring)
        ),
    ]


def _windows(given: Material, turns: Sequence[Window]) -> Iterator[Comparison]:
    from attunement.planning.windows import mean_length

    found = {"train": given.training, "validation": given.validation, "test": turns}
    for name, part in found.items():
        yield Comparison(
            where="Appendix A: samples",
            row=name,
            column="windows" if name != "validation" else "windows (validation)",
            published=float(PRINTED_WINDOWS[name]),
            computed=float(len(part)),
            tolerance=0.0,
            n=len(part),
            note=VALIDATION_NOTE if name == "validation" else "",
        )
    for name, part in found.items():
        yield Comparison(
            where="Section III-A: labels of a turn",
            row=name,
            column="mean length",
            published=PRINTED_LENGTH,
            computed=mean_length(part),
            tolerance=TWO_DECIMALS,
            n=len(part),
            note=LENGTH_NOTE,
        )


def _table(
    plans: Mapping[str, Sequence[Plan]],
    turns: Sequence[Window],
    without: set[str],
    said: str,
    scoring: Scoring,
) -> Iterator[Comparison]:
    """Yield the cells of one table; ``without`` are dialogues that are left out."""
    from attunement.planning import DAILYDIALOG, evaluate
    from attunement.planning.table_ii import HEADS, row

    kept = [i for i, w in enumerate(turns) if w.dialogue not in without]
    turns = [turns[i] for i in kept]
    evaluations = {
        name: evaluate([given[i] for i in kept], turns, DAILYDIALOG, scoring=scoring, planner=name)
        for name, given in plans.items()
    }
    printed: dict[str, dict[str, str]] = {}
    if scoring == "paper":
        printed = {r["model"]: r for r in published("socio_emotional_table2")}
    where = f"Table II, `{scoring}` scoring, {len(turns):,} test turns{said}"
    for model in (*(m for m in printed if m not in evaluations), *evaluations):
        ours = row(evaluations[model]) if model in evaluations else {}
        for column, head in HEADS.items():
            result = ours.get(column)
            yield Comparison(
                where=where,
                row="constant inform" if model == "constant" else model,
                column=head,
                published=float(printed.get(model, {}).get(column) or math.nan),
                computed=result.estimate if result else math.nan,
                tolerance=BY_CHANCE if model == "random" else TWO_DECIMALS,
                n=len(turns) if result else 0,
                note=_note(model, scoring),
                ci_low=result.ci_low if result else math.nan,
                ci_high=result.ci_high if result else math.nan,
            )


def _note(model: str, scoring: Scoring) -> str:
    if scoring == "standard":
        return MAJORITY_NOTE if model == "majority" else STANDARD_NOTE
    notes = {"random": RANDOM_NOTE, "linear": PAPER_NOTE, "constant": PAPER_NOTE}
    return notes.get(model, MAJORITY_NOTE if model == "majority" else NOT_TRAINED_NOTE)
