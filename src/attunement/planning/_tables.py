"""Dialogues in tables: a dialogue a row with lists in its cells, or a turn a row."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from attunement.decoding import decode_json
from attunement.errors import UserError
from attunement.planning.dialogues import Dialogue, Fault, build
from attunement.planning.labels import LabelSet

IDS = ("dialogue_id", "dialog_id", "dialogue", "dialog", "conversation_id")
LISTS = ("dialog", "dialogue", "utterances", "turns")
TEXTS = ("text", "utterance", "turn")
SEQUENCES = ("labels", "target")

Found = Iterator[tuple[Dialogue, list[Fault]]]

_STRING = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_BARE = re.compile(r"[\w.+-]+")


def dialogues(frame: pl.DataFrame, labels: LabelSet | None, *, where: str, prefix: str) -> Found:
    """Yield the dialogues of a table, with their faults.

    Parameters
    ----------
    frame
        A dialogue a row (a column ``dialog``) or a turn a row (``dialogue_id`` and ``text``), with
        a column for each group of labels, or one of whole sequences, ``labels``.
    labels
        What words and numbers mean; None where no labels are wanted.
    where, prefix
        For messages, and for the ids of dialogues that have none.

    Raises
    ------
    UserError
        Where the columns fit neither form, or a cell is no list.
    """
    columns = frame.columns
    cells = {} if labels is None else _label_columns(columns, labels, where)
    text, turns = _first(TEXTS, columns), _first(LISTS, columns)
    id = _first(IDS, columns)
    if text is not None and id is not None and id != text:
        yield from _by_turn(frame, id, text, cells, labels, where)
    elif turns is not None:
        yield from _by_dialogue(frame, turns, cells, labels, where, prefix)
    else:
        raise UserError(
            f"the table has no dialogues: it has {', '.join(columns)}.",
            where=where,
            fix="Give a dialogue a row (column dialog), or a turn a row (dialogue_id and text).",
        )


def _label_columns(columns: Sequence[str], labels: LabelSet, where: str) -> dict[str, str]:
    """Return the column of each group's labels, or the one of whole sequences."""
    sequence = _first(SEQUENCES, columns)
    if sequence is not None:
        return {sequence: sequence}
    names = {g.name: _group_column(g.name, columns) for g in labels.groups}
    found = {group: name for group, name in names.items() if name is not None}
    if len(found) < len(names):
        raise UserError(
            f"the table has no labels: it has {', '.join(columns)}.",
            where=where,
            fix=f"Name their columns {', '.join(names)}, or one of whole sequences: labels.",
        )
    return found


def _by_dialogue(
    frame: pl.DataFrame,
    turns: str,
    cells: Mapping[str, str],
    labels: LabelSet | None,
    where: str,
    prefix: str,
) -> Found:
    ids = frame["id"].cast(pl.String).to_list() if "id" in frame.columns else []
    for i, row in enumerate(frame.iter_rows(named=True)):
        at = f"{where}, row {i + 1}"
        id = ids[i] if ids and ids[i] else f"{prefix}-{i + 1}"
        said = as_list(row[turns], at, turns)
        given = {name: as_list(row[column], at, column) for name, column in cells.items()}
        found, faults = sequences(given, labels, at)
        dialogue, more = build(at, id, [str(t) for t in said], found)
        yield dialogue, faults + more


def _by_turn(
    frame: pl.DataFrame,
    id: str,
    text: str,
    cells: Mapping[str, str],
    labels: LabelSet | None,
    where: str,
) -> Found:
    said: dict[str, list[str]] = {}
    given: dict[str, dict[str, list[object]]] = {}
    for row in frame.iter_rows(named=True):
        dialogue = str(row[id])
        said.setdefault(dialogue, []).append(str(row[text] or ""))
        of = given.setdefault(dialogue, {name: [] for name in cells})
        for name, column in cells.items():
            of[name].append(row[column])
    for dialogue, turns in said.items():
        at = f"{where}, dialogue {dialogue}"
        found, faults = sequences(given[dialogue], labels, at)
        whole, more = build(at, dialogue, turns, found)
        yield whole, faults + more


