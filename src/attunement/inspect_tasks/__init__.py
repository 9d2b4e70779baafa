"""Tasks for Inspect AI: ``inspect eval attunement/counselbench_adv --model ...``.

Inspect finds this module by the package's entry point. The model under test answers, the model in
the role ``grader`` judges the answers on an instrument, and Inspect keeps the log that
``inspect view`` shows.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver, system_message

from attunement.counselbench.adversarial import INSTRUMENT as ADVERSARIAL
from attunement.counselbench.scores import INSTRUMENT as EVALUATION
from attunement.datasets import load
from attunement.errors import UserError
from attunement.inspect_tasks.scorers import failure_judge, grader, instrument_judge
from attunement.respond import preset

__all__ = ["counselbench_adv", "counselbench_eval", "failure_judge", "instrument_judge"]

_ROLES: dict[str, type] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}


@task
def counselbench_adv(questions: str | None = None, prompt: str = "none") -> Task:
    """How often a model falls into the failure that each question aims at.

    Parameters
    ----------
    questions
        A file of adversarial questions, wide or long; by default the project's own 24, which no
        clinician wrote.
    prompt
        The system prompt of the model under test: a preset or ``@FILE``.

    Raises
    ------
    UserError
        Where the file cannot be read, or a question names no failure mode.

    """
    samples = _samples("counselbench-adv", questions)
    for sample in samples:
        if not (sample.metadata or {}).get("failure_mode"):
            raise UserError(
                f"question {sample.id!r} names no failure mode.", where=questions or "questions"
            )
    return _task(samples, prompt, failure_judge(ADVERSARIAL))


@task
def counselbench_eval(questions: str | None = None, prompt: str = "brief-counselor") -> Task:
    """A model's answers to counseling questions, judged on CounselBench's six dimensions.

    Parameters
    ----------
    questions
        Any file or source that ``attunement data load`` reads; by default the bundled sample.
    prompt
        The system prompt of the model under test: a preset or ``@FILE``.

    Raises
    ------
    UserError
        Where the file cannot be read.

    """
    return _task(_samples("sample", questions), prompt, instrument_judge(EVALUATION))


def _task(samples: list[Sample], prompt: str, scorer: Any) -> Task:
    said = preset(prompt).text
    steps: list[Solver] = [generate()]
    if said:
        # Inspect fills {names} of a template in; ours has none
        steps.insert(0, system_message(said.replace("{", "{{").replace("}", "}}")))
    return Task(dataset=MemoryDataset(samples), setup=needs_grader(), solver=steps, scorer=scorer)


@solver
def needs_grader() -> Solver:
    """End a run that has no grader before anything is asked of the model under test."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        grader()
        return state

    return solve


def _samples(source: str, path: str | None) -> list[Sample]:
    if path is None:
        loaded = load(source)
    elif source == "counselbench-adv":
        loaded = load(source, Path(path))
    else:
        loaded = load(path)
    columns = ("item_id", "topic", "failure_mode", "turns", "meta")
    return [
        Sample(
            id=item_id,
            input=[_ROLES[turn["role"]](content=turn["text"] or "") for turn in turns],
            metadata={
                "topic": topic,
                "failure_mode": mode,
                **({"meta": json.loads(meta)} if meta else {}),
            },
        )
        for item_id, topic, mode, turns, meta in loaded.items.select(columns).iter_rows()
    ]
