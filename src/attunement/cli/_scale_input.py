"""The options that every command on scales has, and what they mean."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from attunement.errors import UserError

if TYPE_CHECKING:
    from attunement.psychometrics import Answers, Scale

ANSWERS = typer.Argument(
    ...,
    help="Wide table (a row a respondent, a column an item; a column 'source' names the chatbot), "
    "a table of ratings, or the folder of a run or of a study's export.",
)
INSTRUMENT = typer.Option(
    None, "--instrument", help="What was asked, such as ces-lcc: items, subscales, reversed items."
)
ITEMS = typer.Option(
    [],
    "--items",
    help="Columns that make a scale: a,b,c, or NAME=a,b,c for each of several subscales. With "
    "--instrument: only these of its items.",
)
REVERSE = typer.Option(
    None, "--reverse", help="Items to turn round, such as a,c; an instrument says so itself."
)
ENDS = typer.Option(
    None, "--ends", help="Lowest and highest answer, such as 1,5; an instrument has its own."
)
ID = typer.Option(
    None,
    "--id",
    help="Column that names the respondent; by default respondent, participant, rater or id.",
)
SOURCE = typer.Option(None, "--source", help="Only answers about this chatbot.")
MISSING_WORD = typer.Option(
    [], "--missing-word", help="A word that stands for no answer; may be given several times."
)
MISSING = typer.Option(
    "pairwise",
    "--missing",
    help="pairwise: each pair of items by all who answered both; listwise: complete answers only.",
)


def scale_of(
    instrument: str | None, items: list[str], reverse: str | None, ends: str | None
) -> Scale:
    """Return the scale that the options name.

    Raises
    ------
    UserError
        Where neither an instrument nor items are named, or both say what is reversed.

    """
    from attunement.instruments import load_instrument
    from attunement.psychometrics import from_instrument, from_items, only

    groups = [_group(text) for text in items]
    listed = [name for _, names in groups for name in names]
    if instrument is not None:
        if reverse is not None or ends is not None:
            raise UserError(
                f"--{'reverse' if reverse is not None else 'ends'} is what the instrument says.",
                fix="Leave it out; an item is turned round once.",
            )
        found = from_instrument(load_instrument(instrument))
        return only(found, listed) if listed else found
    if not listed:
        raise UserError("no scale is named.", fix="Give --instrument ces-lcc, or --items a,b,c.")
    named = {name: tuple(names) for name, names in groups if name}
    if named and len(named) < len(groups):
        raise UserError("each of several --items has a name of its own, as in trust=a,b,c.")
    return from_items(
        listed, reverse=_listed(reverse or ""), ends=_two_numbers(ends), subscales=named
    )


def _group(text: str) -> tuple[str, list[str]]:
    name, equals, rest = text.partition("=")
    return (name.strip(), _listed(rest)) if equals else ("", _listed(text))


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _two_numbers(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise UserError(f"--ends {text!r} is not two numbers.", fix="Write it as 1,5.") from None
    return low, high


def read(
    path: Path, scale: Scale, id_column: str | None, source: str | None, missing_word: list[str]
) -> Answers:
    """Return the answers, of one chatbot where one is named."""
    from attunement.cli._run_folder import ratings_file
    from attunement.psychometrics import read_answers

    found = read_answers(ratings_file(path), scale, id_column=id_column, missing=missing_word)
    return found.about(source) if source is not None else found
