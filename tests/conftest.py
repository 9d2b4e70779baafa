"""Fixtures that more than one test file uses, and the rule that shared data may not go unused."""

import os
from pathlib import Path
from types import ModuleType

import pytest

from stubs import llm

SHARED = Path(
    os.environ.get("ATTUNEMENT_SHARED", Path(__file__).resolve().parents[1].parent / "shared")
)
skipped_although_there: list[str] = []


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the real public data; tests that use it are marked ``shared``."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the shared data folder is absent; set ATTUNEMENT_SHARED to run this test")
    return SHARED


@pytest.fixture(scope="session")
def stub() -> ModuleType:
    """The module with the stub of a model server; see there."""
    return llm


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and "shared" in report.keywords and (SHARED / "data").is_dir():
        skipped_although_there.append(report.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if skipped_although_there and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for nodeid in skipped_although_there:
        terminalreporter.write_line(f"SHARED TEST SKIPPED although the data is there: {nodeid}")
