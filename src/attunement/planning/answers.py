"""From what a language model writes to a plan."""

from __future__ import annotations

import re
from collections.abc import Iterable

from attunement.planning.labels import LabelSet
from attunement.planning.planner import Plan

_QUOTED = re.compile(r"""[‘'"“`*]+([\w-]+)[.,]?[’'"”`*]+(?!\w)""")
_BULLET = re.compile(r"^\s*(?:[-*•]|\(?\d+[.):])\s*")
_LEAD = re.compile(r"^(?:\w+\s+){0,3}\w+\s*:\s*")
_ASIDE = re.compile(r"\([^)]*\)|\[[^\]]*\]")
_BETWEEN = re.compile(r"[,;/|+&]|\band\b", re.IGNORECASE)
_MARKS = " \t.!?‘’'\"“”`*[](){}<>"
_SHOWN = 60
_NO_LABEL = frozenset({"none", "no", "null", "n/a", "na", "nothing", "labels", "label"})
"""Words that stand where a label would and name none."""


def plan_of(words: Iterable[str], labels: LabelSet, answer: str) -> Plan:
    """Return the plan that an answer's words make.

    Known labels come as a sequence of the label set, unknown ones after them as they were said.
    Where no word is a known label there is no plan (``unparsed``).

    Parameters
    ----------
    words
        What stands where labels should.
    labels
        The label set; its words in any case.
    answer
        The whole answer, for the reason.
    """
    named = {label.casefold(): label for label in labels.labels}
    said = list(dict.fromkeys(named.get(word.casefold(), word.casefold()) for word in words))
    known = [word for word in said if word in labels.labels]
    if not known:
        short = " ".join(answer.split())
        short = short if len(short) <= _SHOWN else short[:_SHOWN] + " ..."
        why = f"The answer names no label: {short!r}." if short else "The answer is empty."
        return Plan((), "unparsed", why)
    unknown = [w for w in said if w not in labels.labels and w not in _NO_LABEL]
    return Plan((*labels.sequence(known), *unknown))


def parse(answer: str, labels: LabelSet) -> Plan:
    """Return the plan in an answer that is a list of labels, or that quotes them in a sentence.

    A list has commas, "and" or line ends between its labels; bullets, numbers, what comes before a
    colon and what stands in brackets are passed over. A sentence names a label only where it stands
    in quotation marks: "I cannot *inform* you" is no plan.

    Examples
    --------
    >>> from attunement.planning.labels import DAILYDIALOG
    >>> parse("Labels: ‘inform’, ‘happiness’.", DAILYDIALOG).labels
    ('inform', 'happiness')
    >>> parse("None", DAILYDIALOG).status
    'unparsed'
    """
    quoted = _QUOTED.findall(answer)
    return plan_of(quoted or _listed(answer), labels, answer)


def _listed(answer: str) -> list[str]:
    """Return the words of the lines that are lists of single words."""
    found: list[str] = []
    for line in answer.splitlines():
        bare = _LEAD.sub("", _ASIDE.sub("", _BULLET.sub("", line)))
        items = [item.strip(_MARKS) for item in _BETWEEN.split(bare)]
        items = [item for item in items if item]
        if all(len(item.split()) == 1 for item in items):
            found += items
    return found
