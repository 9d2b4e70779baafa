"""Asking models for answers to items, one row an answer."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from attunement import tables
from attunement.errors import UserError
from attunement.inspect_bridge import Call, Message, ModelSpec, Reply, ask, cost_of, count_answered
from attunement.models import local
from attunement.respond.presets import Preset, preset

if TYPE_CHECKING:
    from attunement.tables.conform import Frame

MAX_ATTEMPTS = 5
"""How often an answer over the word limit is asked for, by default."""

OVER_LIMIT = "over the word limit"
"""How ``error`` begins where no answer kept to the limit; the row has the last one all the same."""

LOCAL_MAX_TOKENS = 400
"""Where none are set, the embedded model's longest answer."""

RESERVED = (tables.REFERENCE, "therapist")
"""Sources that are people: no model may take their names."""

_CHARS_PER_TOKEN = 4
_TOKENS_PER_MESSAGE = 4
_TOKENS_PER_WORD = 1.5
_ASSUMED_TOKENS_OUT = 400
_ROWS_PER_FRAME = 2000


def generate(
    items: Frame,
    specs: Sequence[ModelSpec],
    *,
    preset: str | Preset = "counselor",
    word_limit: int | None = None,
    candidates: int = 1,
    max_attempts: int = MAX_ATTEMPTS,
    journal_folder: str | Path | None = None,
    seed: int = 1,
    on_progress: Callable[[int], None] | None = None,
) -> pl.DataFrame:
    """Ask each model for answers to each item, and return a responses table.

    Every item times every candidate is a row, also where no answer came: ``error`` then says why.
    The turns of an item are passed as a conversation. Replies are kept in the journal folder the
    moment they arrive; called again with the same words and settings, the function asks only for
    what is missing or failed.

    Parameters
    ----------
    items
        An items table.
    specs
        The models; their names become ``source``.
    preset
        The name of a system prompt, ``@FILE``, or a `Preset`.
    word_limit
        The most words (parts between white space) that an answer may have. A longer one is asked
        for again with another seed, up to ``max_attempts`` times in all; where none fits, the row
        keeps the last answer and ``error`` starts with "over the word limit". The model is not
        told the limit.
    candidates
        Answers per item and model, each with a seed of its own.
    max_attempts
        Calls at most for one answer under a word limit.
    journal_folder
        Where replies are kept, one file a model; None keeps nothing.
    seed
        The first candidate's; the spec's own seed goes before it. Passed to the model.
    on_progress
        Called with the number of rows that are done since the last time.

    Returns
    -------
    polars.DataFrame
        Ordered by model, item and candidate. ``attempts`` counts the calls; ``tokens_in``,
        ``tokens_out`` and ``cost_usd`` add up over them, ``latency_s`` is the kept answer's own.

    Raises
    ------
    UserError
        Where a table or a model does not fit, or a model cannot be reached; see `ask`.

    """
    jobs = _Jobs.of(items, preset, word_limit, candidates, max_attempts, seed)
    _check_names(specs)
    made = [
        _one_model(jobs, spec, journal_path(journal_folder, spec), on_progress) for spec in specs
    ]
    return pl.concat(made) if made else tables.empty("responses")


def journal_path(folder: str | Path | None, spec: ModelSpec) -> Path | None:
    """Return the file that keeps a model's answers in a folder; None where there is no folder."""
    if folder is None:
        return None
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", spec.name).strip("-.")[:80]
    digest = hashlib.sha256(spec.name.encode()).hexdigest()[:6]
    return Path(folder) / f"answers-{plain}-{digest}.jsonl"


@dataclass(frozen=True)
class Estimate:
    """What a model's answers will take.

    Parameters
    ----------
    source
        The model's name.
    answers
        Rows that will come out.
    arrived
        Answers to the first calls that the journal has already; they cost nothing.
    calls, calls_at_most
        If every answer fits the word limit at once, and if none ever does.
    tokens_in, tokens_out
        For ``calls``. In: characters divided by four, and four for each message. Out: the token
        limit, or one and a half for each word of the word limit if that is less, or 400 assumed
        where there is neither.
    cost_usd
        For ``calls``; None where prices are not known.

    """

    source: str
    answers: int
    arrived: int
    calls: int
    calls_at_most: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None


