"""Making and checking a study from its file."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from attunement.errors import UserError

if TYPE_CHECKING:
    from attunement.studies.checking import Found
    from attunement.studies.design import Design


def make(file: Path, folder: Path, *, password: str | None, demo: bool = False) -> str:
    """Make a study's folder and database, open its first stage, and return the owner's password.

    What was made is taken away again where anything is wrong.
    """
    from attunement.studies import folder as folders
    from attunement.studies.checking import read_text

    text = read_text(file)
    there = folder.exists()
    folders.create_folder(folder)
    try:
        if not there:
            folder.chmod(0o700)
        (folder / folders.STUDY).write_text(text, encoding="utf-8")
        if not os.environ.get("DATABASE_URL"):
            (folder / folders.DATABASE).touch(mode=0o600)  # SQLite's other files take it over
        folders.setup(folder)
        folders.migrate()
        from django.db import transaction

        from attunement.studies.models import Study
        from attunement.studies.opening import make_study
        from attunement.studies.owner import make_owner

        if Study.objects.exists():
            raise UserError("the database holds a study already.", where="DATABASE_URL")
        with transaction.atomic():
            made = make_owner(password)
            make_study(text, file.parent, demo=demo)
    except BaseException:
        _take_away(folder, there)
        raise
    return made


def _take_away(folder: Path, there: bool) -> None:
    from attunement.studies import folder as folders

    database = [f"{folders.DATABASE}{end}" for end in ("", "-wal", "-shm")]
    for name in (folders.SECRET, folders.STUDY, *database):
        (folder / name).unlink(missing_ok=True)
    if not there:
        shutil.rmtree(folder, ignore_errors=True)


def check(file: Path, *, reach: bool) -> tuple[Found, Design | None]:
    """Return what is wrong with a study, and what it asks of people where nothing is.

    The study is made in a scratch folder, so that the numbers are those of the real one.
    """
    from attunement.studies.checking import check_files

    found = check_files(file)
    if found.problems or found.study is None:
        return found, None
    os.environ.pop("DATABASE_URL", None)  # a check leaves every real database alone
    with tempfile.TemporaryDirectory() as scratch:
        try:
            make(file, Path(scratch) / "study", password=None)
        except UserError as error:
            found.problems.append(str(error))
            return found, None
        from django.db import connection

        from attunement.studies.checks import warnings_of
        from attunement.studies.design import design_of_study

        design = design_of_study()
        found.warnings += warnings_of(found.study, file.parent, ask=reach)
        connection.close()
    return found, design
