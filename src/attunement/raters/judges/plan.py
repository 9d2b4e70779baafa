"""What a judging run will do: which answers, which calls, in which order, at what cost."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import polars as pl

from attunement import tables
from attunement.errors import UserError
from attunement.inspect_bridge import LOCAL, Call, ModelSpec
from attunement.instruments import Dimension, Instrument, SpansScale
from attunement.raters.judges.prompt import (
    build_messages,
    judge_section,
    prompt_hash,
    reply_schema,
    wants_quotes,
)
from attunement.raters.judges.tasks import Task, make_tasks
from attunement.stats.result import signature

if TYPE_CHECKING:
    from attunement.tables.conform import Frame

Per = Literal["answer", "dimension"]

LOCAL_MAX_TOKENS = 400
"""Where none are set, what the embedded model may say: it does not always find an end by itself."""

_CHARS_PER_TOKEN = 4
_TOKENS_AROUND = 12
"""Of a verdict in JSON: braces, keys and the score."""
_TOKENS_QUOTED = 100
"""Of a verdict's evidence: two sentences, as people mark them."""


@dataclass(frozen=True, order=True)
class Job:
    """One call's worth of work: indices of task, replicate and group of dimensions."""

    task: int
    replicate: int
    group: int


@dataclass(frozen=True)
class Estimate:
    """What a run will take at most, if no call has to be repeated.

    Tokens are characters divided by four; the cost is in USD, None where prices are not known.
    """

    calls: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None


@dataclass(frozen=True)
class Plan:
    """A judging run, ready to start.

    Parameters
    ----------
    instrument, spec
        What is asked, and of which model, its settings filled in.
    tasks
        What is judged, in the order of the responses table (items: of the items table).
    groups
        The dimensions of one call each.
    asked
        Of each task the indices of the groups that it is asked about: all, or where its question
        aims at one failure mode the one with that mode alone.
    repeats
        Replicates of each call.
    attempts
        How often a call is made, at most, until its reply can be read.
    seed
        Of the order of calls and of the boundary codes.
    warnings
        What the user should know before the run, a sentence each.

    """

    instrument: Instrument
    spec: ModelSpec
    tasks: tuple[Task, ...]
    groups: tuple[tuple[Dimension, ...], ...]
    asked: tuple[tuple[int, ...], ...]
    repeats: int
    attempts: int
    seed: int
    warnings: tuple[str, ...]

    @property
    def rater(self) -> str:
        """The judge's name in the ratings table."""
        return f"judge:{self.spec.name}"

    @property
    def aimed(self) -> int:
        """How many tasks are asked only about the failure mode that their question aims at."""
        return sum(sum(len(self.groups[g]) for g in groups) < self._whole for groups in self.asked)

    @property
    def _whole(self) -> int:
        return len(self.instrument.dimensions)

    @property
    def signature(self) -> str:
        """What the ratings were made with, for the ratings table."""
        settings = self.spec.settings
        return signature(
            self.instrument.name,
            judge=self.spec.model,
            temperature=settings.temperature,
            top_p=settings.top_p,
            max_tokens=settings.max_tokens,
            per="answer" if len(self.groups[0]) == self._whole else "dimension",
            asked="aimed" if self.aimed else None,
            repeats=self.repeats,
            attempts=self.attempts,
            seed=self.seed,
            model_seed=settings.seed,
            prompt=prompt_hash(self.instrument),
        )

    def jobs(self) -> list[Job]:
        """Return every call of the run, in an order that the seed shuffles."""
        jobs = [
            Job(task, replicate, group)
            for task in range(len(self.tasks))
            if self.tasks[task].skip is None
            for replicate in range(self.repeats)
            for group in self.asked[task]
        ]
        random.Random(self.seed).shuffle(jobs)
        return jobs

    def call(self, job: Job, attempt: int = 0) -> Call:
        """Return the call for a job; a later attempt is another call, with another seed."""
        task, dimensions = self.tasks[job.task], self.groups[job.group]
        about = "all" if len(dimensions) == self._whole else dimensions[0].id
        seed = self.spec.settings.seed
        return Call(
            key=f"{task.unit_id}|{about}|{job.replicate}|{attempt}",
            messages=build_messages(
                self.instrument, dimensions, task.material, seed=self.seed, attempt=attempt
            ),
            schema=reply_schema(self.instrument, dimensions),
            seed=None if seed is None else seed + job.replicate + 1_000 * attempt,
        )

    def calls(self, jobs: Iterable[Job], attempt: int = 0) -> Iterator[tuple[Job, Call]]:
        """Yield jobs with their calls, each made when it is asked for."""
        for job in jobs:
            yield job, self.call(job, attempt)

    def estimate(self) -> Estimate:
        """Return calls, tokens and cost before anything is spent."""
        jobs = self.jobs()
        chars = sum(len(m.text) for _, call in self.calls(jobs) for m in call.messages)
        judge = judge_section(self.instrument)
        one = judge.rationale_chars // _CHARS_PER_TOKEN if judge.reply == "json" else 0
        rated = [dimension for job in jobs for dimension in self.groups[job.group]]
        quoted = sum(wants_quotes(d) or isinstance(d.scale, SpansScale) for d in rated)
        tokens_in = chars // _CHARS_PER_TOKEN
        tokens_out = len(rated) * (one + _TOKENS_AROUND) + quoted * _TOKENS_QUOTED
        spec, cost = self.spec, None
        if spec.demonstration:
            cost = 0.0
        elif spec.price_in is not None and spec.price_out is not None:
            cost = (tokens_in * spec.price_in + tokens_out * spec.price_out) / 1_000_000
        return Estimate(len(jobs), tokens_in, tokens_out, cost)


