"""The production server: Waitress, a process a core, a pool of threads in each."""

from __future__ import annotations

import contextlib
import os
import sys
from contextlib import AbstractContextManager
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from attunement.runs import locked
from attunement.studies import processes
from attunement.studies.opened import the_study

THREADS = 8
"""Of each process: they work in turn anyway, and more of them only get in each other's way."""
MOST_PROCESSES = 4
"""There is one for each core up to so many; a demonstration has one."""

application = get_wsgi_application()


def serve(host: str, port: int, *, proxy: str | None = None) -> None:
    """Serve until interrupted; where participants chat, replies are written beside it.

    Raises
    ------
    UserError
        Where another server has this study: the two would disturb each other's replies.

    """
    with locked(settings.STUDY_FOLDER, "this study is being served already."):
        count = min(MOST_PROCESSES, os.cpu_count() or 1)
        if count == 1 or the_study().demo or not processes.POSSIBLE:
            serve_on({"host": host, "port": port}, proxy=proxy, replies=True)
            return
        program = [sys.executable, "-m", "attunement.studies.serving"]
        replying = ["yes", *[""] * (count - 1)]
        with contextlib.ExitStack() as stack:
            sockets = [stack.enter_context(one) for one in processes.listen(host, port)]
            processes.run([[*program, replies, proxy or ""] for replies in replying], sockets)


def serve_on(where: dict[str, Any], *, proxy: str | None, replies: bool) -> None:
    """Serve in this process until interrupted.

    Parameters
    ----------
    where
        ``host`` and ``port``, or ``sockets`` that listen already.
    proxy
        As for `serve`.
    replies
        Whether this process writes the replies in conversations; one of them does.

    """
    from waitress import serve as run

    with _replies() if replies else contextlib.nullcontext():
        run(application, **where, **options(proxy=proxy))


def _replies() -> AbstractContextManager[object]:
    from attunement.studies.chat.worker import Worker
    from attunement.studies.opened import described

    return Worker() if described().protocol.type == "chat-then-rate" else contextlib.nullcontext()


def options(*, proxy: str | None = None) -> dict[str, Any]:
    """Return Waitress's settings: no banner, small requests, patience with slow networks.

    What a proxy says of whom it speaks for is believed of ``proxy`` only, the address of one that
    speaks HTTPS.
    """
    trusted = {
        "trusted_proxy": proxy,
        "trusted_proxy_headers": {"x-forwarded-for", "x-forwarded-proto"},
    }
    return {
        **(trusted if proxy is not None else {}),
        "threads": THREADS,
        "ident": None,
        "max_request_body_size": 1_048_576,
        "max_request_header_size": 32_768,
        "channel_timeout": 60,
        # With the database's own files within the 1024 that a process may usually have open
        "connection_limit": 900,
        "asyncore_use_poll": True,  # select() takes no file with a higher number
    }
