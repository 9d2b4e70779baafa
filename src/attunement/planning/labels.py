"""Which labels a turn can have, and in which order they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attunement.decoding import decode_yaml
from attunement.errors import UserError, nearest
from attunement.models.dialogue_act import ACTS

_NUMBER = re.compile(r"([0-9]{1,9})(?:\.0+)?")


@dataclass(frozen=True)
class LabelGroup:
    """Labels of one kind, such as the dialogue acts.

    Parameters
    ----------
    name
        The kind; also the column of a table that holds such labels.
    labels
        In a fixed order.
    silent
        The label that is left out of a sequence, such as ``neutral``; None where all are said.
    first
        The number that the data use for the first label.
    """

    name: str
    labels: tuple[str, ...]
    silent: str | None = None
    first: int = 0

    def label(self, value: object) -> str | None:
        """Return the label that a word or the data's number means, None where there is none.

        A whole number may end in ``.0``, as columns of numbers with gaps are written.
        """
        word = str(value).strip().lower()
        if word in self.labels:
            return word
        number = _NUMBER.fullmatch(word)
        if number and 0 <= int(number[1]) - self.first < len(self.labels):
            return self.labels[int(number[1]) - self.first]
        return None


@dataclass(frozen=True)
class LabelSet:
    """The labels of a task, by groups; a sequence holds them in the order of the groups.

    Parameters
    ----------
    name
        Names the set in a signature.
    groups
        Dialogue acts and emotions, for example.

    Raises
    ------
    ValueError
        Where there are no labels, or one stands twice.
    """

    name: str
    groups: tuple[LabelGroup, ...]

    def __post_init__(self) -> None:
        if not self.labels:
            raise ValueError("a label set needs labels")
        if len(set(self.labels)) != len(self.labels):
            raise ValueError("a label stands twice in the label set")
        for group in self.groups:
            if group.silent is not None and group.silent not in group.labels:
                raise ValueError(f"{group.silent!r} is none of the labels of {group.name!r}")

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels, group by group."""
        return tuple(label for group in self.groups for label in group.labels)

    @property
    def silent(self) -> frozenset[str]:
        """The labels that are left out of a sequence."""
        return frozenset(g.silent for g in self.groups if g.silent is not None)

    def sequence(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Return labels as a turn's sequence: in order, each once, silent ones left out.

        Labels of one group keep the order in which they are given.

        Raises
        ------
        ValueError
            Where a label is unknown.

        >>> DAILYDIALOG.sequence(["happiness", "inform", "neutral"])
        ('inform', 'happiness')
        """
        given = list(dict.fromkeys(labels))
        unknown = [label for label in given if label not in self.labels]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is no label of {self.name}")
        return tuple(
            label
            for group in self.groups
            for label in given
            if label in group.labels and label != group.silent
        )

    def require(self, labels: Sequence[str]) -> tuple[str, ...]:
        """Return labels that a user named as a sequence.

        Raises
        ------
        UserError
            Where one is unknown.
        """
        for label in labels:
            if label not in self.labels:
                guess = nearest(label, list(self.labels))
                raise UserError(
                    f"no label {label!r}; there are {', '.join(self.labels)}.",
                    fix=f"Did you mean {guess!r}?" if guess else None,
                )
        return self.sequence(labels)

    def as_json(self) -> dict[str, Any]:
        """Return the set as JSON and YAML files hold it."""
        return {
            "name": self.name,
            "groups": [
                {"name": g.name, "labels": list(g.labels), "silent": g.silent, "first": g.first}
                for g in self.groups
            ],
        }

    @classmethod
    def from_json(cls, value: object) -> LabelSet:
        """Return the set that `as_json` wrote, or that a user wrote by hand.

        Raises
        ------
        ValueError
            Where the value is not a label set; its text says what is wrong.
        """
        given = _keys(value, {"name", "groups"}, "a label set")
        groups = given.get("groups")
        if not isinstance(given.get("name"), str) or not isinstance(groups, list):
            raise ValueError("a label set has a name and a list of groups")
        return cls(given["name"], tuple(_group(group) for group in groups))

    @classmethod
    def read(cls, path: Path) -> LabelSet:
        """Read a label set from a YAML or JSON file.

        Raises
        ------
        UserError
            Where the file is missing or is no label set.
        """
        try:
            return cls.from_json(decode_yaml(path.read_text(encoding="utf-8")))
        except (ValueError, OSError) as error:
            what = error.strerror if isinstance(error, OSError) else str(error)
            raise UserError(
                f"this is no label set: {what}.",
                where=str(path),
                fix="docs/planning.md shows one.",
            ) from error


def _group(value: object) -> LabelGroup:
    given = _keys(value, {"name", "labels", "silent", "first"}, "a group")
    name, labels, silent = given.get("name"), given.get("labels"), given.get("silent")
    first = given.get("first", 0)
    if not isinstance(name, str) or not isinstance(labels, list):
        raise ValueError("a group has a name and a list of labels")
    if not all(isinstance(label, str) and label.strip() for label in labels):
        raise ValueError(f"the labels of {name!r} are not all words")
    if not isinstance(silent, str | None) or not isinstance(first, int):
        raise ValueError(f"in {name!r}, silent is a label and first a whole number")
    return LabelGroup(name, tuple(labels), silent, first)


def _keys(value: object, known: set[str], what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is a mapping with {', '.join(sorted(known))}")
    unknown = sorted(str(key) for key in value if key not in known)
    if unknown:
        raise ValueError(f"{what} has an unknown key {unknown[0]!r}")
    return value


EMOTIONS = ("neutral", "anger", "disgust", "fear", "happiness", "sadness", "surprise")

DAILYDIALOG = LabelSet(
    "dailydialog-11",
    (
        LabelGroup("act", tuple(ACTS), first=1),
        LabelGroup("emotion", EMOTIONS, silent="neutral"),
    ),
)
"""DailyDialog's four dialogue acts (numbers 1 to 4) and seven emotions (0 to 6)."""
