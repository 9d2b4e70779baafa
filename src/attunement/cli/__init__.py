"""The command line: one file a command.

Command modules import Typer and the standard library only; the work is imported when a command
runs, so that ``attunement --help`` stays fast.
"""

from __future__ import annotations

import importlib
import sys

import typer

app = typer.Typer(
    name="attunement",
    help="Measure how well a conversational model attunes to the person it talks to.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

COMMANDS = (
    "demo",
    "run",
    "data",
    "check",
    "generate",
    "plan",
    "respond",
    "score",
    "judge",
    "compare-judges",
    "agreement",
    "instruments",
    "analyze",
    "reliability",
    "scale",
    "socemo",
    "counselbench",
    "delphi",
    "study",
    "report",
    "reproduce",
)


def _version(value: bool) -> None:
    if value:
        from importlib.metadata import version

        typer.echo(version("attunement"))
        raise typer.Exit()


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    pass


for _name in COMMANDS:
    _function = _name.replace("-", "_")
    _module = importlib.import_module(f"attunement.cli.{_function}")
    if hasattr(_module, "app"):
        app.add_typer(_module.app, name=_name)
    else:
        app.command(_name)(getattr(_module, _function))


def main() -> None:
    """Run the command line; a user's mistake never shows a traceback."""
    app(args=sys.argv[1:])
