"""Attunement measures how well a conversational model attunes to the person it talks to.

The stages of a study as functions on frames; see docs/python.md. Names are imported when they are
first used, so that ``import attunement`` stays light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attunement.analysis import Analysis, analyze, plan
    from attunement.datasets import Loaded, load
    from attunement.errors import UserError
    from attunement.inspect_bridge import ModelSpec, Settings
    from attunement.raters.judges.judge import judge
    from attunement.raters.metrics import score
    from attunement.report import write_report
    from attunement.reproduce import reproduce
    from attunement.respond.generate import generate
    from attunement.runs import Run
    from attunement.stats.result import Result, TestResult
    from attunement.tables import check, read_table, write_table

_HOME = {
    "Analysis": "attunement.analysis",
    "Loaded": "attunement.datasets",
    "ModelSpec": "attunement.inspect_bridge",
    "Result": "attunement.stats.result",
    "Run": "attunement.runs",
    "Settings": "attunement.inspect_bridge",
    "TestResult": "attunement.stats.result",
    "UserError": "attunement.errors",
    "analyze": "attunement.analysis",
    "check": "attunement.tables",
    "generate": "attunement.respond",
    "judge": "attunement.raters.judges",
    "load": "attunement.datasets",
    "plan": "attunement.analysis",
    "read_table": "attunement.tables",
    "reproduce": "attunement.reproduce",
    "score": "attunement.raters.metrics",
    "write_report": "attunement.report",
    "write_table": "attunement.tables",
}

__all__ = [
    "Analysis",
    "Loaded",
    "ModelSpec",
    "Result",
    "Run",
    "Settings",
    "TestResult",
    "UserError",
    "analyze",
    "check",
    "generate",
    "judge",
    "load",
    "plan",
    "read_table",
    "reproduce",
    "score",
    "write_report",
    "write_table",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(_HOME[name]), name)
    if name == "__version__":
        from importlib.metadata import version

        return version("attunement")
    raise AttributeError(f"module 'attunement' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
