"""Whether to go on asking: when a server does not work, it is said once and early."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from attunement.errors import UserError
from attunement.inspect_bridge._types import ModelSpec, Reply

Kind = Literal["answer", "error", "lost", "unreachable", "denied"]

FIRST = 3
"""So many first calls must fail alike before the whole run is called off."""
_ROW = 10
"""So many calls in a row must find no server once it had answered, or so many first calls fail in
any other way, to call the run off."""


@dataclass(frozen=True)
class Arrived:
    """A reply, and what it says of the server."""

    reply: Reply
    kind: Kind


class Verdict:
    """Holds the first failures back until it is clear whether the server works at all."""

    def __init__(self, spec: ModelSpec) -> None:
        self._spec = spec
        self._held: list[Arrived] = []
        self._works = False
        self._answered = False
        self._failed = 0
        self._in_a_row = 0
        self._enough = max(_ROW, 2 * spec.settings.max_connections)

    def on(self, arrived: Arrived, *, last: bool) -> list[Reply]:
        """Return the replies to hand on, or raise where there is no point in going on."""
        no_server = arrived.kind in ("lost", "unreachable")
        self._in_a_row = self._in_a_row + 1 if no_server else 0
        self._answered = self._answered or arrived.kind == "answer"
        self._failed += arrived.kind != "answer"
        if self._works:
            if self._in_a_row >= self._enough:
                raise self._error(arrived, "stopped answering")
            if not self._answered and self._failed >= self._enough:
                raise self._nothing(arrived)
            return [arrived.reply]
        self._held.append(arrived)
        if arrived.kind in ("answer", "error"):
            self._works = True
            return [a.reply for a in self._held]
        if last or len(self._held) >= FIRST:
            lost = arrived.kind == "lost"
            raise self._error(arrived, "drops every connection" if lost else "cannot be reached")
        return []

    def _error(self, arrived: Arrived, how: str) -> UserError:
        spec = self._spec
        where = f"model {spec.name}"
        if arrived.kind == "denied":
            key = spec.api_key_env or "the provider's key variable"
            return UserError(
                f"the server turns every call away ({arrived.reply.error}).",
                where=where,
                fix=f"Check the key in {key} and the model's name, {spec.model!r}.",
            )
        server = spec.base_url or "the provider's server"
        return UserError(
            f"{server} {how}.",
            where=where,
            fix="Check that it is running and that its address is right, then run the same "
            "command again: what had arrived is kept.",
        )

    def _nothing(self, arrived: Arrived) -> UserError:
        return UserError(
            f"none of the first {self._failed} calls was answered; the last one said: "
            f"{arrived.reply.error}.",
            where=f"model {self._spec.name}",
            fix="Mend what that names, then run the same command again.",
        )
