"""What a call costs."""

from __future__ import annotations

from attunement.inspect_bridge._types import ModelSpec


def cost_of(
    spec: ModelSpec, tokens_in: int | None, tokens_out: int | None, stated: float | None = None
) -> float | None:
    """Return USD from the spec's prices; where it has none, what the provider stated, or None."""
    if spec.demonstration:
        return 0.0
    if spec.price_in is None or spec.price_out is None or tokens_in is None or tokens_out is None:
        return stated
    return (tokens_in * spec.price_in + tokens_out * spec.price_out) / 1_000_000
