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
    from attunement.studies.folder import DATABASE, migrate, setup

    if not file.is_file():
        raise UserError("no such file.", where=str(file), fix="Check the path.")
    if DATABASE in backup.check_backup(file)["parts"] and os.environ.get("DATABASE_URL"):
        raise UserError(
            "the backup holds a SQLite database, and DATABASE_URL names another.",
            where=str(file),
            fix="Restore it without DATABASE_URL.",
        )
    backup.unpack(file, folder)
    setup(folder)
    migrate()
    if (folder / backup.DATA).is_file():
        backup.load_data(folder)
