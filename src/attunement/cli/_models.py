"""The models that a command is told to ask, and how: options of every command that asks some."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from attunement.inspect_bridge import ModelSpec, Settings

BASE_URL = typer.Option(
    None,
    "--base-url",
    help="Address of an OpenAI-compatible server, ending in /v1; for every model but local.",
)
API_KEY_ENV = typer.Option(
    None, "--api-key-env", help="Environment variable that holds the server's key."
)
SYSTEM = typer.Option(
    "counselor",
    "--system",
    help="System prompt: none, counselor, brief-counselor, peer-support, or @FILE.",
)
TEMPERATURE = typer.Option(
    None, "--temperature", min=0.0, help="Sampling temperature; by default the provider's."
)
TOP_P = typer.Option(
    None, "--top-p", min=0.0, max=1.0, help="Nucleus sampling; by default the provider's."
)
MAX_TOKENS = typer.Option(
    None, "--max-tokens", min=1, help="Longest answer in tokens; by default the provider's."
)
CONNECTIONS = typer.Option(10, "--connections", min=1, help="Calls at once.")
RETRIES = typer.Option(
    3, "--retries", min=0, help="Repeats of a call that failed for a passing reason."
)
TIMEOUT = typer.Option(
    None, "--timeout", min=1, help="Seconds that one call may take; by default ten minutes."
)
PRICE_IN = typer.Option(
    None, "--price-in", min=0.0, help="USD for a million tokens in, for the cost."
)
PRICE_OUT = typer.Option(
    None, "--price-out", min=0.0, help="USD for a million tokens out, for the cost."
)


def specs_of(
    models: list[str],
    base_url: str | None,
    api_key_env: str | None,
    settings: Settings,
    prices: tuple[float | None, float | None],
) -> list[ModelSpec]:
    """Return the models that a command was given, as ``--model name=model`` or ``--model model``.

    The address and the key are those of a server, not of the embedded model.

    Raises
    ------
    UserError
        Where one is no model, or two have the same name.
    """
    from attunement.errors import UserError
    from attunement.inspect_bridge import LOCAL, ModelSpec

    specs = []
    for said in models:
        name, sign, model = said.partition("=")
        if not sign or "/" in name:  # no name before the sign: it belongs to the model
            name = model = said
        if not name or not model:
            raise UserError(f"--model {said!r} is not a model or name=model.")
        own = model == LOCAL
        specs.append(
            ModelSpec(
                name,
                model,
                base_url=None if own else base_url,
                api_key_env=None if own else api_key_env,
                settings=settings,
                price_in=prices[0],
                price_out=prices[1],
            )
        )
    names = [s.name for s in specs]
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise UserError(
            f"two models are called {twice[0]!r}.", fix="Name one of them: --model name=model."
        )
    return specs
