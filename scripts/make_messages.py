"""Collect the words that participants read, for translation, and compile the translations.

Needs GNU gettext. Pages of the study's owner are in English only and are left out.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from attunement.studies import folder

APP = Path(folder.__file__).parent
LEFT_OUT = ["migrations", "*owner*", "admin.py", "static"]


def main() -> None:
    """Update ``locale/it/LC_MESSAGES/django.po`` and its ``.mo``."""
    with tempfile.TemporaryDirectory() as scratch:
        study = Path(scratch) / "study"
        folder.create_folder(study)
        folder.setup(study)
        from django.core.management import call_command

        os.chdir(APP)
        call_command(
            "makemessages",
            locale=["it"],
            ignore_patterns=LEFT_OUT,
            no_wrap=True,
            no_obsolete=True,
            add_location="file",
        )
        _drop_dates(APP / "locale" / "it" / "LC_MESSAGES" / "django.po")
        call_command("compilemessages", locale=["it"], verbosity=0)


def _drop_dates(po: Path) -> None:
    """Leave out of the header what changes every time and says nothing."""
    lines = po.read_text("utf-8").splitlines(keepends=True)
    noise = ('"POT-Creation-Date:', '"Report-Msgid-Bugs-To:')
    po.write_text("".join(line for line in lines if not line.startswith(noise)), "utf-8")


if __name__ == "__main__":
    main()
