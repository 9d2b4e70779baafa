"""The command line: one file a command.

Command modules import Typer and the standard library only; the work is imported when a command
runs, so that ``attunement --help`` stays fast.
"""

from __future__ import annotations

import importlib
import inspect
import sys

import typer
from typer.models import CommandInfo, TyperInfo

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


def _unbroken(group: typer.Typer) -> None:
    """Join the lines of each paragraph of help, which Rich would break where the source does."""
    told: CommandInfo | TyperInfo | None
    for told in (*group.registered_commands, group.registered_callback):
        if told is None:
            continue
        text = told.help if isinstance(told.help, str) else inspect.getdoc(told.callback)
        if text:
            told.help = "\n\n".join(" ".join(p.split()) for p in text.split("\n\n"))
    for inner in group.registered_groups:
        if inner.typer_instance is not None:
            _unbroken(inner.typer_instance)


for _name in COMMANDS:
    _function = _name.replace("-", "_")
    _module = importlib.import_module(f"attunement.cli.{_function}")
    if hasattr(_module, "app"):
        app.add_typer(_module.app, name=_name)
    else:
        app.command(_name)(getattr(_module, _function))
_unbroken(app)


def main() -> None:
    """Run the command line; a user's mistake never shows a traceback."""
    app(args=sys.argv[1:])
