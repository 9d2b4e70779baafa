"""The studies' own settings, on a study folder that is made for this test process."""

import os
import tempfile
from pathlib import Path

from attunement.studies.folder import FOLDER, create_folder

_folder = Path(tempfile.mkdtemp(prefix="attunement-study-"))
create_folder(_folder / "study")
os.environ[FOLDER] = str(_folder / "study")

from attunement.studies.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # quick, for tests only
# One process, and a cache that no test has to ask the database for; real servers are tested apart
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    }
}
