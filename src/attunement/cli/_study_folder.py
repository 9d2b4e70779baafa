"""What every command on a study's folder does first."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from attunement.cli._common import friendly as usual
from attunement.errors import UserError

if TYPE_CHECKING:
    from attunement.studies.models import Study

BY = "command line"
"""Who did it, in the audit log."""


P = ParamSpec("P")
R = TypeVar("R")


def friendly(command: Callable[P, R]) -> Callable[P, R]:
    """Turn what a database refuses into a message too: a full disk, a folder that is read only."""

    @wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except Exception as error:
            # Django is loaded by those commands only that need it
            django = sys.modules.get("django.db.utils")
            if django is None or not isinstance(error, django.DatabaseError):
                raise
            said = " ".join(str(error).split())
            raise UserError(
                f"the database refuses: {said}.",
                fix="Is the disk full, the folder read only, or the server of the database down?",
            ) from None

    return usual(wrapped)


def open_folder(folder: Path) -> Study:
    """Set Django up for a study's folder, once a process, and return the study.

    Raises
    ------
    UserError
        Where there is no study, its database is elsewhere, or one is older than the program.

    """
    set_up(folder)
    from django.db import DatabaseError

    from attunement.studies.models import Study

    try:
        study = Study.objects.first()
    except DatabaseError:
        study = None
    if study is None:
        raise UserError(
            "there is no study in the database, or one of an older version.",
            where=str(folder),
            fix="'attunement study serve' brings an older database up to date. If DATABASE_URL is "
            "set, is it the one that the study was made with?",
        )
    return study


def set_up(folder: Path) -> None:
    """Set Django up for a study's folder, where its database is there.

    Raises
    ------
    UserError
        Where there is no study, or its database is elsewhere.

    """
    from attunement.studies.folder import DATABASE, SECRET, setup

    lost = (folder / SECRET).is_file() and not (folder / DATABASE).is_file()
    if lost and not os.environ.get("DATABASE_URL"):
        raise UserError(
            "the study's database is not there.",
            where=str(folder / DATABASE),
            fix="Set DATABASE_URL as it was when the study was made, or restore a backup.",
        )
    setup(folder)


def web_environment(base_url: str | None) -> bool:
    """Tell the settings under which address the study is served; return whether it is HTTPS.

    Raises
    ------
    UserError
        Where it is no web address.

    """
    if base_url is None:
        return False
    from urllib.parse import urlsplit

    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
        raise UserError(
            f"{base_url!r} is not the address of a server.",
            where="--base-url",
            fix="Give one such as https://study.example.org, with nothing behind the name.",
        )
    hosts = {h for h in os.environ.get("ATTUNEMENT_HOSTS", "").split(",") if h}
    os.environ["ATTUNEMENT_HOSTS"] = ",".join(sorted(hosts | {parts.hostname}))
    if parts.scheme == "https":
        os.environ["ATTUNEMENT_HTTPS"] = "1"
    return parts.scheme == "https"


def read_password(file: Path | None) -> str | None:
    """Return the first line of a file, None where none is named.

    Raises
    ------
    UserError
        Where it is empty.

    """
    if file is None:
        return None
    lines = file.read_text(encoding="utf-8").splitlines()
    if not lines or not lines[0].strip():
        raise UserError("the file is empty.", where=str(file), fix="Write the password into it.")
    return lines[0].strip()