def make_plan(
    items: Frame,
    responses: Frame,
    instrument: Instrument,
    spec: ModelSpec,
    *,
    repeats: int = 1,
    per: Per | None = None,
    subset: int | None = None,
    attempts: int = 3,
    seed: int = 1,
    all_modes: bool = False,
) -> Plan:
    """Return the plan of a judging run; the parameters are those of `judge`.

    Raises
    ------
    UserError
        Where a table is not valid, a response's item is not among the items, or the instrument's
        style does not allow ``per`` or its unit.

    """
    style = judge_section(instrument).style
    if instrument.unit != "response" and style == "appended":
        raise UserError(
            f"{instrument.name} rates a {instrument.unit}, which the style 'appended' cannot show.",
            fix="Use the style 'delimited'.",
        )
    if repeats < 1 or attempts < 1:
        raise UserError("repeats and attempts are 1 or more.")
    answers = tables.require(responses, "responses", where="responses")
    questions = tables.require(items, "items", where="items")
    missing = answers.join(questions, on="item_id", how="anti")["item_id"].unique(
        maintain_order=True
    )
    if len(missing):
        raise UserError(
            f"{len(missing)} items of the responses are not among the items: "
            f"{', '.join(missing.head(3))}{', ...' if len(missing) > 3 else '.'}",
            fix="Give the items table that the responses belong to.",
        )
    if instrument.unit == "response":
        gold = dict(questions.select("item_id", "reference").iter_rows())
        known = answers.select("item_id", "source").iter_rows()
        answers = pl.concat([answers, tables.missing_references(gold, known)])
    if subset is not None:
        used = questions.join(answers, on="item_id", how="semi")
        answers = answers.join(subset_items(used, subset, seed=seed), on="item_id", how="semi")
    spec = _with_defaults(spec)
    tasks = tuple(make_tasks(answers, questions, instrument.unit))
    aims = {} if all_modes else _aims(questions, instrument)
    groups, asked = _asked(tasks, _groups(instrument, per), aims)
    return Plan(
        instrument=instrument,
        spec=spec,
        tasks=tasks,
        groups=groups,
        asked=asked,
        repeats=repeats,
        attempts=attempts,
        seed=seed,
        warnings=tuple(
            _warnings(answers if instrument.unit != "item" else answers.clear(), spec, repeats)
        ),
    )


