"""The journal of served turns: what was said, the plan, every candidate, and which was chosen.

It holds what people wrote, in clear: only its owner can read the file.
"""

from __future__ import annotations

import json
import os
import threading
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from attunement.errors import UserError
from attunement.inspect_bridge import Settings
from attunement.respond.planned import Outcome
from attunement.respond.record import candidates_table

try:
    import fcntl
except ImportError:  # Windows has no flock; there the journal is simply not locked
    fcntl = None  # type: ignore[assignment]

_ABOUT = ("source", "item_id", "strategy", "tagger", "planner")
_PLAN = ("plan", "plan_kind", "plan_status", "plan_reason")


class TurnJournal:
    """An append-only JSONL file, a line a turn; a context manager.

    Parameters
    ----------
    path
        The file; made with its folder where it is not there.

    Raises
    ------
    UserError
        Where it cannot be written, or another endpoint writes to it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            if path.exists() and not path.is_file() and not path.is_dir():
                raise UserError("this is no file.", where=str(path), fix="Give another --journal.")
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            os.fchmod(self._file, 0o600)  # it may have been there before
        except OSError as error:
            raise UserError(f"cannot write here: {error.strerror}.", where=str(path)) from None
        try:
            _lock(self._file)
        except OSError:
            os.close(self._file)
            raise UserError(
                "another endpoint is writing to this journal.",
                where=str(path),
                fix="Stop it, or give another --journal.",
            ) from None
        size = os.fstat(self._file).st_size
        if size and os.pread(self._file, 1, size - 1) != b"\n":
            os.write(self._file, b"\n")  # a kill left the last line unfinished

    def add(self, entry: dict[str, Any]) -> None:
        """Write a turn down."""
        told = {"at": datetime.now(UTC).isoformat(), **entry}
        line = json.dumps(told, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
        with self._lock:
            written = 0
            while written < len(line):
                written += os.write(self._file, line[written:])

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _lock(file: int) -> None:
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def entry(outcome: Outcome, settings: Settings, answer: str | None) -> dict[str, Any]:
    """Return what is kept of a turn that was answered, or could not be."""
    rows = candidates_table(outcome).to_dicts()
    first = rows[0]
    return {
        "model": outcome.name,
        **{name: first[name] for name in _ABOUT if name not in ("source", "item_id")},
        **{name: first[name] for name in _PLAN},
        "settings": {
            name: getattr(settings, name)
            for name in ("temperature", "top_p", "max_tokens", "seed", "stop")
        },
        "candidates": [
            {name: value for name, value in row.items() if name not in (*_ABOUT, *_PLAN)}
            for row in rows
        ],
        "answer": answer,
    }
