"""Whole studies: their owner at the command line, and people in a browser who say what they gave.

An `Owner` calls nothing but ``attunement``, in processes of its own. A `Person` writes down what
they answer as they answer it, so that a test can hold the export against their notes.

Of the two people of a test one reads English and the other Italian, and one has a phone. On the way
pages are reloaded and gone back to, a second tab is opened, the network is lost, and the server
stops for the night, after which one of them comes back on another device. In the end the tables
hold what they noted down, each answer once, and nothing else.
"""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import polars as pl

from attunement import tables
from studies.browser import pages
from studies.browser.notes import Note, Notes

PATIENCE_S = 60
PROGRAM = Path(sys.executable).with_name("attunement")

DESK: dict[str, Any] = {"width": 1280, "height": 900}
PHONE: dict[str, Any] = {"width": 360, "height": 740, "has_touch": True, "is_mobile": True}


def attunement(*words: str | Path) -> str:
    """Run a command, which has to succeed, and return what it says on standard output."""
    done = subprocess.run(
        [PROGRAM, *map(str, words)], capture_output=True, text=True, env=_environment()
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _environment() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if k != "DATABASE_URL"}


@dataclass
class Owner:
    """Somebody who runs a study from its file."""

    folder: Path
    port: int
    password: str = ""
    links: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        """Where the study is served."""
        return f"http://127.0.0.1:{self.port}"

    def begin(self, file: Path) -> None:
        """Make the study and invite everybody."""
        said = attunement("study", "new", file, "--out", self.folder)
        self.password = re.findall(r"owner's password: (\S+)", said)[0]
        table = attunement("study", "invite", self.folder, "--base-url", self.address)
        head, *rows = table.splitlines()
        assert head == "code,address,link"
        self.links = {row.split(",")[0]: row.split(",")[2] for row in rows}

    def serve(self) -> None:
        """Serve the study until `stop`."""
        log = self.folder / "serve.log"
        with log.open("w") as said:
            self.process = subprocess.Popen(
                [PROGRAM, "study", "serve", str(self.folder), "--port", str(self.port)],
                stdout=said,
                stderr=subprocess.STDOUT,
                text=True,
                env=_environment(),
            )
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                urlopen(f"{self.address}/static/studies/site.css", timeout=5).close()
            except URLError:
                assert self.process.poll() is None, log.read_text()
                assert time.monotonic() < until, "the server does not answer"
                time.sleep(0.05)  # waits for a process, not for a result
            else:
                return

    def stop(self) -> None:
        """End the server in order, as Ctrl-C does."""
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            assert self.process.wait(PATIENCE_S) == 0
            self.process = None

    def status(self) -> dict[str, Any]:
        """Return how the study stands."""
        found: dict[str, Any] = json.loads(attunement("study", "status", self.folder, "--json"))
        return dict(found["status"])

    def codes(self, page: Any) -> dict[str, str]:
        """Log in, and return everybody's completion code as the owner's pages show it."""
        pages.log_in(page, self.address, "owner", self.password)
        found = {}
        for code in self.links:
            page.goto(f"{self.address}/owner/people/")
            page.get_by_role("link", name=code, exact=True).click()
            found[code] = page.locator("dt:text-is('Completion code') + dd").inner_text()
        return found

    def export(self) -> Path:
        """End the study and return the folder of its tables, which are in order."""
        attunement("study", "close", self.folder)
        out = self.folder / "out"
        attunement("study", "export", self.folder, "--out", out)
        attunement("check", out / "ratings.parquet")
        for kind in tables.KINDS:
            frame = pl.read_parquet(out / f"{kind}.parquet")
            problems = [p.reason for p in tables.check(frame, kind)]
            # Where people write the questions there are no answers to them yet
            assert problems == ([] if frame.height else ["no rows"])
        return out


