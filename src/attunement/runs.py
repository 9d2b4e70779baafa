"""A run folder: the tables of one study, its manifest, and what is needed to go on after a stop.

::

    RUN/
      manifest.json      what was run, with which versions and settings, and how far it came
      items.parquet  responses.parquet  ratings.parquet  raters.parquet
      candidates.parquet what responses were chosen from, and why
      calls/             journals of model calls, one file a model: what had arrived is never lost
      systems.csv        one number for each source and metric that compares systems (BLEU, ...)
      analysis.json      what the analysis found
      report/            the page, its tables and its figures
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import polars as pl

from attunement import tables
from attunement.decoding import decode_json
from attunement.errors import UserError
from attunement.own_file import hold
from attunement.tables import Kind

MANIFEST = "manifest.json"
PACKAGES = ("attunement", "inspect-ai", "numpy", "polars", "scikit-learn", "scipy", "textblob")
"""Packages whose versions can change a number."""


class Run:
    """One run folder.

    Parameters
    ----------
    folder
        Made where it does not exist.

    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def lock(self) -> AbstractContextManager[None]:
        """Keep other processes from writing to this run meanwhile.

        Raises
        ------
        UserError
            Where another process is at work in the folder.
        """
        return locked(self.folder, "another run is at work in this folder.")

    @property
    def calls(self) -> Path:
        """The folder of the journals of model calls."""
        return self.folder / "calls"

    def table_path(self, kind: Kind) -> Path:
        """Return where a table of this run is kept."""
        return self.folder / f"{kind}.parquet"

    def has(self, kind: Kind) -> bool:
        """Say whether a table is there."""
        return self.table_path(kind).exists()

    def read(self, kind: Kind) -> pl.DataFrame:
        """Read one table of the run.

        Raises
        ------
        UserError
            Where the run has no such table.

        """
        if not self.has(kind):
            raise UserError(
                f"this run has no {kind} table.",
                where=str(self.folder),
                fix="Run the stage that makes it first, or name another folder.",
            )
        return tables.read_table(self.table_path(kind), kind)

    def write(self, frame: pl.DataFrame, kind: Kind) -> None:
        """Write one table of the run."""
        tables.write_table(frame, self.table_path(kind), kind)

    def add_ratings(self, frame: pl.DataFrame) -> None:
        """Add ratings; those that had the same key are replaced."""
        self._add(frame, "ratings")

    def add_raters(self, frame: pl.DataFrame) -> None:
        """Add raters; those of the same name are replaced."""
        self._add(frame, "raters")

    def _add(self, frame: pl.DataFrame, kind: Kind) -> None:
        new = tables.conform(frame, kind)
        if self.has(kind):
            keys = list(tables.KEYS[kind])
            old = self.read(kind).join(new.select(keys), on=keys, how="anti", nulls_equal=True)
            new = pl.concat([old, new])
        self.write(new, kind)

    def manifest(self) -> dict[str, Any]:
        """Return the manifest, empty where the run has none yet."""
        path = self.folder / MANIFEST
        if not path.exists():
            return {}
        try:
            loaded = decode_json(path.read_bytes())
        except ValueError as error:
            raise UserError(f"not valid JSON: {error}.", where=str(path)) from None
        if not isinstance(loaded, dict):
            raise UserError("the manifest is not a JSON object.", where=str(path))
        for part in ("configuration", "stages", "versions"):
            if not isinstance(loaded.get(part, {}), dict):
                raise UserError(f"{part!r} in the manifest is not an object.", where=str(path))
        return loaded

    def record(self, stage: str, **facts: Any) -> None:
        """Note in the manifest that a stage ended, when, and what it says of itself."""
        manifest = self.manifest() or {"created_at": _now()}
        manifest["versions"] = versions()
        manifest.setdefault("stages", {})[stage] = {"ended_at": _now(), **facts}
        self._write_manifest(manifest)

    def describe(self, **facts: Any) -> None:
        """Set top-level entries of the manifest, such as the name and the configuration."""
        manifest = self.manifest() or {"created_at": _now()}
        manifest.update(facts)
        manifest["versions"] = versions()
        self._write_manifest(manifest)

    def _write_manifest(self, manifest: Mapping[str, Any]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / MANIFEST
        part = path.with_name(f".{MANIFEST}.part")
        part.write_text(json.dumps(manifest, indent=2), encoding="utf-8")
        part.replace(path)


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that can change a number."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def fingerprint(value: Any) -> str:
    """Return eight hex digits of a JSON-able value, the same for equal values."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@contextmanager
def locked(folder: Path, taken: str) -> Iterator[None]:
    """Keep other processes out of a folder, for as long as this one lives.

    Parameters
    ----------
    folder
        Made where it does not exist.
    taken
        What to say where another process holds it.

    Raises
    ------
    UserError
        Where another process holds it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        if not hold(file):
            raise UserError(taken, where=str(folder), fix="Wait for it, or name another folder.")
        yield
