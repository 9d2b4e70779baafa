"""Restoring a study from its backup."""

from __future__ import annotations

import os
from pathlib import Path

from attunement.errors import UserError


def restore(file: Path, folder: Path) -> None:
    """Unpack a backup and bring its database up to date.

    Raises
    ------
    UserError
        Where it is not whole, or does not fit the database that DATABASE_URL names.

    """
    from attunement.studies import backup
    from attunement.studies import folder as folders

    if not file.is_file():
        raise UserError("no such file.", where=str(file), fix="Check the path.")
    if folders.DATABASE in backup.check_backup(file)["parts"] and os.environ.get("DATABASE_URL"):
        raise UserError(
            "the backup holds a SQLite database, and DATABASE_URL names another.",
            where=str(file),
            fix="Restore it without DATABASE_URL.",
        )
    there = folder.exists()
    backup.unpack(file, folder)
    try:
        folders.keep_private(folder, whole=not there)
        folders.setup(folder)
        folders.migrate()
        if (folder / backup.DATA).is_file():
            backup.load_data(folder)
        _refuse_empty(file)
    except BaseException:
        (folder / backup.DATA).unlink(missing_ok=True)
        folders.take_away(folder, whole=not there)
        raise


def _refuse_empty(file: Path) -> None:
    from attunement.studies.models import Study

    if not Study.objects.exists():
        raise UserError("the backup holds no study.", where=str(file), fix="Take another one.")
