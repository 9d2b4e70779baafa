"""``attunement plan prompt``: a planner that asks a language model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from attunement.cli import _models as models
from attunement.cli._common import console, friendly
from attunement.cli._options import refuse_unused

if TYPE_CHECKING:
    from attunement.planning import Planner


@friendly
def prompt(
    called: typer.Context,
    model: str = typer.Option(
        ...,
        "--model",
        help="As Inspect AI names it: openai/..., anthropic/..., openai-api/SERVER/NAME with "
        "--base-url, or local for the embedded model (demonstration quality).",
    ),
    out: Path = typer.Option(..., "--out", help="Folder for the planner."),
    wording: str | None = typer.Option(
        None,
        "--prompt",
        help="paper (the published words), plain (any labels), reply (a reply first, and then its "
        "labels, after examples), or @FILE with {dialogue} and, if wanted, {labels} in it. By "
        "default paper, and reply for the embedded model.",
    ),
    label_set: Path | None = typer.Option(
        None, "--label-set", help="YAML file of the labels; by default DailyDialog's eleven."
    ),
    context: int | None = typer.Option(
        None,
        "--context",
        min=1,
        max=100,
        help="Turns that the model is shown at most: by default 3, and 1 with the prompt paper.",
    ),
    base_url: str | None = models.BASE_URL,
    api_key_env: str | None = models.API_KEY_ENV,
    temperature: float = typer.Option(0.0, "--temperature", min=0.0, help="Sampling temperature."),
    max_tokens: int | None = models.MAX_TOKENS,
    connections: int = models.CONNECTIONS,
    seed: int | None = typer.Option(None, "--seed", min=0, help="Passed to the model."),
    force: bool = typer.Option(False, "--force", help="Write over a planner in --out."),
) -> None:
    """Write down which language model plans, and what it is asked; no call is made.

    The folder is then a planner like any other, for plan predict, plan evaluate and respond.
    Whoever uses it sends conversations to the server that it names.
    """
    from attunement.cli._plan_train import labels_of
    from attunement.inspect_bridge import LOCAL, ModelSpec, Settings
    from attunement.planning import storage
    from attunement.planning.prompted import PromptedPlanner
    from attunement.planning.prompts import READS
    from attunement.planning.prompts import prompt as find

    storage.refuse(out, force=force)
    labels = labels_of(label_set)
    own = model == LOCAL
    if own:
        refuse_unused(called, "to the embedded model", "base_url", "api_key_env", "connections")
    name = wording or ("reply" if own else "paper")
    settings = Settings(
        temperature=temperature, max_tokens=max_tokens, seed=seed, max_connections=connections
    )
    planner = PromptedPlanner(
        labels,
        ModelSpec(
            model,
            model,
            base_url=base_url,
            api_key_env=api_key_env,
            settings=settings,
        ),
        find(name, labels),
        READS.get(name, 3) if context is None else context,
    )
    storage.write(planner, out, force=force)
    console().print(f"prompted: {model} with the prompt {planner.prompt.id}; written to {out}.")


def say_asked(planner: Planner) -> None:
    """Say which model is going to be asked, and what its plans are worth where it is small."""
    from attunement.planning.prompted import PromptedPlanner

    if not isinstance(planner, PromptedPlanner):
        return
    spec = planner.model
    if spec.demonstration:
        console().print("These plans are of demonstration quality: the model is very small.")
        return
    key = f", with the key in {spec.api_key_env}" if spec.api_key_env else ""
    console().print(f"Asking {spec.model} at {spec.base_url or 'its provider'}{key}.")
