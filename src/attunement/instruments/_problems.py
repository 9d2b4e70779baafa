"""What is wrong with an instrument's file: key by key, with the nearest known key."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import yaml
from pydantic import ValidationError

from attunement.decoding import StrictLoader
from attunement.errors import nearest
from attunement.instruments._reasons import KEY, Loc, reason, yaml_reason
from attunement.instruments.schema import Instrument


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a file.

    Parameters
    ----------
    file
        The file's name.
    line
        The line of the key, or the nearest one above it that is there; None where none is known.
    key
        The path of the key, such as ``dimensions.0.scale.max``; empty for the file as a whole.
    reason
        What is wrong.
    nearest
        The known key that an unknown one may have meant.

    """

    file: str
    line: int | None
    key: str
    reason: str
    nearest: str | None = None

    def __str__(self) -> str:
        hint = f"; did you mean {self.nearest!r}?" if self.nearest else ""
        return f"{self.key}: {self.reason}{hint}" if self.key else f"{self.reason}{hint}"


class _Loader(StrictLoader):
    """YAML as people expect it: ``yes`` and ``no`` are words, a key given twice is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                raise yaml.MarkedYAMLError(
                    problem="a key has to be a word or a number", problem_mark=key_node.start_mark
                )
            if key in seen:
                raise yaml.MarkedYAMLError(
                    problem=f"the key {key!r} is given twice", problem_mark=key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


_BOOL = "tag:yaml.org,2002:bool"
_Loader.yaml_implicit_resolvers = {
    first: [(tag, regexp) for tag, regexp in resolvers if tag != _BOOL or first in "tTfF"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read(text: str, file: str) -> tuple[Instrument | None, list[Problem]]:
    """Return the instrument that a YAML text describes, or all that is wrong with it."""
    loader: _Loader | None = None
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        data = None if root is None else loader.construct_document(root)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        said = yaml_reason(error.problem)
        return None, [Problem(file, mark.line + 1 if mark else None, "", said)]
    except (yaml.YAMLError, ValueError) as error:
        return None, [Problem(file, None, "", f"not valid YAML: {error}")]
    finally:
        if loader is not None:
            loader.dispose()
    if root is None or not isinstance(data, dict):
        return None, [Problem(file, None, "", "an instrument is a mapping of keys to values")]
    try:
        return Instrument.model_validate(data), []
    except ValidationError as error:
        errors = error.errors()
        found = [
            _problem(file, root, e["type"], e["loc"], reason(e))
            for e in errors
            if not (e["type"] == "too_short" and _has_inner(e["loc"], [o["loc"] for o in errors]))
        ]
        return None, found


def _has_inner(loc: Loc, others: list[Loc]) -> bool:
    """Say whether something within is wrong: a list is too short as its entries are."""
    return any(len(other) > len(loc) and other[: len(loc)] == loc for other in others)


def _problem(file: str, root: yaml.Node, type: str, loc: Loc, why: str) -> Problem:
    line = _line(root, loc) if loc else None
    key = ".".join(str(part) for part in _keys(loc) if part != KEY)
    if type != "extra_forbidden":
        return Problem(file, line, key, why)
    known = sorted(_known(loc[:-1]))
    guess = nearest(str(loc[-1]), known)
    why = "unknown key" if guess else f"unknown key; known: {', '.join(known)}"
    return Problem(file, line, key, why, guess)


def _keys(loc: Loc) -> Iterator[int | str]:
    """Yield the path without what Pydantic puts between: union branches and marks of keys."""
    node = _schema()
    for part in loc:
        node = _resolve(node)
        if part in _branches(node):
            node = _branches(node)[part]
            continue
        yield part
        node = _child(node, part)


def _known(loc: Loc) -> list[str]:
    node = _schema()
    for part in loc:
        node = _resolve(node)
        branches = _branches(node)
        node = branches[part] if part in branches else _child(node, part)
    return list(_resolve(node).get("properties", {}))


@cache
def _schema() -> dict[str, Any]:
    return Instrument.model_json_schema()


def _resolve(node: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        node = _schema()["$defs"][node["$ref"].rpartition("/")[2]]
    if "anyOf" in node:  # a key that may be left out
        return _resolve(next((n for n in node["anyOf"] if n.get("type") != "null"), {}))
    return node


def _branches(node: dict[str, Any]) -> dict[int | str, dict[str, Any]]:
    mapping = node.get("discriminator", {}).get("mapping", {})
    return {tag: {"$ref": ref} for tag, ref in mapping.items()}


def _child(node: dict[str, Any], part: int | str) -> dict[str, Any]:
    if isinstance(part, int) and "items" in node:
        return dict(node["items"])
    found = node.get("properties", {}).get(part) or node.get("additionalProperties")
    return found if isinstance(found, dict) else {}


def _line(root: yaml.Node, loc: Loc) -> int:
    """Return the line of the deepest key of a path that is in the file."""
    node, line = root, root.start_mark.line + 1
    for part in _keys(loc):
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.value == str(part):
                    node, line = value, key.start_mark.line + 1
                    break
            else:
                return line
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            node = node.value[part]
            line = node.start_mark.line + 1
        else:
            return line
    return line
