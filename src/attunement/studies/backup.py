"""Backup and restore: a study as one file, taken while raters go on.

The file is a ZIP with ``backup.json`` (what it is, and the digest of every other part),
``secret.key``, ``study.yaml`` and the database: ``study.sqlite3``, or ``data.json`` (as Django
writes it) of any other. It holds everything, the secret behind all links and passwords' hashes
included: keep it as the study itself is kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
import zipfile
from contextlib import closing
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from attunement.decoding import decode_json
from attunement.errors import UserError
from attunement.studies.folder import DATABASE, SECRET, STUDY

ABOUT = "backup.json"
DATA = "data.json"
PARTS = (SECRET, STUDY, DATABASE, DATA)
FORMAT = 1
MOST_BYTES = {ABOUT: 1_000_000, SECRET: 1_000, STUDY: 5_000_000}
"""Of the parts that are small in every study."""
MOST_FOLD, SMALL = 200, 10_000_000
"""How many times its size in the archive a part has at most, beyond so many bytes: rows of a study
come to ten or twenty, and what is made to fill a disk to a thousand."""
_BLOCK = 1 << 20
_LEFT_OUT = ("sessions.session", "contenttypes.contenttype", "auth.permission")
"""Made anew by the database itself, or worth nothing in another."""


def back_up(folder: Path, out: Path) -> int:
    """Write a study's backup, readable by its owner only; Django is set up for the folder.

    The database is of one moment. The file appears when it is complete and was read back.

    Returns
    -------
    int
        Its size in bytes.

    Raises
    ------
    UserError
        Where there is a file already, or the database is damaged.

    """
    if out.exists():
        raise UserError("there is a file already.", where=str(out), fix="Name another --out.")
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(f".{out.name}.part")
    try:
        with tempfile.TemporaryDirectory() as scratch, _private(part) as file:
            database = _dump(Path(scratch))
            parts = {database.name: database, SECRET: folder / SECRET, STUDY: folder / STUDY}
            _pack({name: path for name, path in parts.items() if path.is_file()}, file)
        check_backup(part)
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
    return out.stat().st_size


def check_backup(file: Path) -> dict[str, Any]:
    """Return what a backup says of itself, once each of its parts was found whole.

    Raises
    ------
    UserError
        Where it is no backup, holds a name that no backup has, or a part was changed.

    """
    try:
        with zipfile.ZipFile(file) as archive:
            about = _about(archive, file)
            for name, digest in about["parts"].items():
                with archive.open(name) as part:
                    if _digest(part) != digest:
                        raise _damaged(file, f"{name} is not what was written")
    # What `zipfile` raises for parts that are torn, packed in ways it cannot read, or encrypted
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise _damaged(file, str(error)) from None
    return about


def unpack(file: Path, folder: Path) -> dict[str, Any]:
    """Unpack a backup into a new study folder; of a ``data.json`` the database is still to be made.

    Raises
    ------
    UserError
        Where the folder is not empty, the backup is not whole, or the disk has no room for it.

    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError("the folder is not empty.", where=str(folder), fix="Name a new --out.")
    about = check_backup(file)
    there = folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with zipfile.ZipFile(file) as archive:
            _refuse_no_room(archive, folder)
            for name in about["parts"]:  # names that `_about` has compared with PARTS
                with archive.open(name) as part, _private(folder / name) as out:
                    shutil.copyfileobj(part, out, _BLOCK)
        if DATABASE in about["parts"]:
            _check_sqlite(folder / DATABASE, file)
    except BaseException:
        for name in about["parts"]:
            (folder / name).unlink(missing_ok=True)
        if not there:
            folder.rmdir()
        raise
    return about


def load_data(folder: Path) -> None:
    """Load ``data.json`` of an unpacked backup into the empty database that Django is set up for.

    Raises
    ------
    UserError
        Where the database holds a study.

    """
    from django.core.management import call_command

    from attunement.studies.models import Event, Study

    if Study.objects.exists() or Event.objects.exists():
        raise UserError("the database holds a study already.", where="DATABASE_URL")
    call_command("loaddata", str(folder / DATA), verbosity=0)
    (folder / DATA).unlink()


