"""Several server processes on one port, since a Python process works on one core.

They are started afresh and get the listening sockets: the threads of a library, such as Polars',
do not survive a fork.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
from collections.abc import Sequence

from attunement.errors import UserError

POSSIBLE = os.name == "posix"
"""Whether a process can hand its sockets on to those it starts."""
SOON_S = 5.0
MOST_FAILURES = 3
"""A process that ends so soon, so often in a row, will not do better the next time."""
LOOK_EVERY_S = 0.2


def listen(host: str, port: int) -> list[socket.socket]:
    """Return listening sockets, one for each address of a host.

    Raises
    ------
    OSError
        Where the port is taken.

    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    sockets = []
    for family, address in dict.fromkeys((kind, place) for kind, _, _, _, place in found):
        one = socket.socket(family, socket.SOCK_STREAM)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        one.bind(address)
        one.listen(1024)
        sockets.append(one)
    return sockets


def run(commands: Sequence[Sequence[str]], sockets: Sequence[socket.socket]) -> None:
    """Run programs that share listening sockets until this process is interrupted.

    One that ends is started again. On SIGTERM and Ctrl-C each finishes what is under way; where
    this process is killed they end at once (`end_with`).

    Parameters
    ----------
    commands
        Programs; behind each command go the file number of a pipe for `end_with` and those of
        ``sockets``.
    sockets
        As `listen` returns them.

    Raises
    ------
    UserError
        Where a program keeps ending as soon as it was started.

    """
    theirs, mine = os.pipe()
    numbers = [theirs, *(one.fileno() for one in sockets)]

    def start(command: Sequence[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen([*command, *map(str, numbers)], pass_fds=numbers)

    programs = [start(command) for command in commands]
    begun = [time.monotonic()] * len(programs)
    failures = 0
    try:
        while True:
            time.sleep(LOOK_EVERY_S)
            for place, program in enumerate(programs):
                if program.poll() is None:
                    continue
                lasted = time.monotonic() - begun[place]
                failures = failures + 1 if lasted < SOON_S else 0
                if failures == MOST_FAILURES:
                    raise UserError("the server ends as soon as it is started; see above.")
                programs[place], begun[place] = start(commands[place]), time.monotonic()
    finally:
        for program in programs:
            program.terminate()
        for program in programs:
            program.wait()
        os.close(mine)
        os.close(theirs)


def end_with(pipe: int) -> None:
    """Wait until the process at the other end of a pipe is gone, then end this one at once."""
    with contextlib.suppress(OSError):
        os.read(pipe, 1)  # nobody writes to it
    os._exit(1)
