"""What is wrong with a value of an instrument's file, in words for whoever writes one."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from typing import Any

Loc = tuple[int | str, ...]

KEY = "[key]"
"""What Pydantic puts at the end of a path where the key, not its value, is wrong."""

_SAID = 30
"""Characters of a text that are repeated in an example."""
_shown = reprlib.Repr()
_shown.maxstring = 60
_MAPPINGS = ("anchors", "prompts")


def reason(error: Mapping[str, Any]) -> str:
    """Return the reason of one of Pydantic's errors (``type``, ``loc``, ``msg``, ``input``)."""
    kind, loc, given = error["type"], error["loc"], error.get("input")
    context = error.get("ctx") or {}
    if loc and loc[-1] == KEY:
        return _key(loc)
    say = _REASONS.get(kind)
    if say is not None:
        return say(loc, given, context)
    return str(error["msg"]).removeprefix("Value error, ")


def _key(loc: Loc) -> str:
    if "anchors" in loc and loc[-3:-2] == ("anchors",):
        return "an anchor belongs to a value of the scale: a number is wanted as its key"
    return (
        "a language code such as en or pt-BR is wanted as the key (a text with a comma in it "
        "needs quotes)"
    )


def _words(loc: Loc, given: Any, context: Mapping[str, Any]) -> str:
    if loc[-1] in _MAPPINGS:
        return f"keys and values are wanted here, not {_what(given)}"
    text = given if isinstance(given, str) and len(given) <= _SAID else "..."
    return f'a text by language is wanted here: {{en: "{text}"}}'


def _list(loc: Loc, given: Any, context: Mapping[str, Any]) -> str:
    if isinstance(given, str | int | float) and len(str(given)) <= _SAID:
        return f"a list is wanted here: [{given}]"
    return f"a list is wanted here, not {_what(given)}"


def _text(loc: Loc, given: Any, context: Mapping[str, Any]) -> str:
    if isinstance(given, bool | int | float):
        said = str(given).lower() if isinstance(given, bool) else given
        return f'a text is wanted here; in quotes it is one: "{said}"'
    return "the text is missing" if given is None else f"a text is wanted here, not {_what(given)}"


def _pattern(loc: Loc, given: Any, context: Mapping[str, Any]) -> str:
    if "languages" in loc:
        return f"{_shown.repr(given)} is no language code, such as en or pt-BR"
    return (
        f"{_shown.repr(given)} is no name for tables: lower-case letters and digits, joined by - "
        "or _, such as my-scale"
    )


def _literal(loc: Loc, given: Any, context: Mapping[str, Any]) -> str:
    said = _shown.repr(given) if isinstance(given, str | int | float) else _what(given)
    return f"{context['expected']} is wanted here, not {said}"


def _type(loc: Loc, given: Any, context: Mapping[str, Any]) -> str:
    known = str(context.get("expected_tags", "")).replace("'", "")
    return f"no scale has the type {_shown.repr(context.get('tag'))}; known: {known}"


def _number(what: str) -> Callable[[Loc, Any, Mapping[str, Any]], str]:
    def say(loc: Loc, given: Any, context: Mapping[str, Any]) -> str:
        said = _shown.repr(given) if isinstance(given, str | int | float) else _what(given)
        return f"{what} is wanted here, not {said}"

    return say


def _what(given: Any) -> str:
    if given is None:
        return "nothing"
    kinds = {str: "a text", bool: "true or false", int: "a number", float: "a number"}
    return next(
        (said for kind, said in kinds.items() if type(given) is kind),
        "a list" if isinstance(given, list) else "keys and values",
    )


_REASONS: dict[str, Callable[[Loc, Any, Mapping[str, Any]], str]] = {
    "missing": lambda loc, given, context: "this key is missing",
    "dict_type": _words,
    "tuple_type": _list,
    "list_type": _list,
    "string_type": _text,
    "string_pattern_mismatch": _pattern,
    "literal_error": _literal,
    "union_tag_invalid": _type,
    "union_tag_not_found": lambda loc, given, context: (
        "a scale needs a type: integer, number, boolean, choice, multi, spans or text"
    ),
    "model_type": lambda loc, given, context: (
        f"keys and values are wanted here, not {_what(given)}"
    ),
    "model_attributes_type": lambda loc, given, context: (
        f"keys and values are wanted here, not {_what(given)}"
    ),
    "int_parsing": _number("a whole number"),
    "int_type": _number("a whole number"),
    "int_from_float": _number("a whole number"),
    "float_parsing": _number("a number"),
    "float_type": _number("a number"),
    "finite_number": _number("a finite number"),
    "bool_parsing": _number("true or false"),
    "bool_type": _number("true or false"),
    "greater_than_equal": lambda loc, given, context: (
        f"{context['ge']} or more is wanted here, not {_shown.repr(given)}"
    ),
    "too_short": lambda loc, given, context: (
        f"at least {context['min_length']} {_entries(context['min_length'])} wanted here"
    ),
}


def _entries(n: int) -> str:
    return "entry is" if n == 1 else "entries are"


def yaml_reason(problem: str | None) -> str:
    """Return why a text is not YAML, and what to do where that is known.

    Most of what people meet is a text between braces that holds a mark of YAML's own.
    """
    said = f"not valid YAML: {problem}"
    if problem is None:
        return said
    if problem.startswith(("expected ',' or '}'", "expected ',' or ']'")):
        return f'{said}; a text with ? : , [ ] {{ }} or # in it needs quotes: {{en: "Which tone?"}}'
    if "mapping values are not allowed" in problem:
        return f"{said}; a text with a colon in it needs quotes"
    if "'\\t'" in problem:
        return f"{said}; lines are indented with spaces, not with tabs"
    return said