def subset_items(items: pl.DataFrame, n: int, *, seed: int) -> pl.DataFrame:
    """Return ``n`` items, each topic with its share to within one, in the table's own order.

    A systematic sample: items are ordered by topic, within a topic at random, and every
    ``len(items) / n``-th is taken from a random start. The same seed gives the same items whatever
    the order of the rows.
    """
    if n < 1:
        raise UserError("a subset has 1 item or more.")
    if n >= items.height:
        return items

    def drawn(item_id: str) -> str:
        return hashlib.sha256(f"{seed}:{item_id}".encode()).hexdigest()

    order = items.select(
        row=pl.int_range(pl.len()),
        topic=pl.col("topic").fill_null(""),
        drawn=pl.col("item_id").map_elements(drawn, return_dtype=pl.String),
    ).sort("topic", "drawn")
    step = items.height / n
    start = random.Random(seed).random() * step
    taken = order["row"].gather([int(start + step * k) for k in range(n)])
    return items[taken.sort()]


def _groups(instrument: Instrument, per: Per | None) -> tuple[tuple[Dimension, ...], ...]:
    judge = judge_section(instrument)
    if per == "answer" and (judge.style == "appended" or judge.reply == "number"):
        raise UserError(
            f"{instrument.name} asks for one dimension at a time.", fix="Leave out per='answer'."
        )
    if (per or judge.per) == "answer":
        return (instrument.dimensions,)
    return tuple((dimension,) for dimension in instrument.dimensions)


def _aims(questions: pl.DataFrame, instrument: Instrument) -> dict[str, Dimension]:
    """Return the dimension that an item's question aims at, by item, where it aims at one."""
    known = {d.id: d for d in instrument.dimensions}
    modes = questions.select("item_id", "failure_mode").iter_rows()
    return {item_id: known[mode] for item_id, mode in modes if mode in known}


def _asked(
    tasks: Iterable[Task],
    groups: tuple[tuple[Dimension, ...], ...],
    aims: dict[str, Dimension],
) -> tuple[tuple[tuple[Dimension, ...], ...], tuple[tuple[int, ...], ...]]:
    """Return the groups, with those of one aimed mode added, and which of them each task gets."""
    places = {tuple(d.id for d in group): n for n, group in enumerate(groups)}
    every, more = tuple(range(len(groups))), list(groups)
    asked = []
    for task in tasks:
        aim = aims.get(task.item_id)
        if aim is None:
            asked.append(every)
            continue
        place = places.setdefault((aim.id,), len(more))
        if place == len(more):
            more.append((aim,))
        asked.append((place,))
    return tuple(more), tuple(asked)


def _with_defaults(spec: ModelSpec) -> ModelSpec:
    settings = spec.settings
    if settings.temperature is None:
        settings = replace(settings, temperature=0.0)
    if spec.demonstration and settings.max_tokens is None:
        settings = replace(settings, max_tokens=LOCAL_MAX_TOKENS)
    return replace(spec, settings=settings)


def _warnings(answers: pl.DataFrame, spec: ModelSpec, repeats: int) -> Iterator[str]:
    # the embedded model's answers carry its full name, local/...
    own = answers.filter(
        pl.col("model").is_in([spec.model, spec.name])
        | (spec.demonstration & pl.col("model").str.starts_with(f"{LOCAL}/"))
    )
    if own.height:
        sources = ", ".join(own["source"].unique(maintain_order=True))
        yield (
            f"The judge {spec.name} rates {own.height} of its own answers (source {sources}): "
            "models favor what they wrote themselves, so do not compare these with the others."
        )
    if repeats > 1 and spec.settings.temperature == 0:
        yield (
            "At temperature 0 the repeats will mostly be the same: set a temperature to learn how "
            "consistent the judge is."
        )
