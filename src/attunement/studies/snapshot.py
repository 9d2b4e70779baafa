"""Reading the whole database as it was at one moment, while raters go on saving."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def snapshot() -> Iterator[None]:
    """Let everything that is read in the block be of one moment; nobody's saves wait for it.

    Inside a transaction it is that one's moment.
    """
    if connection.in_atomic_block:
        yield
        return
    if connection.vendor == "sqlite":
        # A study's transactions take the writer's place at once; a reader must not
        usual = connection.transaction_mode  # type: ignore[attr-defined]
        connection.ensure_connection()
        connection.transaction_mode = "DEFERRED"  # type: ignore[attr-defined]
        try:
            with transaction.atomic():
                yield
        finally:
            connection.transaction_mode = usual  # type: ignore[attr-defined]
        return
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield
