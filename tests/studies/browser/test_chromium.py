"""A machine without Chromium."""

from __future__ import annotations

from pathlib import Path

import pytest

from studies.browser.chromium import chromium


@pytest.fixture(autouse=True)
def _nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


def test_on_somebody_s_own_machine_the_tests_skip_and_say_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="install the package 'chromium'"):
        chromium()


def test_in_continuous_integration_they_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="there is no Chromium"):
        chromium()
