"""The journal: every reply on disk the moment it arrives, so that nothing is paid for twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from contextlib import closing
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attunement import own_file
from attunement.errors import UserError
from attunement.inspect_bridge._types import LOCAL, Call, ModelSpec, Reply

_NOT_STORED = ("key", "cached", "error")


def identity(spec: ModelSpec, call: Call) -> str:
    """Return 32 hex digits that change when anything that could change the answer does.

    The call's key is part of it: replicates with the same words are different calls. Connections,
    retries, time-outs, prices and the name are not.
    """
    settings = spec.settings
    what = {
        "key": call.key,
        "model": spec.model,
        # the embedded model's server has another port every time
        "base_url": None if spec.model == LOCAL else spec.base_url,
        "messages": [[m.role, m.text] for m in call.messages],
        "schema": call.schema,
        "local": call.local if spec.model == LOCAL else None,
        "seed": settings.seed if call.seed is None else call.seed,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "max_tokens": settings.max_tokens,
        "stop": list(settings.stop),
    }
    text = json.dumps(what, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Journal:
    """An append-only JSONL file, one line a reply: ``id``, ``key``, ``at``, ``reply`` or ``error``.

    Only its owner can read it: replies repeat what people wrote.
    Holds in memory where each answer stands in the file, not the answers. Errors are written down
    but not found again, so that they are asked again.

    Parameters
    ----------
    path
        The file; made with its folder where it is not there.

    Raises
    ------
    UserError
        Where another run holds the file, or it cannot be written.

    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.unreadable = 0
        self._places: dict[bytes, int] = {}
        try:
            self._file = own_file.open_own(path)
        except OSError as error:
            raise UserError(
                f"cannot write here: {error.strerror}.",
                where=str(path),
                fix="Choose another folder.",
            ) from None
        try:
            self._lock()
            self._read()
        except BaseException:
            self._file.close()
            raise

    def _lock(self) -> None:
        if not own_file.hold(self._file):
            raise UserError(
                "another run is writing to this journal.",
                where=str(self.path),
                fix="Wait for it to end, or use another run folder.",
            )

    def _read(self) -> None:
        """Index the answers, and cut off a last line that a kill left unfinished."""
        place = 0
        self._file.seek(0)
        for line in self._file:
            if not line.endswith(b"\n"):
                self._file.truncate(place)
                break
            entry = _parse(line)
            if entry is None:
                self.unreadable += 1
            elif "reply" in entry:
                self._places[bytes.fromhex(entry["id"])] = place
            place += len(line)
        self._end = place

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, id_: str) -> bool:
        return bytes.fromhex(id_) in self._places

    def find(self, id_: str) -> Reply | None:
        """Return the answer that arrived for a call, or None."""
        place = self._places.get(bytes.fromhex(id_))
        if place is None:
            return None
        self._file.seek(place)
        entry = _parse(self._file.readline())
        if entry is None:  # changed under our hands; ask again
            return None
        return Reply(key=entry["key"], cached=True, **entry["reply"])

    def add(self, id_: str, reply: Reply) -> None:
        """Write a reply down and hand it to the operating system before returning."""
        entry: dict[str, Any] = {"id": id_, "key": reply.key, "at": datetime.now(UTC).isoformat()}
        if reply.error is None:
            stored = asdict(replace(reply, cached=False))
            entry["reply"] = {k: v for k, v in stored.items() if k not in _NOT_STORED}
        else:
            entry["error"] = reply.error
        line = json.dumps(entry, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
        own_file.append(self._file, line)
        if reply.error is None:
            self._places[bytes.fromhex(id_)] = self._end
        self._end += len(line)

    def close(self) -> None:
        """Close the file and let others write to it."""
        self._file.close()


def count_answered(spec: ModelSpec, calls: Iterable[Call], journal: Path | None) -> int:
    """Return how many of the calls a journal answers already, without asking or making a file."""
    if journal is None or not journal.exists():
        return 0
    with closing(Journal(journal)) as book:
        return sum(identity(spec, call) in book for call in calls)


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
        bytes.fromhex(entry["id"])
        if "reply" in entry:
            Reply(key=entry["key"], **entry["reply"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None
