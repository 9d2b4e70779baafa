"""Serving a study, and the links to it."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from attunement.cli._common import console
from attunement.cli._study_folder import open_folder, set_up, web_environment
from attunement.errors import UserError
from attunement.loopback import is_loopback_host

if TYPE_CHECKING:
    from attunement.studies.models import Participant

SHOWN = 3
"""Personal links of a demonstration that are printed."""


def run(folder: Path, host: str, port: int, base_url: str | None, proxy: str | None) -> None:
    """Serve a study until it is stopped."""
    https = web_environment(base_url)
    _warn(host, base_url, https)
    _refuse_taken(host, port)
    set_up(folder)
    from attunement.studies.folder import migrate

    migrate()
    study = open_folder(folder)
    from attunement.studies import server

    base = base_url or address(host, port)
    show = console()
    show.print(f"Serving {study.key} on {base.rstrip('/')} (Ctrl-C stops it).", markup=False)
    show.print(f"Your pages: {base.rstrip('/')}/owner/", markup=False)
    if study.demo:
        _show_links(base.rstrip("/"))
    server.serve(host, port, proxy=proxy if https else None)
    show.print("Stopped. Everything that was shown as saved is saved.")


def address(host: str, port: int) -> str:
    """Return the address at which this machine reaches the server."""
    shown = "127.0.0.1" if host in ("", "0.0.0.0", "::", "localhost") else host
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


def link_of(base: str, person: Participant) -> str:
    """Return a participant's whole personal link."""
    from attunement.studies import links

    return f"{base.rstrip('/')}{links.path(person)}"


def _show_links(base: str) -> None:
    from attunement.studies.invitations import free_places
    from attunement.studies.views.once import login_path

    show = console()
    show.print("This is a demonstration on made-up messages.")
    show.print(f"Log in once, without a password: {base}{login_path()}", markup=False)
    for person in free_places()[:SHOWN]:
        show.print(f"Take part as {person.code}: {link_of(base, person)}", markup=False)


def _warn(host: str, base_url: str | None, https: bool) -> None:
    if https or (is_loopback_host(host) and base_url is None):
        return
    show = console()
    if base_url is None:
        show.print(
            "Warning: other machines reach this server, and it answers to no name of theirs. Give "
            "--base-url with the address that participants use.",
            markup=False,
            style="yellow",
        )
    show.print(
        "Warning: without HTTPS everybody on the way can read personal links, passwords and "
        "answers. Put a proxy that speaks HTTPS in front and give --base-url https://...",
        markup=False,
        style="yellow",
    )


def _refuse_taken(host: str, port: int) -> None:
    """Say so before anything else where another program has the port."""
    try:
        for kind, _, _, _, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[:1]:
            with socket.socket(kind, socket.SOCK_STREAM) as tried:
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                tried.bind(place)
    except OSError as error:
        raise UserError(
            f"cannot serve on {host} port {port}: {error.strerror or error}.",
            fix="Give another --port or --host.",
        ) from None


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Let what is under way be finished where the process is told to end."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise SystemExit(0)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