def estimate(
    items: Frame,
    specs: Sequence[ModelSpec],
    *,
    preset: str | Preset = "counselor",
    word_limit: int | None = None,
    candidates: int = 1,
    max_attempts: int = MAX_ATTEMPTS,
    journal_folder: str | Path | None = None,
    seed: int = 1,
) -> list[Estimate]:
    """Say what `generate` with the same arguments would take, without making a call."""
    jobs = _Jobs.of(items, preset, word_limit, candidates, max_attempts, seed)
    _check_names(specs)
    out = []
    for spec in map(_with_defaults, specs):
        asked = [j for j in range(jobs.count) if jobs.skip(j) is None]
        arrived = count_answered(
            spec, jobs.calls(spec, asked, attempt=1), journal_path(journal_folder, spec)
        )
        calls = len(asked) - arrived
        said = sum(
            sum(len(m.text) / _CHARS_PER_TOKEN + _TOKENS_PER_MESSAGE for m in call.messages)
            for call in jobs.calls(spec, asked, attempt=1)
        )
        tokens_in = round(said * calls / len(asked)) if asked else 0
        tokens_out = calls * _tokens_out(spec, word_limit)
        again = max_attempts if word_limit is not None else 1
        out.append(
            Estimate(
                source=spec.name,
                answers=jobs.count,
                arrived=arrived,
                calls=calls,
                calls_at_most=calls + len(asked) * (again - 1),
                tokens_in=tokens_in,
                tokens_out=tokens_out,
                cost_usd=cost_of(spec, tokens_in, tokens_out),
            )
        )
    return out


def _tokens_out(spec: ModelSpec, word_limit: int | None) -> int:
    limits = [spec.settings.max_tokens] if spec.settings.max_tokens is not None else []
    if word_limit is not None:
        limits.append(round(word_limit * _TOKENS_PER_WORD))
    return min(limits, default=_ASSUMED_TOKENS_OUT)


def _check_names(specs: Sequence[ModelSpec]) -> None:
    for name, count in Counter(s.name for s in specs).items():
        if count > 1:
            raise UserError(
                f"two models are called {name!r}.", fix="Give each a name: --model name=model."
            )
        if name in RESERVED:
            raise UserError(
                f"a model cannot be called {name!r}, which means people's answers.",
                fix="Give it another name: --model name=model.",
            )


def _with_defaults(spec: ModelSpec) -> ModelSpec:
    if spec.demonstration and spec.settings.max_tokens is None:
        return replace(spec, settings=replace(spec.settings, max_tokens=LOCAL_MAX_TOKENS))
    return spec


