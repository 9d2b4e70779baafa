"""The journal of served turns: what was said, the plan, every candidate, and which was chosen.

It holds what people wrote, in clear: only its owner can read the file.
"""

from __future__ import annotations

import json
import os
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attunement import own_file
from attunement.errors import UserError
from attunement.inspect_bridge import Settings
from attunement.respond.planned import Outcome
from attunement.respond.record import candidates_table

_ABOUT = ("source", "item_id", "strategy", "tagger", "planner")
_PLAN = ("plan", "plan_kind", "plan_status", "plan_reason")


class TurnJournal:
    """An append-only JSONL file, a line a turn.

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
            self._file = own_file.open_own(path)
            path.chmod(0o600)  # it may have been there before
        except OSError as error:
            raise UserError(f"cannot write here: {error.strerror}.", where=str(path)) from None
        if not own_file.hold(self._file):
            self._file.close()
            raise UserError(
                "another endpoint is writing to this journal.",
                where=str(path),
                fix="Stop it, or give another --journal.",
            )
        size = self._file.seek(0, os.SEEK_END)
        if size and os.pread(self._file.fileno(), 1, size - 1) != b"\n":
            own_file.append(self._file, b"\n")  # a kill left the last line unfinished

    def add(self, entry: dict[str, Any]) -> None:
        """Write a turn down."""
        told = {"at": datetime.now(UTC).isoformat(), **entry}
        line = json.dumps(told, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
        with self._lock:
            own_file.append(self._file, line)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


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
