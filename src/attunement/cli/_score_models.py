"""The models that ``attunement score`` is told to measure with."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from attunement.errors import UserError

if TYPE_CHECKING:
    from attunement.models.language_model import LanguageModel
    from attunement.models.token_embeddings import TokenModel

LOCAL = "local"
"""The embedded language model."""


def split(said: str) -> tuple[str, str | None]:
    """Return name and revision of a model that is given as ``NAME`` or ``NAME@REVISION``.

    >>> split("gpt2@607a30d"), split("some/folder")
    (('gpt2', '607a30d'), ('some/folder', None))

    """
    name, _, revision = said.rpartition("@") if "@" in said else (said, "", "")
    return name, revision or None


def refuse_unused(option: str, given: object, needed: Collection[str], chosen: str | None) -> None:
    """Refuse a model for metrics that are not asked for.

    Raises
    ------
    UserError
        Where the option is given, and none of the metrics that use it.

    """
    from attunement.raters.metrics.registry import named

    names = [part.strip() for part in (chosen or "").split(",") if part.strip()]
    if given is not None and not {m.name for m in named(names)} & set(needed):
        raise UserError(
            f"{option} is given, and no metric that uses it.",
            fix=f"Ask for {' or '.join(needed)} with --metrics.",
        )


def token_model(said: str | None, layer: int | None) -> TokenModel | None:
    """Return the model behind BERTScore, None for the default one.

    Raises
    ------
    UserError
        Where it cannot be loaded, or has no such layer.

    """
    if said is None and layer is None:
        return None
    from attunement.models.token_embeddings import DEFAULT, HuggingFaceTokenModel

    name, revision = split(said or DEFAULT)
    return HuggingFaceTokenModel(name, layer, revision)


def language_model(said: str | None) -> LanguageModel | None:
    """Return the model behind perplexity, None for the default one.

    Raises
    ------
    UserError
        Where it cannot be loaded.

    """
    if said is None or said == LOCAL:
        return None
    from attunement.models.language_model import HuggingFaceLanguageModel

    name, revision = split(said)
    return HuggingFaceLanguageModel(name, revision)