@dataclass(frozen=True)
class _Jobs:
    """Items times candidates; job ``j`` is candidate ``j % candidates`` of one item."""

    items: pl.DataFrame
    preset: Preset
    word_limit: int | None
    candidates: int
    max_attempts: int
    seed: int

    @classmethod
    def of(
        cls,
        items: Frame,
        prompt: str | Preset,
        word_limit: int | None,
        candidates: int,
        max_attempts: int,
        seed: int,
    ) -> _Jobs:
        for name, value in {
            "word_limit": word_limit,
            "candidates": candidates,
            "max_attempts": max_attempts,
        }.items():
            if value is not None and value < 1:
                raise UserError(f"{name} must be 1 or more, not {value}.")
        table = tables.conform(items, "items").select("item_id", "turns")
        twice = table.filter(pl.col("item_id").is_duplicated())
        if twice.height:
            raise UserError(f"two items have the id {twice['item_id'][0]!r}.", where="items table")
        chosen = prompt if isinstance(prompt, Preset) else preset(prompt)
        return cls(table, chosen, word_limit, candidates, max_attempts, seed)

    @property
    def count(self) -> int:
        return self.items.height * self.candidates

    def item(self, job: int) -> tuple[str, int]:
        return self.items["item_id"][job // self.candidates], job % self.candidates

    def turns(self, job: int) -> list[dict[str, str]]:
        found = self.items["turns"][job // self.candidates]
        return found.to_list() if found is not None else []

    def skip(self, job: int) -> str | None:
        """Say why a job cannot be asked, or None."""
        turns = self.turns(job)
        if not any((t["text"] or "").strip() for t in turns if t["role"] != "system"):
            return "not asked: the item has no text"
        strange = [t["role"] for t in turns if t["role"] not in tables.ROLES]
        return f"not asked: the item has a turn of role {strange[0]!r}" if strange else None

    def calls(self, spec: ModelSpec, jobs: Sequence[int], *, attempt: int) -> Iterator[Call]:
        """Make the calls of one attempt, one after the other."""
        for job in jobs:
            item_id, candidate = self.item(job)
            said = [Message("system", self.preset.text)] if self.preset.text else []
            said += [Message(t["role"], t["text"] or "") for t in self.turns(job)]
            first = self.seed if spec.settings.seed is None else spec.settings.seed
            yield Call(
                key=f"{candidate}/{attempt}/{item_id}",
                messages=tuple(said),
                seed=first + 1000 * candidate + attempt - 1,
                local=dict(self.preset.local or local.ANSWER) if spec.demonstration else None,
            )


def _one_model(
    jobs: _Jobs, spec: ModelSpec, journal: Path | None, on_progress: Callable[[int], None] | None
) -> pl.DataFrame:
    spec = _with_defaults(spec)
    rows = _Rows(jobs, spec, on_progress)
    todo = []
    for job in range(jobs.count):
        why = jobs.skip(job)
        if why is None:
            todo.append(job)
        else:
            rows.add(job, Reply("", error=why), attempt=0)
    attempt = 1
    while todo:
        last = jobs.word_limit is None or attempt == jobs.max_attempts
        again = []
        for job, reply in _ask(jobs, spec, todo, attempt, journal):
            words = len(reply.text.split())
            too_long = jobs.word_limit is not None and words > jobs.word_limit
            if too_long and not last:
                rows.spend(job, reply)
                again.append(job)
                continue
            if too_long:
                why = f"{OVER_LIMIT}: {words} words of {jobs.word_limit} after {attempt} attempts"
                reply = replace(reply, error=why)
            rows.add(job, reply, attempt)
        # arrival order depends on the server; what is asked next does not
        todo = sorted(again)
        attempt += 1
    return rows.frame()


def _ask(
    jobs: _Jobs, spec: ModelSpec, todo: Sequence[int], attempt: int, journal: Path | None
) -> Iterator[tuple[int, Reply]]:
    """Ask, and give each reply back with its job; holds only the calls in flight."""
    asked: dict[str, int] = {}

    def calls() -> Iterator[Call]:
        for job, call in zip(todo, jobs.calls(spec, todo, attempt=attempt), strict=True):
            asked[call.key] = job
            yield call

    with closing(ask(spec, calls(), journal=journal)) as replies:
        for reply in replies:
            yield asked.pop(reply.key), reply


class _Rows:
    """Collects rows, as frames rather than as Python objects, and puts them into order."""

    def __init__(
        self, jobs: _Jobs, spec: ModelSpec, on_progress: Callable[[int], None] | None
    ) -> None:
        self._jobs = jobs
        self._spec = spec
        self._on_progress = on_progress
        self._spent: dict[int, list[Reply]] = {}
        self._rows: list[dict[str, Any]] = []
        self._frames: list[pl.DataFrame] = []
        self._schema = {"job": pl.Int64(), **tables.SCHEMAS["responses"]}

    def spend(self, job: int, reply: Reply) -> None:
        """Remember what a rejected answer took."""
        self._spent.setdefault(job, []).append(replace(reply, text=""))

    def add(self, job: int, reply: Reply, attempt: int) -> None:
        """Add a job's row."""
        item_id, candidate = self._jobs.item(job)
        all_of_it = [*self._spent.pop(job, []), reply]
        error = reply.error
        if error is None and reply.refused and not reply.text.strip():
            error = "refused: the provider's content filter stopped the answer"
        self._rows.append(
            {
                "job": job,
                "response_id": f"{item_id}/{self._spec.name}/{candidate}",
                "item_id": item_id,
                "source": self._spec.name,
                "candidate": candidate,
                "text": reply.text.strip(),
                "model": local.MODEL_NAME if self._spec.demonstration else self._spec.model,
                "prompt_id": self._jobs.preset.id,
                "attempts": attempt,
                "latency_s": reply.latency_s,
                "tokens_in": known_sum([r.tokens_in for r in all_of_it]),
                "tokens_out": known_sum([r.tokens_out for r in all_of_it]),
                "cost_usd": known_sum([r.cost_usd for r in all_of_it]),
                "error": error,
            }
        )
        if len(self._rows) >= _ROWS_PER_FRAME:
            self._pack()
        if self._on_progress:
            self._on_progress(1)

    def _pack(self) -> None:
        self._frames.append(pl.DataFrame(self._rows, schema=self._schema, orient="row"))
        self._rows = []

    def frame(self) -> pl.DataFrame:
        """Return the responses table."""
        self._pack()
        return pl.concat(self._frames).sort("job").drop("job")


def known_sum(values: Sequence[Any]) -> Any:
    """Add up what is known; None where nothing is, since unknown is not zero."""
    known = [v for v in values if v is not None]
    return sum(known) if known else None
