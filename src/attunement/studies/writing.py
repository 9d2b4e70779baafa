"""Writing to the database: on SQLite one thread after the other, without polling for its lock."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from django.db import connection

_WRITER = threading.Lock()


@contextlib.contextmanager
def one_writer() -> Iterator[None]:
    """Let one thread of this process write at a time, where the database is SQLite.

    SQLite has one writer anyway, and a thread that finds it busy sleeps and tries again, up to a
    tenth of a second at a time. A lock hands over at once. PostgreSQL needs none of this.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    with _WRITER:
        yield
