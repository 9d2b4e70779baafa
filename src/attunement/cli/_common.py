"""What every command shares: consoles, errors, progress and ``--json``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

import typer

from attunement.errors import UserError

if TYPE_CHECKING:
    from rich.console import Console

    from attunement.stats.result import Result

EXIT_OK = 0
EXIT_PROBLEMS = 1
"""`check` found problems, or some calls failed and are marked in the table."""
EXIT_USAGE = 2
"""The command's words or a file are wrong; the message says what, where and what to do."""
EXIT_INTERRUPTED = 130

P = ParamSpec("P")
R = TypeVar("R")


def console() -> Console:
    """Return the console for people: standard error, which keeps ``--json`` on its own."""
    from attunement.cli._consoles import PlainConsole

    return PlainConsole(stderr=True, soft_wrap=True)


def out() -> Console:
    """Return the console for a command's own answer: standard output."""
    from attunement.cli._consoles import PlainConsole

    return PlainConsole()


def friendly(command: Callable[P, R]) -> Callable[P, R]:
    """Turn a user's mistake into a message and exit code 2, and Ctrl-C into 130.

    A value that a function below refuses (`ValueError`) is one as well.
    """

    @wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except UserError as error:
            fail(error)
        except OSError as error:
            name = error.filename if isinstance(error.filename, str) else None
            fail(UserError(f"{error.strerror or error}.", where=name, fix="Check the path."))
        except ValueError as error:
            said = str(error).strip().rstrip(".") or "a value is wrong"
            fail(UserError(f"{said}.", fix="Check the options and the values in the files."))
        except KeyboardInterrupt:
            console().print(
                "Stopped. What had arrived is kept; the same command goes on from there."
            )
            raise typer.Exit(EXIT_INTERRUPTED) from None

    return wrapped


def fail(error: UserError) -> NoReturn:
    """Print what, where and what to do, and exit with code 2."""
    from rich.text import Text

    show = console()
    show.print(Text.assemble(("Error: ", "bold red"), error.what))
    if error.where:
        show.print(Text(f"  where: {error.where}"))
    if error.fix:
        show.print(Text(f"  to do: {error.fix}"))
    raise typer.Exit(EXIT_USAGE)


def print_json(results: Iterable[Result], **beside: Any) -> None:
    """Print the documented JSON object on standard output."""
    from attunement.stats.result import report_json

    json.dump(
        report_json(results, **beside), sys.stdout, ensure_ascii=False, indent=2, allow_nan=False
    )
    sys.stdout.write("\n")


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Show on standard error how far something is; yields ``advance(n)``."""
    from attunement.cli._progress import bar, lines

    show = console()
    with (bar if show.is_terminal else lines)(show, what, total) as advance:
        yield advance
