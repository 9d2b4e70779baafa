"""The production server: Waitress, one process, a pool of threads."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from attunement.runs import locked

THREADS = 16

application = get_wsgi_application()


def serve(host: str, port: int, *, proxy: str | None = None) -> None:
    """Serve until interrupted; where participants chat, replies are written beside it.

    Raises
    ------
    UserError
        Where another server has this study: the two would disturb each other's replies.

    """
    from waitress import serve as run

    with locked(settings.STUDY_FOLDER, "this study is being served already."), _replies():
        run(application, host=host, port=port, **options(proxy=proxy))


def _replies() -> AbstractContextManager[object]:
    from attunement.studies.chat.worker import Worker
    from attunement.studies.opened import described

    return Worker() if described().protocol.type == "chat-then-rate" else nullcontext()


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
