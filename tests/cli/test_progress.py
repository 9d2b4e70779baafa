"""How far a command is, where there is no terminal."""

import io
import threading

import pytest

from attunement.cli import _progress
from attunement.cli._consoles import PlainConsole
from attunement.cli._progress import lines


class Heard(io.StringIO):
    """A file that tells when a line has come."""

    def __init__(self) -> None:
        super().__init__()
        self.line = threading.Event()

    def write(self, text: str) -> int:
        written = super().write(text)
        if "\n" in text:
            self.line.set()
        return written


def test_a_line_comes_although_nothing_comes_forward(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_progress, "EVERY_S", 0.001)
    file = Heard()
    with lines(PlainConsole(file=file, width=100), "Judging with m", 1_288):
        assert file.line.wait(30)
    assert file.getvalue().startswith("Judging with m: 0 of 1,288, ")


def test_the_last_line_says_how_far_it_came() -> None:
    file = io.StringIO()
    with lines(PlainConsole(file=file, width=100), "Rating", 3) as advance:
        advance(2)
    assert file.getvalue().startswith("Rating: 2 of 3, ")
    assert file.getvalue().count("\n") == 1
