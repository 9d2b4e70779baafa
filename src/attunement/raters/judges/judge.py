"""Judging: calls to a model, replies read, a rating for each answer and dimension."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from attunement import tables
from attunement.errors import UserError
from attunement.inspect_bridge import Call, ModelSpec, Reply, ask
from attunement.instruments import Instrument, SpansScale, load_instrument
from attunement.quotes import locate
from attunement.raters.judges.parse import parse_reply
from attunement.raters.judges.plan import Job, Per, Plan, make_plan
from attunement.raters.judges.prompt import judge_section, wants_quotes
from attunement.raters.judges.verdict import Verdict

if TYPE_CHECKING:
    from attunement.tables.conform import Frame

_CHUNK = 8_192
"""Rows that are held as Python objects before they become a frame."""


class JudgeWarning(UserWarning):
    """Something about a judging run that its reader should know."""


def judge(
    items: Frame,
    responses: Frame,
    instrument: str | Path | Instrument,
    spec: ModelSpec | Sequence[ModelSpec],
    *,
    repeats: int = 1,
    per: Per | None = None,
    subset: int | None = None,
    attempts: int = 3,
    seed: int = 1,
    all_modes: bool = False,
    journal_folder: str | Path | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> pl.DataFrame:
    """Have a language model rate answers on an instrument.

    Parameters
    ----------
    items
        The items table; its turns are shown to the judge.
    responses
        The responses table. An answer that is empty is not_applicable, without a call.
    instrument
        A name in the library, a YAML file, or an instrument.
    spec
        The model, or several, each of which becomes a judge of its own name. The temperature is 0
        where none is set.
    repeats
        Replicates of each rating, for the judge's consistency with itself.
    per
        One call an ``answer`` or one a ``dimension``; by default what the instrument says.
    subset
        Judge the answers to so many items only, each topic with its share.
    attempts
        How often a call is made, at most, until its reply can be read.
    seed
        Of the order of calls, the subset and the boundary codes in prompts.
    all_modes
        Where an item's ``failure_mode`` is a dimension of the instrument, its answers are asked
        about that one only, unless this is set; other items' answers about all.
    journal_folder
        Where replies are kept as they arrive; a run that is started again with the same folder
        makes no call twice whose reply is there. None keeps nothing.
    on_progress
        Called with the number of calls that are done, since the last time.

    Returns
    -------
    A ratings table: one row for each answer, replicate and dimension, in the order of
    ``responses``. ``value`` is on the dimension's own scale and null unless the status is ``ok``;
    ``rationale`` holds the judge's words, the raw reply where it could not be read, or the reason;
    ``spans`` the passages that it quoted, where the dimension asks for them (`locate`);
    ``seconds`` is the time of the call. Several judges follow one another.

    Raises
    ------
    UserError
        Where a table, the instrument or the model is not valid, or the model cannot be reached.

    Warns
    -----
    JudgeWarning
        Where the judge rates its own answers, or repeats cannot differ.

    """
    if not isinstance(instrument, Instrument):
        instrument = load_instrument(instrument)
    plans = [
        make_plan(
            items,
            responses,
            instrument,
            one,
            repeats=repeats,
            per=per,
            subset=subset,
            attempts=attempts,
            seed=seed,
            all_modes=all_modes,
        )
        for one in distinct([spec] if isinstance(spec, ModelSpec) else spec)
    ]
    for said in dict.fromkeys(said for plan in plans for said in plan.warnings):
        warnings.warn(said, JudgeWarning, stacklevel=2)
    ratings = []
    for plan in plans:
        journal = None if journal_folder is None else journal_path(journal_folder, plan)
        ratings.append(run_plan(plan, journal=journal, on_progress=on_progress))
    return pl.concat(ratings)


def distinct(specs: Sequence[ModelSpec]) -> Sequence[ModelSpec]:
    """Return the judges of one run.

    Raises
    ------
    UserError
        Where there are none, or two have one name: their ratings could not be told apart.

    """
    if not specs:
        raise UserError("no judge is named.")
    names = [spec.name for spec in specs]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UserError(
            f"two judges are called {twice[0]!r}.", fix="Give each a name of its own (--name)."
        )
    return specs


def journal_path(folder: str | Path, plan: Plan) -> Path:
    """Return the file in ``folder`` that keeps this judge's replies on this instrument."""
    name = re.sub(r"[^\w.@-]+", "-", plan.spec.name).strip("-")
    return Path(folder) / f"judge-{name}-{plan.instrument.id}.jsonl"


def rater_row(plan: Plan) -> pl.DataFrame:
    """Return the judge's row of the raters table: the model and its settings.

    ``demonstration`` is true for the embedded model, whose scores mean nothing.
    """
    settings = plan.spec.settings
    attributes = {
        "model": plan.spec.model,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "max_tokens": settings.max_tokens,
        "seed": settings.seed,
        "demonstration": plan.spec.demonstration,
    }
    row = {"rater": plan.rater, "kind": "judge", "attributes": json.dumps(attributes)}
    return tables.conform(pl.DataFrame([row]), "raters")


