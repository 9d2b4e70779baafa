"""What a panel's study exports beside the tables: rounds, decisions and the outcome."""

from __future__ import annotations

from typing import Any

import polars as pl
import yaml

from attunement.delphi import Drawing, as_markdown, decisions_table, statistics_table
from attunement.errors import UserError
from attunement.instruments.writing import to_yaml
from attunement.studies.models import Answer, Stage
from attunement.studies.opened import the_study
from attunement.studies.protocols import delphi_questions as ask
from attunement.studies.protocols import delphi_rounds as rounds
from attunement.studies.protocols.delphi_said import text_of
from attunement.tables import for_spreadsheet

TEXTS = (ask.COMMENT, ask.SUGGESTION, *ask.PROPOSALS)
"""The questions that are answered in words."""


def texts() -> dict[str, str]:
    """Return the files by their names: those of each round that was opened, and the outcome.

    ::

        delphi_round1.csv        the panel's answers, as 'attunement delphi analyze' reads them
        delphi_comments1.csv     what they wrote, with the owner's codes
        delphi_decisions1.yaml   the owner's decisions, for --decisions
        delphi_log1.md  delphi_log1.csv  delphi_statistics1.csv
        delphi_outcome.yaml      the instrument that the last round leaves
    """
    found: dict[str, str] = {}
    for stage in the_study().stages.exclude(opened_at=None):
        n = rounds.number_of(stage)
        found[f"delphi_round{n}.csv"] = _sheet(rounds.round_table(stage))
        found[f"delphi_comments{n}.csv"] = _sheet(comments_table(stage))
        found[f"delphi_decisions{n}.yaml"] = _decisions(stage)
        try:
            outcome = rounds.outcome_of(stage, drawing=Drawing())
        except UserError:  # nobody has finished a page of the round
            continue
        found[f"delphi_log{n}.md"] = as_markdown(outcome)
        found[f"delphi_log{n}.csv"] = decisions_table(outcome).write_csv()
        found[f"delphi_statistics{n}.csv"] = statistics_table(outcome).write_csv()
        try:
            found["delphi_outcome.yaml"] = to_yaml(rounds.revised(stage, outcome))
        except UserError:  # nothing is left
            found.pop("delphi_outcome.yaml", None)
    return found


def comments_table(stage: Stage) -> pl.DataFrame:
    """Return what the panel wrote in a round: expert, unit, question, text, codes and hidden."""
    rows = [
        {
            "expert": answer.assignment.participant.code,
            "item": answer.unit_id if answer.dimension not in ask.PROPOSALS else None,
            "dimension": answer.assignment.prefill.get("part") or None,
            "question": answer.dimension,
            "text": text_of(answer),
            "codes": coding.codes if coding is not None else None,
            "hidden": coding is not None and coding.hidden,
        }
        for answer in written(stage)
        for coding in [getattr(answer, "coding", None)]
    ]
    names = ("expert", "item", "dimension", "question", "text", "codes")
    return pl.DataFrame(rows, schema={**dict.fromkeys(names, pl.String()), "hidden": pl.Boolean()})


def written(stage: Stage) -> list[Answer]:
    """Return what was written on a round's finished pages, by question's place and expert."""
    answers = (
        Answer.objects.filter(assignment__in=rounds.complete(stage), dimension__in=TEXTS)
        .select_related("assignment__participant", "coding")
        .order_by("assignment__position", "unit_id", "assignment__participant__code", "pk")
    )
    return [answer for answer in answers if answer.labels]


def _sheet(frame: pl.DataFrame) -> str:
    return for_spreadsheet(frame).write_csv()


def _decisions(stage: Stage) -> str:
    rows: list[dict[str, Any]] = [
        own.model_dump(mode="json", exclude_none=True) for own in rounds.decided(stage)
    ]
    return yaml.safe_dump(
        [{k: v for k, v in row.items() if v} for row in rows], allow_unicode=True, sort_keys=False
    )
