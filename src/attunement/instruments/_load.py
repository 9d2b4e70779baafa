"""Reading instruments: from the library by name, or from a file."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from attunement.errors import UserError, nearest
from attunement.instruments.schema import Instrument

_LIBRARY = files("attunement.instruments") / "library"


class _Loader(yaml.SafeLoader):
    """YAML as people expect it: ``yes`` and ``no`` are words, a key given twice is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
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


def list_instruments() -> list[str]:
    """Return the library's instruments by name and version, such as ``nuance-judges@1``."""
    return sorted(_from_library(name).name for name in _library())


def load_instrument(name: str | Path) -> Instrument:
    """Return an instrument of the library, or one from a YAML file.

    Parameters
    ----------
    name
        A name in the library, with or without its version (``nuance-judges``,
        ``nuance-judges@1``), or the path of a ``.yaml`` file.

    Raises
    ------
    UserError
        Where there is no such instrument, or the file is not a valid one: the message names the
        key and, for an unknown key, the nearest known one.

    """
    file = Path(name)
    if file.suffix in (".yaml", ".yml"):
        return _from_file(file)
    id, _, version = str(name).partition("@")
    if id not in _library():
        guess = nearest(id, _library())
        raise UserError(
            f"there is no instrument {id!r}" + (f"; did you mean {guess!r}?" if guess else "."),
            fix=f"The library has {', '.join(_library())}; a file's name ends in .yaml.",
        )
    found = _from_library(id)
    if version and version != str(found.version):
        raise UserError(
            f"the library's {id!r} is version {found.version}, not {version}.",
            fix=f"Use {found.name!r}, or give the path of a file with the version you want.",
        )
    return found


def _library() -> list[str]:
    names = [entry.name for entry in _LIBRARY.iterdir()]
    return sorted(n.removesuffix(".yaml") for n in names if n.endswith(".yaml"))


@cache
def _from_library(id: str) -> Instrument:
    return parse_instrument((_LIBRARY / f"{id}.yaml").read_text("utf-8"), where=f"{id}.yaml")


def _from_file(file: Path) -> Instrument:
    try:
        text = file.read_text("utf-8-sig")
    except FileNotFoundError:
        raise UserError("no such file.", where=str(file), fix="Check the path.") from None
    except UnicodeDecodeError:
        raise UserError("the file is not UTF-8.", where=str(file)) from None
    return parse_instrument(text, where=str(file))


def parse_instrument(text: str, *, where: str) -> Instrument:
    """Return the instrument that a YAML text describes; ``where`` is named in errors.

    Raises
    ------
    UserError
        Where the text is not YAML or not a valid instrument.

    """
    try:
        data = yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = f", line {mark.line + 1}" if mark else ""
        raise UserError(f"not valid YAML: {error.problem}.", where=f"{where}{line}") from None
    except yaml.YAMLError as error:
        raise UserError(f"not valid YAML: {error}.", where=where) from None
    if not isinstance(data, dict):
        raise UserError("an instrument is a mapping of keys to values.", where=where)
    try:
        return Instrument.model_validate(data)
    except ValidationError as error:
        said = [f"{_path(e['loc'])}{_message(e['msg'])}" for e in error.errors()[:5]]
        more = error.error_count() - len(said)
        raise UserError(
            "not a valid instrument: " + "; ".join(said) + (f" and {more} more." if more else "."),
            where=where,
        ) from None


def _path(loc: tuple[int | str, ...]) -> str:
    # Pydantic puts the discriminator's value into the path; a reader looks for keys only.
    tags = {"integer", "number", "boolean", "choice", "multi", "text"}
    parts = [
        str(part)
        for before, part in zip(("", *loc), loc, strict=False)
        if not (before == "scale" and part in tags)
    ]
    return ".".join(parts) + ": " if parts else ""


def _message(text: str) -> str:
    return text.removeprefix("Value error, ")