@dataclass
class Person:
    """Somebody who takes part, on one device after the other.

    Parameters
    ----------
    visit
        Opens a browser profile, as the fixture does; everything that arrives in it is recorded.
    code, link, language
        Theirs.
    device
        Of the browser: its size, and whether it is touched.

    """

    visit: Callable[..., Any]
    code: str
    link: str
    language: str
    records: Path
    device: dict[str, Any]
    notes: dict[str, Notes] = field(default_factory=dict)
    completion: str = ""
    seen: list[Path] = field(default_factory=list)
    at: Any = None

    @property
    def page(self) -> Any:
        """The page they look at."""
        return self.at.page

    def arrive(self) -> None:
        """Follow the personal link on a device that knows nothing of the study."""
        self.leave()
        record = self.records / f"{self.code}-{len(self.seen)}.har"
        self.seen.append(record)
        self.at = self.visit(
            language=self.language,
            record_har_path=record,
            record_har_content="embed",
            **self.device,
        )
        self.page.goto(self.link)
        assert self.page.locator("html").get_attribute("lang") == self.language

    def leave(self) -> None:
        """Put the device away, with all that it has stored."""
        if self.at is not None:
            self.at.context.close()
            self.at = None

    def agree(self) -> None:
        """Take part."""
        self.page.locator("input[name=agree]").check()
        self.press("main button.primary")

    def press(self, button: str) -> None:
        """Press a button that leads to another page."""
        with self.page.expect_navigation():
            self.page.locator(button).click()

    def go_on(self) -> None:
        """Press Next or Finish, and wait for the page after it."""
        pages.go_on(self.page)

    def saved(self) -> None:
        """Wait until the page says that all is saved."""
        pages.saved(self.page)

    def shot(self, name: str) -> None:
        """Keep a picture of the page, which has to fit the screen."""
        self.page.evaluate("scrollTo(0, 0)")
        self.at.shot(f"whole-{name}-{self.code}-{self.language}")
        assert pages.fits(self.page)

    def note(self, kind: str, about: str, dimension: str, note: Note) -> None:
        """Write down what they gave; what they gave before to the same question counts no more."""
        self.notes.setdefault(kind, {})[about, dimension] = note

    def finish(self) -> None:
        """Read the completion code."""
        self.completion = self.page.locator(".code").inner_text()

    def received(self) -> list[tuple[str, str, str]]:
        """Return all that ever arrived on their devices: address, type and text."""
        self.leave()
        return [one for record in self.seen for one in arrived(record)]


def arrived(record: Path) -> Iterable[tuple[str, str, str]]:
    """Return what a recording of a browser's traffic holds: address, type and text."""
    for entry in json.loads(record.read_text("utf-8"))["log"]["entries"]:
        content = entry["response"]["content"]
        text = content.get("text", "")
        if content.get("encoding") == "base64":
            text = base64.b64decode(text).decode("utf-8", "replace")
        yield entry["request"]["url"], content.get("mimeType", ""), text


def is_here(url: str) -> bool:
    """Return whether an address is on this machine."""
    return urlsplit(url).hostname == "127.0.0.1" or url.startswith(("data:", "blob:"))


def read(out: Path, name: str) -> pl.DataFrame:
    return pl.read_parquet(out / f"{name}.parquet")


def texts_of(out: Path) -> dict[str, str]:
    """Return the exported answers by their id."""
    return dict(read(out, "responses").select("response_id", "text").iter_rows())


def ended(owner: Owner, people: list[Person], visit: Callable[..., Any], *secrets: str) -> Path:
    """Hold everybody's end against the owner's view of it, and return the export.

    ``secrets`` are words that must not have reached anybody who takes part.
    """
    assert owner.status()["participants"]["finished"] == len(people)
    codes = owner.codes(visit().page)
    assert codes == {person.code: person.completion for person in people}
    assert len(set(codes.values())) == len(people)
    out = owner.export()
    owner.stop()
    for person in people:
        received = list(person.received())
        assert [url for url, _, _ in received if not is_here(url)] == []
        shown = [text for _, kind, text in received if "html" in kind and text]
        assert any(person.completion in page for page in shown)
        other = [code for code in codes.values() if code != person.completion]
        told = [
            (url, secret)
            for url, _, text in received
            for secret in (*secrets, *other)
            if secret in text or secret in url
        ]
        assert told == []
    return out
