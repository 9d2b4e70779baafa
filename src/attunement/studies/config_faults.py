"""What is wrong with a study file, in plain words and with the line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from attunement.instruments._reasons import reason


def told(error: Mapping[str, Any], loc: Sequence[int | str]) -> str:
    """Return the reason of one of Pydantic's errors at a place of a study file."""
    kind, last = error["type"], loc[-1] if loc else ""
    known = str((error.get("ctx") or {}).get("expected_tags", "")).replace("'", "")
    if kind.startswith("union_tag") and last == "protocol":
        return f"a protocol needs a type: {known or 'rate, write and so on'}"
    if kind == "dict_type" and last == "bots":
        return "keys and values are wanted here: each chatbot by its name"
    if kind == "string_pattern_mismatch" and last == "country":
        return "two capital letters are wanted here, such as IT"
    if kind.startswith("date"):
        return "a date is wanted here, such as 2027-01-31"
    if kind == "less_than_equal":
        return f"{error['ctx']['le']:g} or less is wanted here, not {error.get('input')!r}"
    return reason(error)


def line_of(text: str, loc: Sequence[int | str]) -> int:
    """Return the line of the deepest key of a path that is in a YAML text, from 1."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    line = 1
    for part in loc:
        if isinstance(node, yaml.MappingNode):
            found = next(((k, v) for k, v in node.value if k.value == str(part)), None)
            if found is None:
                return line
            key, node = found
            line = key.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            node = node.value[part]
            line = node.start_mark.line + 1
    return line
