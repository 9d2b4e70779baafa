"""Whatever a command prints, nobody's text steers the terminal."""

import io

import pytest
from rich.table import Table

from attunement.cli._common import console, fail, friendly, out
from attunement.cli._consoles import PlainConsole
from attunement.cli._progress import bar
from attunement.errors import UserError

HOSTILE = "a [red]b[/] :boom: \x1b[31mc\u202e \x9b2J"
SHOWN = "a [red]b[/] :boom: \\x1b[31mc\\u202e \\x9b2J"


def terminal() -> PlainConsole:
    return PlainConsole(
        file=io.StringIO(), force_terminal=True, color_system=None, width=100, _environ={}
    )


def said(console: PlainConsole) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_string_and_the_cells_of_a_table_are_printed_as_they_stand() -> None:
    show = terminal()
    table = Table("heading", title=HOSTILE)
    table.add_row(HOSTILE)
    show.print(HOSTILE)
    show.print(table)
    assert said(show).count(SHOWN) == 3
    assert "\x1b[31m" not in said(show)


def test_a_bar_shows_its_words_as_they_stand() -> None:
    show = terminal()
    with bar(show, HOSTILE, 3) as advance:
        advance(3)
    assert SHOWN in said(show)
    assert "\x1b[31m" not in said(show)


def test_an_error_shows_its_words_as_they_stand(capsys) -> None:
    with pytest.raises(Exception, match="2"):
        fail(UserError(HOSTILE, where=HOSTILE, fix=HOSTILE))
    assert capsys.readouterr().err.count(SHOWN) == 3


def test_both_consoles_are_plain() -> None:
    assert isinstance(console(), PlainConsole)
    assert isinstance(out(), PlainConsole)


def test_a_value_that_is_refused_below_is_a_message_and_exit_code_2(capsys) -> None:
    @friendly
    def command() -> None:
        raise ValueError("the level is 2")

    with pytest.raises(Exception, match="2"):
        command()
    assert "Error: the level is 2." in capsys.readouterr().err
