"""Several server processes on one port, since one Python process works on one core only."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

CAN_FORK = hasattr(os, "fork")


def run(work: Callable[[int], None], count: int) -> None:
    """Run ``work(0)`` to ``work(count - 1)`` in processes of their own until interrupted.

    One that dies is started again. All end with this process, also where it is killed; on SIGTERM
    and Ctrl-C each ends what it has begun first.
    """
    mine, theirs = os.pipe()
    children = {_start(work, number, mine, theirs): number for number in range(count)}
    try:
        while True:
            gone, _ = os.wait()
            number = children.pop(gone, None)
            if number is not None:
                children[_start(work, number, mine, theirs)] = number
    except (KeyboardInterrupt, SystemExit):
        pass
    finally:
        for child in children:
            os.kill(child, signal.SIGTERM)
        for child in children:
            os.waitpid(child, 0)
        os.close(mine)
        os.close(theirs)


def _start(work: Callable[[int], None], number: int, mine: int, theirs: int) -> int:
    child = os.fork()
    if child:
        return child
    os.close(theirs)
    threading.Thread(target=_die_with_parent, args=(mine,), daemon=True).start()
    signal.signal(signal.SIGTERM, _stop)
    code = 1
    try:
        work(number)
        code = 0
    except (KeyboardInterrupt, SystemExit):
        code = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _die_with_parent(pipe: int) -> None:
    os.read(pipe, 1)  # nobody writes: it returns when the parent, who holds the other end, is gone
    os._exit(1)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)


def listen(host: str, port: int) -> list[socket.socket]:
    """Return listening sockets of a host's addresses.

    Raises
    ------
    OSError
        Where the port is taken.

    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    sockets = []
    for kind, _, _, _, place in dict.fromkeys(found):
        one = socket.socket(kind, socket.SOCK_STREAM)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if kind == socket.AF_INET6:
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        one.bind(place)
        one.listen(1024)
        sockets.append(one)
    return sockets
