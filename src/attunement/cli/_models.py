"""The models that a command is told to ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attunement.inspect_bridge import ModelSpec, Settings


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
