"""What options of several commands have in common: their words, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from attunement.errors import UserError, nearest

JSON = typer.Option(False, "--json", help="Print a JSON object on standard output.")
CI_LEVEL = typer.Option(0.95, "--ci-level", help="Coverage of the intervals.")
SEED = typer.Option(1, "--seed", min=0, help="Seed of the bootstrap.")
TOPICS = typer.Option(None, "--items", help="Table of the items, for their topics.")
REPORT = typer.Option(
    None,
    "--report",
    help="Write a page with pictures into this folder: index.html, every table as CSV, every "
    "figure as SVG and PNG. Files of the same names are replaced.",
)


def resamples(number: int, *, of: str = "the bootstrap", without: str = "no intervals") -> Any:
    """Return an option of how often to resample; 0 is for none, and ``without`` says what then."""
    return typer.Option(
        number,
        "--replicates",
        min=0,
        max=1_000_000,
        help=f"Resamples of {of}; 0 for {without}.",
    )


def choose(word: str, option: str, known: Sequence[str]) -> None:
    """Refuse a word that an option does not have.

    Raises
    ------
    UserError
        Where it is none of the known ones.

    """
    if word not in known:
        guess = nearest(word, list(known))
        hint = f"Did you mean {guess}? " if guess else ""
        words = " or ".join([", ".join(known[:-1]), known[-1]])
        raise UserError(f"{option} {word!r} is unknown.", fix=f"{hint}Use {words}.")


def refuse_level(level: float) -> None:
    """Refuse a coverage of intervals that is none.

    Raises
    ------
    UserError
        Where it is not between 0 and 1.

    """
    if not 0 < level < 1:
        raise UserError(
            f"--ci-level lies between 0 and 1, not {level:g}.", fix="Give 0.95 for 95 %."
        )


def refuse_unused(context: typer.Context, because: str, *names: str) -> None:
    """Refuse options that were given and would change nothing.

    Parameters
    ----------
    context
        The command's.
    because
        What they are not for, as the end of a sentence: "without --model".
    names
        Of the parameters.

    Raises
    ------
    UserError
        Where one of them was given.

    """
    given = given_of(context, names)
    if given:
        verb = "means" if len(given) == 1 else "mean"
        leave = "it" if len(given) == 1 else "them"
        raise UserError(f"{listed(given)} {verb} nothing {because}.", fix=f"Leave {leave} out.")


def given_of(context: typer.Context, names: Sequence[str]) -> list[str]:
    """Return those options of a command that its user has written, as they are spelled."""
    return [
        _spelled(context, parameter)
        for parameter in context.command.params
        if parameter.name in names and _written(context, parameter.name)
    ]


def _spelled(context: typer.Context, parameter: Any) -> str:
    off = parameter.secondary_opts and context.params.get(parameter.name) is False
    spelled: str = (parameter.secondary_opts if off else parameter.opts)[0]
    return spelled


def _written(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def listed(words: Sequence[str]) -> str:
    """Return words as a sentence has them.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')

    """
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]
