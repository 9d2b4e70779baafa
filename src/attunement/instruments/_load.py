"""Reading instruments: from the library by name, or from a file."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

from attunement.errors import UserError, did_you_mean
from attunement.instruments._problems import Problem, read
from attunement.instruments.schema import Instrument

_LIBRARY = files("attunement.instruments") / "library"
_SHOWN = 5


def list_instruments() -> list[str]:
    """Return the library's instruments by name and version, such as ``nuance-judges@1``."""
    return sorted(_from_library(name).name for name in _library())


def load_instrument(name: str | Path) -> Instrument:
    """Return an instrument of the library, or one from a YAML file.

    Parameters
    ----------
    name
        A name in the library, with or without its version (``nuance-judges``,
        ``nuance-judges@1``), or the path of a ``.yaml`` file. A colon and the name of a step
        behind it (``socio-emotional:filter``) give that step only.

    Raises
    ------
    UserError
        Where there is no such instrument, or the file is not a valid one: the message names the
        key and, for an unknown key, the nearest known one.

    """
    whole, colon, step = str(name).rpartition(":")
    if colon and not step.endswith((".yaml", ".yml")):
        return _step(_whole(whole), step)
    return _whole(str(name))


def _whole(name: str) -> Instrument:
    file = Path(name)
    if file.suffix in (".yaml", ".yml"):
        return _from_file(file)
    id, _, version = name.partition("@")
    if id not in _library():
        raise UserError(
            f"there is no instrument {id!r}{did_you_mean(id, _library())}",
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


def _step(instrument: Instrument, id: str) -> Instrument:
    known = [step.id for step in instrument.steps]
    if id in known:
        return instrument.step(id)
    raise UserError(
        f"{instrument.name} has no step {id!r}{did_you_mean(id, known)}",
        fix=f"Its steps are {', '.join(known)}." if known else "It is asked all at once.",
    )


def check_instrument(file: str | Path) -> list[Problem]:
    """Return all that is wrong with an instrument's file, nothing where it is valid.

    Parameters
    ----------
    file
        The path of a ``.yaml`` file, or a name in the library, whose file is then looked at.

    Raises
    ------
    UserError
        Where there is no such file, or it is not UTF-8.

    """
    if Path(file).suffix not in (".yaml", ".yml") and not Path(file).exists():
        known = load_instrument(file)
        return read((_LIBRARY / f"{known.id}.yaml").read_text("utf-8"), f"{known.id}.yaml")[1]
    return read(_text(Path(file)), str(file))[1]


def _from_file(file: Path) -> Instrument:
    return parse_instrument(_text(file), where=str(file))


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8-sig")
    except FileNotFoundError:
        raise UserError("no such file.", where=str(file), fix="Check the path.") from None
    except IsADirectoryError:
        raise UserError("a folder, not a file.", where=str(file)) from None
    except UnicodeDecodeError:
        raise UserError("the file is not UTF-8.", where=str(file)) from None


def parse_instrument(text: str, *, where: str) -> Instrument:
    """Return the instrument that a YAML text describes; ``where`` is named in errors.

    Raises
    ------
    UserError
        Where the text is not YAML or not a valid instrument.

    """
    instrument, problems = read(text, where)
    if instrument is not None:
        return instrument
    first = problems[0]
    line = f", line {first.line}" if first.line is not None and not first.key else ""
    said = "; ".join(map(str, problems[:_SHOWN]))
    more = f" and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
    start = "" if said.startswith("not valid YAML") else "not a valid instrument: "
    fix = "'attunement instruments check' lists all of them." if more else None
    raise UserError(f"{start}{said}{more}.", where=f"{where}{line}", fix=fix)