def run_plan(
    plan: Plan,
    *,
    journal: Path | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> pl.DataFrame:
    """Make the calls of a plan and return the ratings; see `judge`.

    ``on_progress`` is called once for each of ``len(plan.jobs())``, when its verdict is final.
    """
    rows = _Rows(plan)
    for index, task in enumerate(plan.tasks):
        if task.skip is not None:
            for replicate in range(plan.repeats):
                for group in plan.asked[index]:
                    rows.add_all(Job(index, replicate, group), "not_applicable", task.skip)
    todo, kept = plan.jobs(), dict[Job, dict[str, Verdict]]()
    for attempt in range(plan.attempts):
        again = []
        for job, reply in _replies(plan, todo, attempt, journal):
            dimensions = plan.groups[job.group]
            earlier = kept.pop(job, {})
            if reply.error is not None:
                rows.add_all(job, "error", reply.error, earlier)
            else:
                verdicts = parse_reply(reply.text, dimensions, refused=reply.refused)
                verdicts = {**verdicts, **earlier}
                unread = any(v.status == "unparsed" for v in verdicts.values())
                if unread and attempt + 1 < plan.attempts:
                    # what could be read stays, whatever the next reply looks like
                    kept[job] = {k: v for k, v in verdicts.items() if v.status != "unparsed"}
                    again.append(job)
                    continue
                rows.add(job, verdicts, reply)
            if on_progress is not None:
                on_progress(1)
        todo = sorted(again)
        if not todo:
            break
    return rows.frame()


def _replies(
    plan: Plan, jobs: list[Job], attempt: int, journal: Path | None
) -> Iterator[tuple[Job, Reply]]:
    asked: dict[str, Job] = {}

    def calls() -> Iterator[Call]:
        for job, call in plan.calls(jobs, attempt):
            asked[call.key] = job
            yield call

    for reply in ask(plan.spec, calls(), journal=journal):
        yield asked.pop(reply.key), reply


class _Rows:
    """Collects ratings, as frames rather than as Python objects, and puts them into order."""

    _COLUMNS = (
        "task",
        "replicate",
        "place",
        "value",
        "labels",
        "status",
        "spans",
        "rationale",
        "seconds",
    )

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._place = {d.id: n for n, d in enumerate(plan.instrument.dimensions)}
        self._quoting = {
            d.id
            for d in plan.instrument.dimensions
            if judge_section(plan.instrument).reply == "json"
            and (wants_quotes(d) or isinstance(d.scale, SpansScale))
        }
        self._rows: list[tuple[Any, ...]] = []
        self._frames: list[pl.DataFrame] = []

    def add(self, job: Job, verdicts: dict[str, Verdict], reply: Reply) -> None:
        """Add what a reply says, one row a dimension."""
        for id, verdict in verdicts.items():
            rationale = verdict.rationale
            if verdict.status in ("unparsed", "refused"):
                rationale = reply.text if reply.text.strip() else verdict.reason
            self._append(job, id, verdict, rationale, reply.latency_s)

    def add_all(
        self,
        job: Job,
        status: str,
        reason: str,
        earlier: dict[str, Verdict] | None = None,
    ) -> None:
        """Add rows with no value for a job's dimensions, but those that were read earlier."""
        for dimension in self._plan.groups[job.group]:
            verdict = (earlier or {}).get(dimension.id)
            if verdict is not None:
                self._append(job, dimension.id, verdict, verdict.rationale, None)
            else:
                self._push(job, dimension.id, None, None, status, None, reason, None)

    def _append(
        self, job: Job, id: str, verdict: Verdict, rationale: str | None, seconds: float | None
    ) -> None:
        labels = None if verdict.labels is None else list(verdict.labels)
        spans = None
        if id in self._quoting and verdict.status in ("ok", "not_sure"):
            text = self._plan.tasks[job.task].material.text
            spans = [span.as_row() for span in locate(verdict.quotes, text)]
        self._push(job, id, verdict.value, labels, verdict.status, spans, rationale, seconds)

    def _push(self, job: Job, id: str, *rest: Any) -> None:
        self._rows.append((job.task, job.replicate, self._place[id], *rest))
        if len(self._rows) >= _CHUNK:
            self._flush()

    def _flush(self) -> None:
        types = tables.SCHEMAS["ratings"]
        own = {"task": pl.Int64(), "place": pl.Int64()}
        schema = {name: own.get(name) or types[name] for name in self._COLUMNS}
        self._frames.append(pl.DataFrame(self._rows, schema=schema, orient="row"))
        self._rows = []

    def frame(self) -> pl.DataFrame:
        """Return the ratings table."""
        self._flush()
        plan = self._plan
        about = pl.DataFrame(
            [(n, t.unit_id, t.item_id, t.source) for n, t in enumerate(plan.tasks)],
            schema={
                "task": pl.Int64,
                "unit_id": pl.String,
                "item_id": pl.String,
                "source": pl.String,
            },
            orient="row",
        )
        names = pl.DataFrame(
            [(n, id) for id, n in self._place.items()],
            schema={"place": pl.Int64, "dimension": pl.String},
            orient="row",
        )
        rows = pl.concat(self._frames).join(about, on="task").join(names, on="place")
        return tables.conform(
            rows.sort("task", "replicate", "place").with_columns(
                unit=pl.lit(plan.instrument.unit),
                rater=pl.lit(plan.rater),
                rater_kind=pl.lit("judge"),
                instrument=pl.lit(plan.instrument.name),
                created_at=pl.lit(datetime.now(UTC)).dt.cast_time_unit("us"),
                signature=pl.lit(plan.signature),
            ),
            "ratings",
        )
