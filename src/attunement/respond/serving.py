"""Serving an endpoint on this machine."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attunement.errors import UserError
from attunement.respond.endpoint import LARGEST_BODY, Endpoint

HOST = "127.0.0.1"
THREADS = 16
"""Turns that are answered at once."""


class Server:
    """A server that listens; ``run`` answers until it is stopped.

    Parameters
    ----------
    waitress
        Waitress's own.
    port
        Where it listens.
    """

    def __init__(self, waitress: Any, port: int) -> None:
        self._waitress = waitress
        self._port = port

    @property
    def base_url(self) -> str:
        """The address that clients are given."""
        return f"http://{HOST}:{self._port}/v1"

    def run(self) -> None:
        """Answer requests until interrupted."""
        self._waitress.run()

    def stop(self) -> None:
        """Stop listening; what is under way is given a moment."""
        self._waitress.close()
        self._waitress.task_dispatcher.shutdown()


@contextmanager
def serving(endpoint: Endpoint, port: int = 0) -> Iterator[Server]:
    """Listen on loopback for as long as the context lasts.

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
    from waitress import create_server

    listening = _bound(port)
    waitress = create_server(
        endpoint,
        sockets=[listening],
        threads=THREADS,
        ident=None,
        # A little more than is read, so that what is too large is said in JSON
        max_request_body_size=8 * LARGEST_BODY,
        # Without it Waitress does not notice that a client has hung up
        channel_request_lookahead=1,
    )
    server = Server(waitress, listening.getsockname()[1])
    try:
        yield server
    finally:
        server.stop()


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
