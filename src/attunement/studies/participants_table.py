"""The table of the participants as papers print it: who took part, in counts and in means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from attunement.instruments import BooleanScale, ChoiceScale, Dimension, NumberScale
from attunement.studies.asked import said
from attunement.studies.config import StudyFile
from attunement.studies.invitations import STATES, state_of
from attunement.studies.models import Answer, Participant
from attunement.studies.withdrawal import KEPT

LACKING = {"not_sure": "not sure", "not_applicable": "does not apply"}


@dataclass(frozen=True)
class Row:
    """A line of the table: a question, one of its answers or figures, and what it comes to."""

    question: str
    level: str
    figure: str


def participants_table(study: StudyFile) -> list[Row]:
    """Return who takes part, and the answers to each background question.

    Those count who agreed to take part and whose answers were not erased; percentages are of those
    who answered the question, and who did not is counted.
    """
    people = list(Participant.objects.order_by("code"))
    states = Counter(state_of(person) for person in people)
    rows = [Row("Places", state, str(states[state])) for state in STATES if states[state]]
    there = Participant.objects.filter(KEPT, consents__isnull=False).distinct()
    n = there.count()
    rows.append(Row("Participants", "agreed, answers kept", str(n)))
    answers: dict[str, list[Answer]] = {}
    given = Answer.objects.filter(assignment__kind="background", assignment__participant__in=there)
    for answer in given.exclude(status="partial").order_by("pk"):
        answers.setdefault(answer.dimension, []).append(answer)
    for dimension in study.background:
        rows += question_rows(dimension, answers.get(dimension.id, []), n)
    return rows


def question_rows(dimension: Dimension, answers: Sequence[Answer], n: int) -> list[Row]:
    """Return the lines of one question.

    Parameters
    ----------
    dimension
        The question.
    answers
        One a participant at most, for those who answered.
    n
        How many participants there are.

    """
    label = said(dimension.label)
    given = [a for a in answers if a.status == "ok"]
    scale = dimension.scale
    rows: list[Row] = []
    if isinstance(scale, NumberScale):
        rows = _numbers(label, [a.value for a in given if a.value is not None])
    elif isinstance(scale, BooleanScale):
        names = {str(v): said(scale.anchors[v]) for v in (1, 0) if v in scale.anchors}
        counted = Counter(f"{a.value:g}" for a in given)
        words = {"1": "Yes", "0": "No"} | names
        rows = [_share(label, words[v], counted[v], len(given)) for v in ("1", "0")]
    elif isinstance(scale, ChoiceScale):
        counted = Counter(one for a in given for one in a.labels or [])
        rows = [_share(label, said(o.label), counted[o.id], len(given)) for o in scale.options]
        if scale.type == "multi":
            none = sum(not a.labels for a in given)
            rows.append(_share(label, "none of these", none, len(given)))
    else:
        rows = [Row(label, "answered in words", str(len(given)))]
    other = Counter(a.status for a in answers if a.status != "ok")
    rows += [Row(label, LACKING[s], str(other[s])) for s in LACKING if other[s]]
    rows.append(Row(label, "missing", str(n - len(answers))))
    return rows


def as_frame(rows: Sequence[Row]) -> pl.DataFrame:
    """Return the table with the columns question, level and figure."""
    return pl.DataFrame(
        {
            "question": [r.question for r in rows],
            "level": [r.level for r in rows],
            "figure": [r.figure for r in rows],
        },
        schema={"question": pl.String, "level": pl.String, "figure": pl.String},
    )


def _share(label: str, level: str, count: int, n: int) -> Row:
    percent = f" ({100 * count / n:.1f}%)" if n else ""
    return Row(label, level, f"{count}{percent}")


def _numbers(label: str, values: Sequence[float]) -> list[Row]:
    if not values:
        return [Row(label, "mean (s.d.)", "undefined: nobody answered")]
    x = np.asarray(values, dtype=np.float64)
    spread = f"{x.std(ddof=1):.2f}" if x.size > 1 else "undefined with one answer"
    return [
        Row(label, "answered", str(x.size)),
        Row(label, "mean (s.d.)", f"{x.mean():.2f} ({spread})"),
        Row(label, "median [range]", f"{np.median(x):g} [{x.min():g}, {x.max():g}]"),
    ]
