"""Making and checking a study from its file."""

from __future__ import annotations

import os
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
    for name in (folders.STUDY, folders.DATABASE):
        if (folder / name).exists() and not (folder / folders.SECRET).exists():
            raise UserError(
                f"there is a {name} already, which would be replaced.",
                where=str(folder),
                fix="Give the study a folder of its own.",
            )
    folders.create_folder(folder)
    try:
        (folder / folders.STUDY).write_text(text, encoding="utf-8")
        folders.keep_private(folder, whole=not there)
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
        folders.take_away(folder, whole=not there)
        raise
    return made


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

        from attunement.studies.checks import sizes, unreachable, warnings_of
        from attunement.studies.design import design_of_study

        design = design_of_study()
        found.warnings += [
            *warnings_of(found.study, file.parent),
            *sizes(found.study, design.items),
        ]
        if reach:
            found.problems += unreachable(found.study)
        connection.close()
    return found, design
