"""Read JSON and YAML that somebody else wrote: every way to be wrong is one exception.

The standard decoders also raise `RecursionError` (nested too deep), `ValueError` (a number of
thousands of digits, an impossible date) and accept what is in no standard (NaN). YAML aliases can
make a few bytes a gigabyte.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

import yaml

DEEPEST = 60
"""How deep a YAML file may nest: instruments need six."""

LARGEST = 100_000
"""How many nodes a YAML file may have, as it stands and once its aliases are written out."""


def decode_json(text: str | bytes) -> Any:
    """Return what JSON text holds.

    Raises
    ------
    ValueError
        Where it is not JSON, holds NaN or infinity, or nests too deep; its text is one line.
    """
    try:
        return json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} (line {error.lineno})") from None
    except RecursionError:
        raise ValueError("it nests too deep") from None
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON; a missing value is null")


class StrictLoader(yaml.SafeLoader):
    """The safe loader, with limits to nesting and to what aliases grow to."""

    _depth = 0
    _nodes = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Compose one node."""
        self._depth += 1
        self._nodes += 1
        if self._depth > DEEPEST:
            raise yaml.YAMLError("it nests too deep")
        if self._nodes > LARGEST:
            raise yaml.YAMLError(f"it is too large: it has more than {LARGEST:,} entries")
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1

    def get_single_node(self) -> yaml.Node | None:
        """Return the document's node, with its aliases resolved."""
        root: yaml.Node | None = super().get_single_node()
        if root is not None and _size(root, {}) > LARGEST:
            raise yaml.YAMLError("its aliases (*name) make it too large")
        return root


def _size(node: yaml.Node, known: dict[int, int]) -> int:
    """Return how many nodes there are once every alias is written out."""
    if id(node) not in known:
        known[id(node)] = LARGEST + 1  # a node within itself has no end
        parts: list[yaml.Node] = []
        if isinstance(node, yaml.MappingNode):
            parts = [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            parts = node.value
        known[id(node)] = 1 + sum(_size(part, known) for part in parts)
    return known[id(node)]


def decode_yaml(text: str) -> Any:
    """Return what YAML text holds.

    Raises
    ------
    ValueError
        Where it is not YAML, is too large or too deep, or holds an impossible value.
    """
    try:
        return yaml.load(text, StrictLoader)
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None