def sequences(
    cells: Mapping[str, Sequence[object]], labels: LabelSet | None, where: str
) -> tuple[list[tuple[str, ...] | None] | None, list[Fault]]:
    """Return each turn's label sequence from the words or numbers of each group.

    A turn whose labels are all missing or unknown has None. Where the groups have different
    numbers of labels, those that have a partner in every group count. None for all where no labels
    are wanted.
    """
    faults: list[Fault] = []
    if labels is None:
        return None, faults
    lengths = {name: len(values) for name, values in cells.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{n} of {name}" for name, n in lengths.items())
        faults.append(Fault(where, "fewer labels than turns", f"{said}; paired from the start"))
    found: list[tuple[str, ...] | None] = []
    for turn in range(min(lengths.values(), default=0)):
        known: list[str] = []
        for name, values in cells.items():
            for value in _values(values[turn]):
                label = _label(labels, name, value)
                if label is None:
                    faults.append(Fault(where, "unknown label", f"turn {turn + 1}: {value!r}"))
                else:
                    known.append(label)
        found.append(labels.sequence(known) if known else None)
    return found, faults


def _label(labels: LabelSet, name: str, value: object) -> str | None:
    for group in labels.groups:
        if group.name == name or name in SEQUENCES:
            label = group.label(value) if group.name == name else _word(group.labels, value)
            if label is not None:
                return label
    return None


def _word(known: Sequence[str], value: object) -> str | None:
    word = str(value).strip().lower()
    return word if word in known else None


def _values(value: object) -> list[object]:
    """Return the labels in one turn's cell: none, one, or several with commas between them."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return []
    if isinstance(value, list):
        return list(value)
    if isinstance(value, str) and "," in value:
        return [part for part in value.strip("[] ").split(",") if part.strip()]
    return [value]


def as_list(value: object, where: str, column: str) -> list[object]:
    r"""Return the list in a cell: a list, JSON, or what Python or NumPy prints for one.

    Raises
    ------
    UserError
        Where the cell is no list.

    >>> as_list("['Hi . ' \"It's me .\"]", "x", "dialog")
    ['Hi . ', "It's me ."]
    >>> as_list("[3 1]", "x", "act")
    ['3', '1']
    """
    if isinstance(value, pl.Series):
        return value.to_list()
    if isinstance(value, list):
        return value
    text = str(value or "").strip()
    if not (text.startswith("[") and text.endswith("]")):
        raise UserError(f"the cell of {column!r} is no list.", where=where)
    try:
        found = decode_json(text)
    except ValueError:
        return _printed(text[1:-1], where, column)
    return list(found)


def _printed(inside: str, where: str, column: str) -> list[object]:
    """Return the strings or bare words of a printed list, with or without commas between them."""
    strings = _STRING.findall(inside)
    if strings:
        if _STRING.sub("", inside).strip(", \n\r\t"):
            raise UserError(f"the cell of {column!r} cannot be read as a list.", where=where)
        return [_string(s, where, column) for s in strings]
    return list(_BARE.findall(inside))


def _string(literal: str, where: str, column: str) -> str:
    try:
        # A line end within a NumPy string is one: Python writes it as two signs.
        return str(ast.literal_eval(literal.replace("\n", "\\n").replace("\r", "\\r")))
    except (ValueError, SyntaxError):
        raise UserError(f"the cell of {column!r} holds a broken text.", where=where) from None


def _group_column(name: str, columns: Sequence[str]) -> str | None:
    return _first((name, f"{name}s", f"{name}_labels"), columns)


def _first(names: Sequence[str], columns: Sequence[str]) -> str | None:
    return next((name for name in names if name in columns), None)
