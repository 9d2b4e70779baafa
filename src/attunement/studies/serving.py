"""One of the processes that serve a study: ``serving.py REPLIES PROXY PIPE SOCKET...``.

`attunement.studies.server` starts it; the study's folder is in the environment.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import NoReturn

from attunement.studies import folder, processes


def main(replies: str, proxy: str, pipe: str, *sockets: str) -> None:
    """Serve on sockets that are there already, until told to end or the parent is gone."""
    threading.Thread(target=processes.end_with, args=(int(pipe),), daemon=True).start()
    signal.signal(signal.SIGTERM, _stop)
    folder.setup(Path(os.environ[folder.FOLDER]))
    from attunement.studies import server

    listening = [socket.socket(fileno=int(number)) for number in sockets]
    server.serve_on({"sockets": listening}, proxy=proxy or None, replies=bool(replies))


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
