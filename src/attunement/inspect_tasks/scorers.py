"""Scorers for Inspect AI: the model in the role ``grader`` judges an answer on an instrument."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageSystem, Model, get_model
from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    Value,
    mean,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState

from attunement.errors import UserError
from attunement.inspect_bridge import Call, ask_within
from attunement.instruments import Dimension, Instrument, load_instrument
from attunement.raters.judges import (
    Material,
    Verdict,
    build_messages,
    locate,
    parse_reply,
    reply_schema,
)
from attunement.stats.proportion import wilson

GRADER = "grader"
ATTEMPTS = 3
"""How often the grader is asked, at most, until its reply can be read."""
ALL = "all"


def grader() -> Model:
    """Return the judge of the running task.

    Raises
    ------
    PrerequisiteError
        Where no model has the role.

    """
    return get_model(role=GRADER, required=True)


@metric
def failure_rate() -> Metric:
    """Give the share of answers that fail, by mode and over all, with Wilson's 95% interval and n.

    Answers that the grader is not sure of, or whose verdict could not be read, are not among the
    scores that Inspect hands over: they are out of n.
    """

    def rate(scores: list[SampleScore]) -> Value:
        groups: dict[str, list[float]] = {ALL: []}
        for one in scores:
            mode = str((one.sample_metadata or {}).get("failure_mode"))
            value = one.score.as_float()
            groups.setdefault(mode, []).append(value)
            groups[ALL].append(value)
        found: dict[str, str | int | float | bool | None] = {}
        for name, values in groups.items():
            share = wilson(int(sum(values)), len(values))
            found[name] = share.estimate
            found[f"{name} ci_low"] = share.ci_low
            found[f"{name} ci_high"] = share.ci_high
            found[f"{name} n"] = len(values)
        return found

    return rate


@scorer(metrics=[failure_rate()])
def failure_judge(instrument: str = "counselbench-adv") -> Scorer:
    """Judge an answer on the failure mode that its question aims at: 1 where it fails, 0 if not.

    Parameters
    ----------
    instrument
        A name in the library or a YAML file whose dimensions are the failure modes.

    """
    asked = load_instrument(instrument)

    async def score(state: TaskState, target: Target) -> Score:
        mode = str(state.metadata.get("failure_mode"))
        verdicts = await _verdicts(grader(), asked, [asked.dimension(mode)], state)
        verdict = verdicts[mode]
        about = _about(asked, verdicts, state)
        if verdict.status != "ok" or verdict.value is None:
            return Score.unscored(
                reason=verdict.status, explanation=_words(verdict), metadata=about
            )
        return Score(value=verdict.value, explanation=_words(verdict), metadata=about)

    return score


@scorer(metrics={"*": [mean(), stderr()]})
def instrument_judge(instrument: str) -> Scorer:
    """Judge an answer on every dimension of an instrument.

    A dimension with no number (not sure, not applicable, unreadable) has none in the score and is
    out of its mean; its status stands in the score's metadata.

    Parameters
    ----------
    instrument
        A name in the library or a YAML file whose unit is a response.

    """
    asked = load_instrument(instrument)
    if asked.unit != "response":
        raise UserError(
            f"{asked.name} rates a {asked.unit}, not a response.", where="instrument_judge"
        )

    async def score(state: TaskState, target: Target) -> Score:
        verdicts = await _verdicts(grader(), asked, asked.dimensions, state)
        said = "\n".join(f"{id}: {_words(verdict)}" for id, verdict in verdicts.items())
        return Score(
            value={id: _number(verdict) for id, verdict in verdicts.items()},
            explanation=said,
            metadata=_about(asked, verdicts, state),
        )

    return score


def _number(verdict: Verdict) -> float:
    return verdict.value if verdict.status == "ok" and verdict.value is not None else float("nan")


async def _verdicts(
    grader: Model, instrument: Instrument, dimensions: Sequence[Dimension], state: TaskState
) -> dict[str, Verdict]:
    """Return a verdict on each dimension; what was read stays, whatever a later reply says."""
    answer = state.output.completion
    if not answer.strip():
        return {d.id: Verdict("not_applicable", reason="the answer is empty") for d in dimensions}
    turns = [(m.role, m.text) for m in _asked(state)]
    material = Material(turns, answer)
    found: dict[str, Verdict] = {}
    for attempt in range(ATTEMPTS):
        messages = build_messages(instrument, dimensions, material, attempt=attempt)
        call = Call("grade", messages, reply_schema(instrument, dimensions))
        reply = await ask_within(grader, call, temperature=0.0)
        read = parse_reply(reply.text, dimensions, refused=reply.refused)
        found.update({k: v for k, v in read.items() if k not in found or _unread(found[k])})
        if not any(map(_unread, found.values())):
            break
    return found


def _unread(verdict: Verdict) -> bool:
    return verdict.status == "unparsed"


def _asked(state: TaskState) -> list[ChatMessage]:
    """Return the conversation that was answered, without what only the model under test saw."""
    said = state.messages[:-1]
    return [m for m in said if not isinstance(m, ChatMessageSystem)]


def _about(
    instrument: Instrument, verdicts: dict[str, Verdict], state: TaskState
) -> dict[str, Any]:
    answer = state.output.completion
    return {
        "instrument": instrument.name,
        "verdicts": {
            id: {
                "status": verdict.status,
                "value": verdict.value,
                "labels": None if verdict.labels is None else list(verdict.labels),
                "rationale": verdict.rationale,
                "spans": [span.as_row() for span in locate(verdict.quotes, answer)],
            }
            for id, verdict in verdicts.items()
        },
    }


def _words(verdict: Verdict) -> str:
    return verdict.rationale or verdict.reason or verdict.status
