"""Serving an endpoint on this machine."""

from __future__ import annotations

import socket
import threading
from typing import Any

from attunement.errors import UserError
from attunement.respond.endpoint import LARGEST_BODY, Endpoint

HOST = "127.0.0.1"
THREADS = 16
"""Turns that are answered at once."""
LOOK_EVERY_S = 1.0


class Server:
    """A server that listens; ``run`` answers until it is stopped.

    Parameters
    ----------
    endpoint
        The application.
    port
        0 takes one that is free.

    Raises
    ------
    UserError
        Where another program has the port.
    """

    def __init__(self, endpoint: Endpoint, port: int = 0) -> None:
        from waitress import create_server

        listening = _bound(port)
        self._port = listening.getsockname()[1]
        self._stopped = threading.Event()
        self._open: dict[int, Any] = {}
        self._waitress: Any = create_server(
            endpoint,
            map=self._open,
            sockets=[listening],
            threads=THREADS,
            ident=None,
            # A little more than is read, so that what is too large is said in JSON
            max_request_body_size=8 * LARGEST_BODY,
            # Without it Waitress does not notice that a client has hung up
            channel_request_lookahead=1,
        )

    @property
    def base_url(self) -> str:
        """The address that clients are given."""
        return f"http://{HOST}:{self._port}/v1"

    def run(self) -> None:
        """Answer requests until `stop` is called, or the process interrupted."""
        from waitress import wasyncore

        try:
            while not self._stopped.is_set():
                wasyncore.loop(timeout=LOOK_EVERY_S, map=self._open, count=1)
        except (SystemExit, KeyboardInterrupt):
            pass
        finally:
            self.close()

    def stop(self) -> None:
        """Let `run` end, from another thread."""
        self._stopped.set()
        if self._open:
            self._waitress.pull_trigger()

    def close(self) -> None:
        """Give what is under way a moment, and close every connection."""
        from waitress import wasyncore

        self._waitress.task_dispatcher.shutdown()
        wasyncore.close_all(self._open)


def _bound(port: int) -> socket.socket:
    """Return a socket of this machine's own; Waitress leaves files open where it finds none."""
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((HOST, port))
    except OSError as error:
        bound.close()
        raise UserError(
            f"cannot serve on port {port}: {error.strerror or error}.", fix="Give another --port."
        ) from None
    return bound
