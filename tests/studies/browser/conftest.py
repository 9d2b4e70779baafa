"""A real server and a real browser.

``serve`` starts the studies' own server in a process of its own on a study made from keys, and
``browser`` is Debian's Chromium. Screenshots go to the folder ``ATTUNEMENT_SCREENSHOTS`` names, by
default the test's own.

A test here never touches Django: what the database holds it reads by `Served.rows`.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import sync_playwright

from stubs import study_files, study_server
from stubs.ports import free_port
from studies.browser import rating
from studies.browser.chromium import chromium
from studies.browser.people import Owner, Person

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_S = 60

CONSENT = {
    "text": {
        "en": "You will read about sleepless nights.\n\nTaking part is voluntary.",
        "it": "Leggerà di notti insonni.\n\nPartecipare è volontario.",
    }
}
WARNING = {"en": "Some texts speak of sleepless nights.", "it": "Si parla di notti insonni."}


@dataclass
class Served:
    """A study that is being served.

    Parameters
    ----------
    folder
        Of the study.
    port
        On 127.0.0.1; the same after a restart.
    links
        Path of each participant's personal link by their code.

    """

    folder: Path
    port: int
    links: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        """Where it is served, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    def link(self, code: str = "R001") -> str:
        """Return a participant's whole personal link."""
        return self.address + self.links[code]

    def start(self) -> None:
        """Start the server and wait until it answers."""
        with (self.folder / "server.log").open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, study_server.__file__, str(self.folder), str(self.port)],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={k: v for k, v in os.environ.items() if k != "DATABASE_URL"},
            )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        assert said, (self.folder / "server.log").read_text()
        self.links = json.loads(said)
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                urlopen(f"{self.address}/static/studies/site.css", timeout=5).close()
            except URLError:
                assert time.monotonic() < until, "the server does not answer"
                time.sleep(0.05)  # waits for a process, not for a result
            else:
                return

    def kill(self) -> None:
        """End the server at once, as a power cut would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            with contextlib.suppress(OSError):
                while True:  # its children end as soon as they see that it is gone
                    socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
            if self.process.stdout is not None:
                self.process.stdout.close()
            self.process = None

    def rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        """Return what an SQL query finds in the study's database."""
        database = sqlite3.connect(self.folder / "study.sqlite3", timeout=20)
        try:
            database.row_factory = sqlite3.Row
            return [dict(row) for row in database.execute(query, values)]
        finally:
            database.close()

    def answers(self) -> list[dict[str, Any]]:
        """Return the answers as they stand, with their participant's code."""
        return self.rows(
            "SELECT p.code, a.kind, a.position, x.* FROM studies_answer x "
            "JOIN studies_assignment a ON a.id = x.assignment_id "
            "JOIN studies_participant p ON p.id = a.participant_id ORDER BY x.id"
        )


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Return a function that serves a study.

    Its keyword arguments are keys of the study file that replace those of `study_files.BASE`;
    ``items`` and ``sources`` say how many items and which answers the tables hold, and ``files``
    is called with the folder to write other tables or instruments.
    """
    yield from _serving(tmp_path)


@pytest.fixture(scope="module")
def serve_for_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Served]]:
    """The same, for a study that the tests of a file share, each with a participant of its own."""
    yield from _serving(tmp_path_factory.mktemp("studies"))


def _serving(parent: Path) -> Iterator[Callable[..., Served]]:
    made: list[Served] = []

    def start(
        *,
        items: int = 2,
        sources: tuple[str, ...] = ("alpha", "beta"),
        files: Callable[[Path], None] | None = None,
        **keys: Any,
    ) -> Served:
        folder = parent / f"study-{len(made)}"
        folder.mkdir()
        study_files.write_tables(folder, items, sources)
        if files is not None:
            files(folder)
        (folder / "study-file.yaml").write_text(study_files.study_text(**keys), "utf-8")
        served = Served(folder, free_port())
        made.append(served)
        served.start()
        return served

    yield start
    for served in made:
        served.kill()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's Chromium, one for all tests of a file."""
    path = chromium()
    # Ends with the file: while it lives, Django believes that it runs inside an event loop
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield launched
        launched.close()


