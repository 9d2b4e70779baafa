"""What a statistic returns: estimate, interval, n, method and a signature to repeat it by."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Result:
    """One estimate.

    Parameters
    ----------
    name
        The statistic's name, such as ``pearson`` or ``mean``.
    estimate, ci_low, ci_high
        NaN where undefined; ``reason`` then says why.
    n, n_missing
        Observations used, and left out because a value was missing.
    method
        How the estimate and its interval were made, in words.
    group
        What it is about, such as ``{"source": "attuned", "metric": "recycling"}``.
    ci_level
        The interval's coverage.
    signature
        Name, version, parameters, seed and input hash, as `signature` writes them.

    """

    name: str
    estimate: float
    n: int
    method: str
    ci_low: float = math.nan
    ci_high: float = math.nan
    ci_level: float = 0.95
    n_missing: int = 0
    group: Mapping[str, str] = field(default_factory=dict)
    signature: str = ""
    reason: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the result as the ``--json`` output writes it, null where undefined."""
        return {
            "name": self.name,
            "group": dict(self.group),
            "estimate": number(self.estimate),
            "ci_low": number(self.ci_low),
            "ci_high": number(self.ci_high),
            "ci_level": self.ci_level,
            "n": self.n,
            "n_missing": self.n_missing,
            "method": self.method,
            "signature": self.signature,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class TestResult:
    """One significance test; ``p_adjusted`` is set where several were corrected together."""

    __test__ = False  # not a pytest class

    name: str
    statistic: float
    p_value: float
    n: int
    method: str
    group: Mapping[str, str] = field(default_factory=dict)
    p_adjusted: float = math.nan
    effect_size: float = math.nan
    effect_name: str | None = None
    n_missing: int = 0
    signature: str = ""
    reason: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the test as the ``tests`` key of ``--json`` writes it, null where undefined."""
        return {
            "name": self.name,
            "group": dict(self.group),
            "statistic": number(self.statistic),
            "p_value": number(self.p_value),
            "p_adjusted": number(self.p_adjusted),
            "effect_size": number(self.effect_size),
            "effect_name": self.effect_name,
            "n": self.n,
            "n_missing": self.n_missing,
            "method": self.method,
            "signature": self.signature,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Tested(Result):
    """An estimate that comes with a significance test of it.

    Parameters
    ----------
    statistic, p_value
        Of the test; NaN where it could not be made.
    """

    statistic: float = math.nan
    p_value: float = math.nan

    def as_test(self) -> TestResult:
        """Return the test alone."""
        return TestResult(
            name=self.name,
            statistic=self.statistic,
            p_value=self.p_value,
            n=self.n,
            n_missing=self.n_missing,
            method=self.method,
            group=self.group,
            signature=self.signature,
            reason=self.reason,
        )


def number(value: float) -> float | None:
    """Return a finite float, or None."""
    return float(value) if math.isfinite(value) else None


def report_json(results: Iterable[Result], **beside: Any) -> dict[str, Any]:
    """Return the object that every ``--json`` prints: the results and what stands beside them."""
    return {
        "schema_version": SCHEMA_VERSION,
        "results": [r.as_json() for r in results],
        **beside,
    }


def input_hash(*arrays: ArrayLike | str) -> str:
    """Return eight hex digits that change when any of the inputs does."""
    digest = hashlib.sha256()
    for array in arrays:
        if isinstance(array, str):
            digest.update(array.encode())
            continue
        values = np.asarray(array)
        digest.update(str((values.dtype, values.shape)).encode())
        raw = repr(values.tolist()) if values.dtype.kind in "OUS" else values.tobytes()
        digest.update(raw.encode() if isinstance(raw, str) else raw)
    return digest.hexdigest()[:8]


def signature(name: str, *, inputs: str | None = None, **parameters: object) -> str:
    """Return a sacrebleu-style signature: ``name|key:value|...|hash:...|version:...``.

    >>> signature("pearson", inputs="0badc0de", ci="fisher").split("|")[:3]
    ['pearson', 'ci:fisher', 'hash:0badc0de']
    """
    parts = [name, *(f"{k}:{_plain(v)}" for k, v in parameters.items() if v is not None)]
    if inputs is not None:
        parts.append(f"hash:{inputs}")
    return "|".join([*parts, f"version:{_version()}"])


@lru_cache(maxsize=1)
def _version() -> str:
    # Reading the package's metadata takes milliseconds; an analysis writes thousands of signatures.
    from importlib.metadata import version

    return version("attunement")


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value).replace("|", "/")
