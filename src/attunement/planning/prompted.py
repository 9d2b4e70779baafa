"""The prompted planner: any language model, asked for the labels of the next turn."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any

from attunement.inspect_bridge import Call, ModelSpec, Reply, ask
from attunement.planning.answers import parse
from attunement.planning.labels import LabelSet
from attunement.planning.multilabel import has_text
from attunement.planning.planner import NO_CONTEXT, Advance, Plan, Planner
from attunement.planning.prompts import Prompt
from attunement.stats.result import input_hash, signature

_BRACKETS = re.compile(r"\[([^\[\]]*)\]")


@dataclass(frozen=True)
class PromptedPlanner:
    """A language model, what it is asked, and where its answers are kept.

    Parameters
    ----------
    labels
        The label set.
    model
        Which model is asked, and how.
    prompt
        What it is asked.
    context
        How many turns it is given.
    journal
        The file that keeps its answers, so that nothing is asked twice; None keeps none. It is no
        part of the planner's folder.
    """

    labels: LabelSet
    model: ModelSpec
    prompt: Prompt
    context: int
    journal: Path | None = None
    kind: str = "prompted"
    _one_at_a_time: Lock = field(default_factory=Lock, compare=False, repr=False)

    @property
    def signature(self) -> str:
        """What makes it what it is."""
        how = self.model.settings
        return signature(
            "plan-prompted",
            labels=self.labels.name,
            context=self.context,
            model=self.model.model,
            prompt=self.prompt.id,
            temperature=how.temperature,
            top_p=how.top_p,
            max_tokens=how.max_tokens,
            seed=how.seed,
            grammar="labels" if self.model.demonstration else None,
            inputs=input_hash(repr((self.prompt.text, self.prompt.examples))),
        )

    def plan(
        self, contexts: Sequence[Sequence[str]], *, advance: Advance | None = None
    ) -> list[Plan]:
        """Return a plan for each context; equal contexts are asked once.

        A context without any text has none (``not_applicable``). Where the answer names no label
        the status is ``unparsed``, where the provider's filter stopped it ``refused``, and where no
        answer came ``error``; asked again with the same journal, only those are asked that have no
        answer yet.

        Raises
        ------
        UserError
            Where the model cannot be reached, see `ask`, or another run holds the journal.
        """
        keys = [self._key(context) for context in contexts]
        times = Counter(key for key in keys if key is not None)
        step = advance or (lambda _: None)
        step(len(keys) - times.total())
        calls: dict[str, Call] = {}
        for key, context in zip(keys, contexts, strict=True):
            if key is not None and key not in calls:
                calls[key] = self._call(key, context)
        plans: dict[str | None, Plan] = {None: NO_CONTEXT}
        # A journal is one run's alone, and threads may share a planner.
        with self._one_at_a_time:
            for reply in ask(self.model, calls.values(), journal=self.journal):
                plans[reply.key] = self._read(reply)
                step(times[reply.key])
        return [plans[key] for key in keys]

    def _key(self, context: Sequence[str]) -> str | None:
        if not has_text(context, self.context):
            return None
        text = json.dumps(list(context[-self.context :]))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def _call(self, key: str, context: Sequence[str]) -> Call:
        local = None
        if self.model.demonstration:
            local = constrained(self.labels, reply=bool(self.prompt.examples))
        return Call(key, self.prompt.messages(context[-self.context :], self.labels), local=local)

    def _read(self, reply: Reply) -> Plan:
        if reply.error is not None:
            return Plan((), "error", reply.error)
        if reply.refused and not reply.text.strip():
            return Plan((), "refused", "The provider's content filter stopped the answer.")
        brackets = _BRACKETS.findall(reply.text) if self.prompt.examples else []
        return parse(brackets[-1] if brackets else reply.text, self.labels)


def journaled(planner: Planner, journal: Path) -> Planner:
    """Return the planner, with a file for its answers where it asks a model; others as they are."""
    return replace(planner, journal=journal) if isinstance(planner, PromptedPlanner) else planner


def constrained(labels: LabelSet, *, reply: bool = False) -> dict[str, Any]:
    """Return what the embedded model's server gets, so that it writes labels and nothing else.

    A grammar of llama.cpp: at least one label, at most one of each group, in the order of the
    groups, with commas between them; after a sentence and in brackets where it first writes a
    reply. What stands in the prompt may be repeated.
    """
    groups = labels.groups
    rules = [
        f"g{i} ::= " + " | ".join(json.dumps(label, ensure_ascii=False) for label in group.labels)
        for i, group in enumerate(groups)
    ]
    rest = {
        i: "".join(f' (", " g{j})?' for j in range(i + 1, len(groups))) for i in range(len(groups))
    }
    starts = " | ".join(f"g{i}{rest[i]}" for i in range(len(groups)))
    rules.append(f"labels ::= {starts}")
    if reply:
        rules.append("reply ::= [^\\n<\\[.?!]{2,60} [.?!]")
    root = 'root ::= " "? ' + ('reply " [" labels "]"' if reply else "labels")
    grammar = "\n".join([root, *rules])
    return {"grammar": grammar, "repeat_penalty": 1.0}
