"""Where Chromium is, and what it means that it is nowhere."""

from __future__ import annotations

import os
import shutil

import pytest


def chromium() -> str:
    """Return the path of Debian's Chromium.

    Without one the tests that need it skip on somebody's own machine. Where ``CI`` is set in the
    environment they fail: nobody reads there what was skipped.
    """
    found = shutil.which("chromium")
    if found is None:
        reason = "there is no Chromium: install the package 'chromium' to run the browser tests"
        if os.environ.get("CI"):
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    return found
