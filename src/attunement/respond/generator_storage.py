"""A trained generator as a folder: ``model.json``, and in ``weights`` what transformers wrote.

Nothing in it is executed when it is read: JSON, safetensors, and the tokenizer's JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attunement.errors import UserError
from attunement.models import folder as folders
from attunement.models import hf_models
from attunement.respond._tuned import TunedGenerator
from attunement.respond.causal import CausalGenerator
from attunement.respond.generator import Generator
from attunement.respond.seq2seq import Seq2SeqGenerator

FORMAT = "attunement-generator@1"
WEIGHTS = "weights"
MAKE = "attunement respond train --data DIR --out MODEL"

KINDS: dict[str, type[TunedGenerator]] = {
    "causal": CausalGenerator,
    "seq2seq": Seq2SeqGenerator,
}
"""Kind of generator -> its class."""


def write(generator: TunedGenerator, folder: Path, **about: Any) -> None:
    """Write a generator to a folder, whole or not at all; see `refuse` first.

    Parameters
    ----------
    generator
        A trained one.
    folder
        Replaced where it exists.
    about
        What people should know of it, such as its data; JSON.
    """
    header = {
        "format": FORMAT,
        "kind": generator.kind,
        "signature": generator.signature,
        "context": generator.context,
        "longest": generator.longest,
        "about": about,
    }
    folders.write(
        folder,
        header,
        lambda new: hf_models.save(generator.model, generator.tokenizer, new / WEIGHTS),
    )


def refuse(folder: Path, *, force: bool = False) -> None:
    """Refuse to write a generator where something is already.

    Raises
    ------
    UserError
        Where the folder exists, unless it is a generator's alone and ``force`` is set.
    """
    folders.refuse(folder, FORMAT, "generator", parts=(WEIGHTS,), force=force)


def load_generator(folder: str | Path) -> Generator:
    """Return a trained generator; nothing in its folder is executed.

    Raises
    ------
    UserError
        Where the folder is no generator or is damaged, or the extra ``train`` is not installed.
    """
    place = Path(folder)
    header = folders.read(place, FORMAT, "generator", MAKE)
    try:
        kind = KINDS.get(header["kind"])
        if kind is None:
            raise ValueError(f"its kind {header['kind']!r} is unknown")
        context, longest = _whole(header, "context", 1000), _whole(header, "longest", 100_000)
        signature = str(header["signature"])
    except (KeyError, TypeError, ValueError) as error:
        what = f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)
        raise UserError(
            f"the generator cannot be read: {what}.", where=str(folder), fix="Train it again."
        ) from error
    model, tokenizer = hf_models.read(place / WEIGHTS, kind.auto)
    return kind(model, tokenizer, context=context, longest=longest, signature=signature)


def _whole(header: Mapping[str, Any], key: str, most: int) -> int:
    value = header[key]
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise ValueError(f"{key} is no whole number from 1 to {most:,}")
    return value
