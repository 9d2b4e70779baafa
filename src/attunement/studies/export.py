"""What comes out of a study: a folder of tables that every other command reads unchanged.

::

    OUT/
      items.parquet  responses.parquet  ratings.parquet  raters.parquet   the four tables
      unfinished.parquet       ratings on pages that were begun and never finished
      known_ratings.parquet    training and attention items, as ratings
      known.parquet            their texts, and what is right
      questions.parquet        background and closing questions, as ratings
      adjudications.parquet    what was settled where raters differ, as ratings
      history.parquet          every save
      codebook.md  instrument-1.yaml ...   what was asked
      study.yaml               the study file
      delphi_round1.csv ...    of a panel: its rounds, the decisions and the outcome
      manifest.json            counts, what each stage froze, and the digest of each file

The folder is a run folder. No name in it comes from the database.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from attunement import tables
from attunement.errors import UserError
from attunement.instruments import Instrument, parse_instrument
from attunement.instruments.codebook import codebook_markdown
from attunement.instruments.writing import to_yaml
from attunement.runs import Run
from attunement.studies import export_ratings, export_tables, history
from attunement.studies.config import StudyFile
from attunement.studies.credit import all_owners
from attunement.studies.export_files import batch_file
from attunement.studies.models import Participant, Study
from attunement.studies.opened import described, the_study
from attunement.studies.protocols import protocol_of
from attunement.studies.snapshot import snapshot
from attunement.studies.withdrawal import KEPT

Advance = Callable[[int], None]
Schema = Mapping[str, pl.DataType]


@dataclass(frozen=True)
class Exported:
    """What was written.

    Parameters
    ----------
    folder
        Where.
    rows
        Of each file.
    lost
        Who had rated in an earlier export's folder and is no person of the study, such as a judge.

    """

    folder: Path
    rows: dict[str, int]
    lost: list[str] = field(default_factory=list)


def export_study(out: Path, *, csv: bool = False, advance: Advance = lambda rows: None) -> Exported:
    """Write everything that a study holds, but what tells who somebody is.

    The tables are of one moment, and raters can go on meanwhile. People are in them by their codes;
    addresses, links and completion codes are not, nor is anything that somebody withdrew.

    Parameters
    ----------
    out
        The folder; made where there is none. Files of an earlier export are replaced.
    csv
        Whether each table is written as CSV as well, for spreadsheets: lists as JSON text, and an
        apostrophe before a text that a spreadsheet would take for a formula.
    advance
        Told the rows written since the last time.

    Raises
    ------
    UserError
        Where the folder holds something else.

    """
    _refuse_foreign(out)
    out.mkdir(parents=True, exist_ok=True)
    lost = _added_raters(out / "ratings.parquet")
    rows: dict[str, int] = {}
    with snapshot():
        study = the_study()
        file = described(study)
        for name, (schema, batches) in _tables(file).items():
            rows[name] = 0
            with batch_file(out / f"{name}.parquet", schema, csv=csv) as write:
                for batch in batches:
                    write(batch)
                    rows[name] += batch.height
                    advance(batch.height)
        instruments = _instruments(study, file)
        more = protocol_of(file).files()
        facts = _facts(study)
    words = _write_words(out, instruments, study.source, more)
    names = [*(f"{name}.parquet" for name in rows), *words]
    names += [f"{name}.csv" for name in rows] if csv else []
    run = Run(out)
    run.describe(
        name=file.title[file.language],
        study={**facts, "files": {name: _digest(out / name) for name in names}},
    )
    run.record("export", rows=rows)
    return Exported(out, rows, lost)


def _tables(file: StudyFile) -> dict[str, tuple[Schema, Iterable[pl.DataFrame]]]:
    """Return each table's columns and its batches, which are made as they are asked for."""
    kinds, ratings = tables.SCHEMAS, export_ratings.rating_batches
    known = export_tables.known_table()
    return {
        "items": (kinds["items"], [export_tables.items_table(file)]),
        "responses": (kinds["responses"], [export_tables.responses_table(file)]),
        "ratings": (kinds["ratings"], ratings(export_ratings.RATED, file.id, finished=True)),
        # Somebody else may do the page anew: among the others they would be ratings too many
        "unfinished": (kinds["ratings"], ratings(export_ratings.RATED, file.id, finished=False)),
        "raters": (kinds["raters"], [export_tables.raters_table()]),
        "known_ratings": (kinds["ratings"], ratings(export_ratings.KNOWN, file.id)),
        "known": (dict(known.schema), [known]),
        "questions": (kinds["ratings"], ratings(export_ratings.ASKED, file.id)),
        "adjudications": (kinds["ratings"], [export_ratings.adjudications(file.id)]),
        "history": (history.SCHEMA, history.history_batches()),
    }


def _added_raters(path: Path) -> list[str]:
    """Return who is in an earlier export's ratings and no person, such as a judge."""
    if not path.exists():
        return []
    others = pl.scan_parquet(path).filter(pl.col("rater_kind") != "human")
    try:
        return others.select(pl.col("rater").unique().sort()).collect()["rater"].to_list()
    except pl.exceptions.PolarsError:  # somebody's own table, or half of one
        return []


def _refuse_foreign(out: Path) -> None:
    """Refuse a folder that holds anything but an earlier export."""
    if not out.exists():
        return
    if not out.is_dir():
        raise UserError("this is a file.", where=str(out), fix="Name a folder.")
    if any(out.iterdir()) and "export" not in Run(out).manifest().get("stages", {}):
        raise UserError(
            "the folder is not empty, and holds no earlier export.",
            where=str(out),
            fix="Name a new folder.",
        )


def _instruments(study: Study, file: StudyFile) -> list[Instrument]:
    """Return what was asked: the stages' instruments as they were frozen, and own questions."""
    sources = dict.fromkeys(study.stages.values_list("instrument", flat=True))
    found = [parse_instrument(source, where="stage") for source in sources]
    own = [file.questions("background"), file.questions("closing")]
    return found + [questions for questions in own if questions is not None]


def _write_words(
    out: Path, instruments: list[Instrument], source: str, more: Mapping[str, str]
) -> list[str]:
    """Write codebook, instruments, study file and the protocol's own; return their names."""
    texts = {f"instrument-{n}.yaml": to_yaml(one) for n, one in enumerate(instruments, start=1)}
    texts["codebook.md"] = "\n".join(codebook_markdown(one) for one in instruments)
    texts["study.yaml"] = source
    texts.update(more)
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8")
    return list(texts)


def _facts(study: Study) -> dict[str, Any]:
    """Return what the manifest says of the study."""
    erased = Participant.objects.exclude(KEPT).count()
    merged = {id: [other for other, _ in same[1:]] for id, same in all_owners().items()}
    return {
        "id": study.key,
        "demonstration": study.demo,
        "created_at": study.created_at.isoformat(timespec="seconds"),
        "closed_at": study.closed_at and study.closed_at.isoformat(timespec="seconds"),
        "stages": [
            {
                "key": stage.key,
                "opened_at": stage.opened_at and stage.opened_at.isoformat(timespec="seconds"),
                "seed": stage.seed,
                "digest": stage.digest,
            }
            for stage in study.stages.all()
        ],
        "withdrawn": erased,
        "shown_for": {id: others for id, others in merged.items() if others},
    }


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
