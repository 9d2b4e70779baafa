"""Several processes on one port: all answer, one that ends is started again, none is left over."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from attunement.errors import UserError
from attunement.studies import processes

pytestmark = pytest.mark.skipif(
    not processes.POSSIBLE, reason="sockets cannot be handed on here, and one process serves"
)

CHILD = """
import os, socket, sys, threading
from attunement.studies.processes import end_with
threading.Thread(target=end_with, args=(int(sys.argv[1]),), daemon=True).start()
listening, kept = socket.socket(fileno=int(sys.argv[2])), []
while True:
    one, _ = listening.accept()
    one.sendall(b"%d\\n" % os.getpid())
    kept.append(one)
"""

PARENT = f"""
import signal, sys
from attunement.studies import processes
signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
sockets = processes.listen("127.0.0.1", 0)
print(sockets[0].getsockname()[1], flush=True)
processes.run([[sys.executable, "-c", {CHILD!r}]] * 2, sockets)
"""


@contextmanager
def parent() -> Iterator[tuple["subprocess.Popen[str]", int]]:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as one:
        assert one.stdout is not None
        try:
            yield one, int(one.stdout.readline())
        finally:
            one.kill()


def connect(port: int) -> tuple[socket.socket, int]:
    """Return a connection to one of the children, and which one it is."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    return connection, int(connection.recv(100))


def has_ended(connection: socket.socket) -> bool:
    """Wait for the end of whoever is at the other end."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_children_end_with_their_parent(how: signal.Signals) -> None:
    with parent() as (process, port):
        connection, child = connect(port)
        with connection:
            assert child != process.pid
            process.send_signal(how)
            assert has_ended(connection)


@pytest.mark.slow
def test_a_child_that_ends_is_replaced() -> None:
    with parent() as (_, port):
        connections, children = [], set()
        # Both are up before one of them goes
        while len(children) < 2:
            connection, child = connect(port)
            connections.append(connection)
            children.add(child)
        for child in children:
            os.kill(child, signal.SIGKILL)
        assert all(has_ended(connection) for connection in connections)
        connection, child = connect(port)
        connections.append(connection)
        assert child not in children
        for connection in connections:
            connection.close()


def test_a_program_that_ends_at_once_is_not_started_for_ever() -> None:
    (listening,) = processes.listen("127.0.0.1", 0)
    with listening, pytest.raises(UserError, match="as soon as it is started"):
        processes.run([[sys.executable, "-c", "raise SystemExit(1)"]], [listening])
