"""How far a command is: a bar on a terminal, a line now and then where there is none."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from attunement.cli._plain import shown

EVERY_S = 30.0
"""Seconds between two lines, where there is no terminal for a bar."""


@contextmanager
def bar(show: Console, what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a bar with rate and time left; yields ``advance(n)``."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=show, transient=True) as shown_bar:
        task = shown_bar.add_task(shown(what), total=total, rate="")

        def advance(n: int = 1) -> None:
            shown_bar.advance(task, n)
            speed = shown_bar.tasks[0].speed
            shown_bar.update(task, rate=f"{speed:.1f}/s" if speed else "")

        yield advance


@contextmanager
def lines(show: Console, what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Say how far it is every ``EVERY_S`` seconds and at the end; yields ``advance(n)``.

    Nothing may come forward for a while, as when a server is tried again and again: the lines come
    all the same.
    """
    done, start, ended = 0, time.monotonic(), threading.Event()

    def say() -> None:
        of = "" if total is None else f" of {total:,}"
        show.print(f"{what}: {done:,}{of}, {time.monotonic() - start:.0f} s")

    def keep_saying() -> None:
        while not ended.wait(EVERY_S):
            say()

    def advance(n: int = 1) -> None:
        nonlocal done
        done += n

    thread = threading.Thread(target=keep_saying, name="attunement-progress", daemon=True)
    thread.start()
    try:
        yield advance
    finally:
        ended.set()
        thread.join()
        say()
