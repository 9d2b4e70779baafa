"""The files of a report: those that are there, and those that its page leads to."""

from __future__ import annotations

import re
from pathlib import Path


def written(folder: Path) -> dict[str, bytes]:
    """Return every file of a report by its path in the folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def linked(html: str) -> set[str]:
    """Return the tables and figures that a page leads to."""
    return set(re.findall(r'href="((?:tables|figures)/[^"]+)"', html))
