"""Write the first migration of the studies' database again from its models.

Until the first release there is one migration, since no database in use has an older one. After
it, call Django's own ``makemigrations`` instead.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from attunement.studies import folder

FIRST = Path(folder.__file__).parent / "migrations" / "0001_initial.py"


def main() -> None:
    """Write ``migrations/0001_initial.py``."""
    with tempfile.TemporaryDirectory() as scratch:
        study = Path(scratch) / "study"
        folder.create_folder(study)
        FIRST.unlink(missing_ok=True)
        folder.setup(study)
        from django.core.management import call_command

        call_command("makemigrations", "studies", include_header=False, verbosity=1)


if __name__ == "__main__":
    main()
