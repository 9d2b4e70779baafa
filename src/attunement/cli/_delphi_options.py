"""The options of ``attunement delphi`` that hold more than one word."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Literal, cast

from attunement.cli._options import choose
from attunement.delphi import Scale, Thresholds
from attunement.errors import UserError, did_you_mean

if TYPE_CHECKING:
    from attunement.stats.agreement import Weights

_NAMES = ("agreement", "mean", "iqr", "redundancy")


def thresholds_of(text: str) -> Thresholds:
    """Read ``agreement=75,mean=3,iqr=2,redundancy=q3``; what is left out has its default.

    Raises
    ------
    UserError
        Where a name is unknown or named twice, or a value is no number.

    """
    found: dict[str, float | None] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        name, equals, value = (p.strip() for p in part.partition("="))
        if not equals or name not in _NAMES or name in found:
            why = " twice." if name in found else did_you_mean(name, _NAMES)
            raise UserError(
                f"{part!r} is no threshold{why}",
                where="--thresholds",
                fix="Write agreement=75,mean=3,iqr=2,redundancy=q3.",
            )
        found[name] = _value(name, value.lower())
    usual = Thresholds()
    return Thresholds(
        agreement=_or(found.get("agreement"), usual.agreement),
        mean=_or(found.get("mean"), usual.mean),
        iqr=_or(found.get("iqr"), usual.iqr),
        redundancy=found.get("redundancy"),
    )


def _or(value: float | None, usual: float) -> float:
    return usual if value is None else value


def _value(name: str, text: str) -> float | None:
    if name == "redundancy" and text in ("q3", "none"):
        return None if text == "q3" else math.inf
    try:
        value = float(text.removesuffix("%").strip())
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf or (name == "agreement" and value > 100):
        raise UserError(
            f"{text!r} is no number for {name}.",
            where="--thresholds",
            fix="agreement is a percentage from 0 to 100; the others are numbers from 0 on.",
        )
    return value


def scale_of(text: str, agrees_from: int) -> Scale:
    """Read the ends of a scale, such as ``1-5``.

    Raises
    ------
    UserError
        Where it is not two whole numbers, or the lowest agreeing value is outside.

    """
    found = re.fullmatch(r"\s*(\d{1,3})\s*(?:-|to)\s*(\d{1,3})\s*", text)
    if found is None:
        raise UserError(f"{text!r} is no scale.", where="--scale", fix="Write it as 1-5.")
    try:
        return Scale(int(found[1]), int(found[2]), agrees_from)
    except ValueError as error:
        raise UserError(f"{error}.", where="--scale and --agree") from None


def weights_of(text: str) -> Weights:
    """Read the weights of kappa.

    Raises
    ------
    UserError
        Where they are not known.

    """
    choose(text, "--weights", ("linear", "quadratic"))
    return cast("Literal['linear', 'quadratic']", text)