@dataclass
class Visit:
    """A person's browser: a page, and what went wrong on it."""

    context: Any
    page: Any
    folder: Path
    faults: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def shot(self, name: str, *, whole: bool = True) -> None:
        """Keep a screenshot."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=str(self.folder / f"{name}.png"), full_page=whole)


@pytest.fixture
def visit(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Visit]]:
    """Return a function that opens a fresh browser profile with one page.

    ``width`` and ``height`` are the window's, ``language`` the browser's, other keywords go to
    Playwright's ``new_context``. A test fails where a page of it raised an error or asked another
    machine for anything.
    """
    made: list[Visit] = []
    folder = Path(os.environ.get("ATTUNEMENT_SCREENSHOTS", tmp_path / "screenshots"))

    def open_(*, width: int = 1280, height: int = 900, language: str = "en", **more: Any) -> Visit:
        context = browser.new_context(
            viewport={"width": width, "height": height}, locale=language, **more
        )
        context.set_default_timeout(PATIENCE_S * 500)
        visit = Visit(context, context.new_page(), folder)
        context.on("weberror", lambda e: visit.faults.append(str(e.error)))
        context.on(
            "console",
            lambda m: visit.faults.append(m.text) if "Content Security Policy" in m.text else None,
        )
        context.on(
            "request",
            lambda r: (
                None
                if r.url.startswith(("http://127.0.0.1:", "data:", "blob:"))
                else visit.elsewhere.append(r.url)
            ),
        )
        made.append(visit)
        return visit

    yield open_
    faults = [fault for visit in made for fault in visit.faults]
    elsewhere = [url for visit in made for url in visit.elsewhere]
    for visit in made:
        visit.context.close()
    assert faults == []
    assert elsewhere == []


@pytest.fixture
def open_study(tmp_path: Path, visit: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """Return a function that makes a study, serves it, and gives each link to a person.

    ``write`` puts what the study needs beside its file; ``people`` are language and device of each.
    """
    made: list[Owner] = []

    def open_(
        *people: tuple[str, dict[str, Any]],
        write: Callable[[Path], None] = lambda folder: None,
        **keys: Any,
    ) -> tuple[Owner, list[Person]]:
        write(tmp_path)
        if not (tmp_path / "items.parquet").exists():
            keys |= {"items": None, "responses": None}
        file = tmp_path / "study.yaml"
        text = study_files.study_text(consent=CONSENT, warning=WARNING, country="IT", **keys)
        file.write_text(text, "utf-8")
        owner = Owner(tmp_path / "study", free_port())
        made.append(owner)
        owner.begin(file)
        owner.serve()
        return owner, [
            Person(visit, code, owner.links[code], language, tmp_path, device)
            for code, (language, device) in zip(owner.links, people, strict=True)
        ]

    yield open_
    for owner in made:
        if owner.process is not None:
            owner.process.kill()
            owner.process.wait()


@pytest.fixture(scope="module")
def seats(serve_for_all: Callable[..., Served]) -> Iterator[rating.Seat]:
    """The participants of a study in which answers are rated, one after the other."""
    study = serve_for_all(files=rating.texts, protocol=rating.protocol(raters_per_item=30))
    return (rating.Seat(study, code) for code in study.links)


@pytest.fixture
def first_answer(seats: Iterator[rating.Seat], visit: Callable[..., Visit]) -> rating.Open:
    """Return a function that opens the first answer as a participant of one's own."""

    def open_() -> tuple[rating.Seat, Any, Any]:
        seat, person = next(seats), visit()
        page = rating.begin(person, seat.served.link(seat.code))
        page.wait_for_selector(".marking")
        return seat, person, page

    return open_
