"""Options that choosing responses and serving them share, and what is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from attunement.errors import UserError

if TYPE_CHECKING:
    from attunement.inspect_bridge import ModelSpec
    from attunement.planning.labels import LabelSet
    from attunement.planning.tagging import Tagger
    from attunement.respond.sources import Model

FRAMING = typer.Option(
    "chat",
    "--framing",
    help="chat: the turns as a conversation; paper: the last three turns in the prompts of the "
    "paper, word for word.",
)
NUMBERED = typer.Option(
    False,
    "--numbered",
    help="Ask for all candidates in one call, by the paper's prompt, and read them by number.",
)
TAGGER = typer.Option(
    "embedded",
    "--tagger",
    help="Says which labels a candidate shows: embedded, or the folder of a trained one.",
)
MAX_TOKENS = typer.Option(
    None,
    "--max-tokens",
    min=1,
    help="Longest answer in tokens; by default the provider's, and 50 of the embedded model.",
)


def model(
    said: str,
    base_url: str | None,
    api_key_env: str | None,
    prices: tuple[float | None, float | None] = (None, None),
    **settings: Any,
) -> ModelSpec:
    """Return the model that ``--model`` names."""
    from attunement.cli._models import specs_of
    from attunement.inspect_bridge import Settings

    (spec,) = specs_of([said], base_url, api_key_env, Settings(**settings), prices)
    return spec


def source_of(
    spec: ModelSpec, system: str, framing: str, *, numbered: bool, seed: int = 1
) -> Model:
    """Return a model as a source of candidates."""
    from attunement.respond.presets import preset
    from attunement.respond.sources import Model

    return Model(spec, preset(system), framing=framing, numbered=numbered, seed=seed)


def refuse_framing(framing: str, *, numbered: bool, strategy: str) -> None:
    """Refuse words and combinations that mean nothing."""
    from attunement.cli._options import choose
    from attunement.respond.conditioning import FRAMINGS

    choose(framing, "--framing", FRAMINGS)
    if numbered and strategy == "prompt":
        raise UserError(
            "--numbered asks for candidates to choose from, and the strategy 'prompt' for one.",
            fix="Leave one of them out.",
        )


def refuse_words(context: typer.Context) -> None:
    """Refuse words for a model that the paper's prompts have no place for."""
    from attunement.cli._options import refuse_unused

    if context.params["numbered"]:
        refuse_unused(context, "with --numbered, which asks in the paper's words", "system")
    elif context.params["framing"] == "paper":
        refuse_unused(context, "with --framing paper, which asks in the paper's words", "system")


def tagger(name: str, planned: LabelSet | None) -> Tagger:
    """Return a tagger, and refuse one that has other labels than the plans."""
    from attunement.planning.tagging import load_tagger
    from attunement.respond.planned import refuse_other_labels

    found: Tagger = load_tagger(name)
    if planned is not None:
        refuse_other_labels(planned, found.labels)
    return found
