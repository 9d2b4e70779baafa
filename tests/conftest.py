"""Fixtures that more than one test file uses."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the real public data; tests that use it are marked ``shared``."""
    root = Path(__file__).resolve().parents[1]
    folder = Path(os.environ.get("ATTUNEMENT_SHARED", root.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip("the shared data folder is absent; set ATTUNEMENT_SHARED to run this test")
    return folder
