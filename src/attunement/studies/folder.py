"""A study's folder: the file that describes it, its secret, its database, and Django's setup."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path

from attunement.errors import UserError

FOLDER = "ATTUNEMENT_STUDY"
"""The environment variable with the study's folder, which the settings read."""

STUDY = "study.yaml"
DATABASE = "study.sqlite3"
SECRET = "secret.key"


def create_folder(folder: Path) -> None:
    """Make a study's folder with a secret of its own, readable by its owner only.

    Raises
    ------
    UserError
        Where there is a study already.

    """
    folder.mkdir(parents=True, exist_ok=True)
    secret = folder / SECRET
    if secret.exists():
        raise UserError("there is a study already.", where=str(folder), fix="Name another folder.")
    file = os.open(secret, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(file, "w") as out:
        out.write(secrets.token_urlsafe(48))


def take_away(folder: Path, *, whole: bool) -> None:
    """Remove what makes a folder a study, after it could not be made; or the whole folder."""
    names = [SECRET, STUDY, *(f"{DATABASE}{end}" for end in ("", "-wal", "-shm", "-turn"))]
    for name in names:
        (folder / name).unlink(missing_ok=True)
    if whole:
        shutil.rmtree(folder, ignore_errors=True)


def keep_private(folder: Path, *, whole: bool) -> None:
    """Let only their owner read the database to come, where it is in the folder; or all of it."""
    if whole:
        folder.chmod(0o700)
    if not os.environ.get("DATABASE_URL"):
        (folder / DATABASE).touch(mode=0o600)  # SQLite's other files take it over


def setup(folder: Path) -> None:
    """Set Django up for the study in a folder; once a process.

    Raises
    ------
    UserError
        Where the folder holds no study, or the extra ``studies`` is not installed.

    """
    if not (folder / SECRET).is_file():
        raise UserError(
            "there is no study here.",
            where=str(folder),
            fix="Make one with 'attunement study new STUDY.yaml --out FOLDER'.",
        )
    os.environ[FOLDER] = str(folder.resolve())
    os.environ["DJANGO_SETTINGS_MODULE"] = "attunement.studies.settings"
    try:
        import django
    except ImportError:
        raise UserError(
            "studies need a package that is not installed.", fix="pip install 'attunement[studies]'"
        ) from None
    django.setup()


def migrate() -> None:
    """Bring the database up to date."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0, interactive=False)
    call_command("createcachetable", verbosity=0)
