"""Text from somebody else's file on a terminal."""

import io

import pytest
from rich.console import Console
from rich.table import Table

from attunement.cli._plain import plain, shown


def printed(thing: object) -> str:
    file = io.StringIO()
    Console(file=file, force_terminal=True, color_system="truecolor", width=60).print(thing)
    return file.getvalue()


@pytest.mark.parametrize("text", ["[red]a", "[/]", "judge:m: fine", "a [link=x]b[/link]", "\\[b]"])
def test_markup_and_emoji_codes_are_text(text: str) -> None:
    assert text in printed(plain(text))
    table = Table(title=plain(text))
    table.add_column(plain(text))
    table.add_row(plain(text))
    assert printed(table).count(text) == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("bell\x07 and back\x08", "bell\\x07 and back\\x08"),
        ("\u202eevil", "\\u202eevil"),
        ("half \ud800", "half \\ud800"),
        ("tab\tline\nè 你好 🙂", "tab\tline\nè 你好 🙂"),
    ],
)
def test_what_steers_a_terminal_is_shown_by_its_code(text: str, said: str) -> None:
    assert shown(text) == said