def _dump(scratch: Path) -> Path:
    """Write the database as it is at one moment; return the file."""
    from django.db import connection

    if connection.vendor == "sqlite":
        made = scratch / DATABASE
        connection.ensure_connection()
        with closing(sqlite3.connect(made)) as copy:
            connection.connection.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")  # one file, with no log beside it
            copy.execute("VACUUM")  # what people withdrew is not left in unused pages
        _check_sqlite(made, Path("the study"))
        return made
    made = scratch / DATA
    _dump_rows(made)
    return made


def _dump_rows(out: Path) -> None:
    """Write every row as Django's ``loaddata`` reads it, times to the microsecond."""
    from django.apps import apps
    from django.core import serializers
    from django.core.serializers.json import DjangoJSONEncoder

    from attunement.studies.snapshot import snapshot

    class Exact(DjangoJSONEncoder):
        def default(self, o: Any) -> Any:
            return o.isoformat() if isinstance(o, datetime) else super().default(o)

    with snapshot(), out.open("w", encoding="utf-8") as stream:
        every = [(config, None) for config in apps.get_app_configs()]
        models = serializers.sort_dependencies(every, allow_cycles=True)
        rows = (
            row
            for model in models
            if model._meta.label_lower not in _LEFT_OUT
            for row in model._base_manager.order_by("pk").iterator()
        )
        serializers.serialize(
            "json",
            rows,
            stream=stream,
            cls=Exact,
            use_natural_foreign_keys=True,
            use_natural_primary_keys=True,
        )


def _pack(parts: dict[str, Path], file: IO[bytes]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        digests = {}
        for name, path in parts.items():
            with path.open("rb") as content:
                digests[name] = _digest(content)
            archive.write(path, name)
        about = {
            "attunement_backup": FORMAT,
            "version": version("attunement"),
            "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "parts": digests,
        }
        archive.writestr(ABOUT, json.dumps(about, indent=2))


def _about(archive: zipfile.ZipFile, file: Path) -> dict[str, Any]:
    names = [entry.filename for entry in archive.infolist()]
    if ABOUT not in names:
        raise _damaged(file, f"it has no {ABOUT}")
    _refuse_huge(archive, file)
    try:
        about = decode_json(archive.read(ABOUT))
    except ValueError:
        about = None
    parts = about.get("parts") if isinstance(about, dict) else None
    if not isinstance(about, dict) or not isinstance(parts, dict):
        raise _damaged(file, f"its {ABOUT} cannot be read")
    if about.get("attunement_backup") != FORMAT:
        raise UserError(
            "the backup is of another version of attunement.",
            where=str(file),
            fix=f"It was written by {str(about.get('version'))[:40]}.",
        )
    # Only these names, each once: nothing in an archive says where it is written to
    if sorted(names) != sorted([ABOUT, *parts]) or not set(parts) <= set(PARTS):
        raise _damaged(file, "it holds a file that no backup has")
    if SECRET not in parts or (DATABASE in parts) == (DATA in parts):
        raise _damaged(file, "a part is missing")
    return about


def _refuse_huge(archive: zipfile.ZipFile, file: Path) -> None:
    """Refuse what no study comes to, before it is unpacked: no part has more than it says."""
    for entry in archive.infolist():
        size = entry.file_size
        too_much = size > max(SMALL, MOST_FOLD * entry.compress_size)
        if too_much or size > MOST_BYTES.get(entry.filename, size):
            raise _damaged(file, f"{entry.filename[:40]!r} would be {size:,} bytes large")


def _refuse_no_room(archive: zipfile.ZipFile, folder: Path) -> None:
    """Refuse to fill a disk."""
    wanted = sum(entry.file_size for entry in archive.infolist())
    if wanted > (free := shutil.disk_usage(folder).free):
        raise UserError(
            f"the study takes {wanted:,} bytes, and {free:,} are free.",
            where=str(folder),
            fix="Make room, or name an --out on another disk.",
        )


def _check_sqlite(path: Path, where: Path) -> None:
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            found = database.execute("PRAGMA integrity_check").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise _damaged(where, str(error)) from None
    if found != "ok":
        raise _damaged(where, str(found).splitlines()[0])


def _damaged(file: Path, why: str) -> UserError:
    return UserError(f"not a whole backup: {why}.", where=str(file), fix="Take another copy of it.")


def _digest(part: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while block := part.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest()


def _private(path: Path) -> IO[bytes]:
    """Open a new file that only its owner can read."""
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b")
