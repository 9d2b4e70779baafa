"""What goes into a model call and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import Any
from urllib.parse import urlsplit

from attunement.errors import UserError

LOCAL = "local"
"""The ``ModelSpec.model`` that means the embedded model (extra ``local``)."""


@dataclass(frozen=True)
class Message:
    """One turn of a conversation: ``role`` is ``system``, ``user`` or ``assistant``."""

    role: str
    text: str


@dataclass(frozen=True)
class Settings:
    """How a model is asked; None leaves the choice to the provider.

    Parameters
    ----------
    temperature, top_p, max_tokens, seed, stop
        Sampling, passed on as they are. They are part of a call's identity in the journal.
    max_connections
        Calls in flight at once, 1 or more.
    max_retries
        How often a call is asked again after a 429, a 5xx, a time-out or a lost connection.
    timeout
        Seconds that one attempt may take.
    backoff_s
        Seconds before the first retry, doubled before each one after it (60 at most), plus up to
        as much again at random. A server's ``retry-after`` is waited for where it is longer.

    Raises
    ------
    UserError
        Where a number is not within its bounds.

    """

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    max_connections: int = 10
    max_retries: int = 3
    timeout: int | None = None
    stop: tuple[str, ...] = ()
    backoff_s: float = 2.0

    def __post_init__(self) -> None:
        if self.max_connections < 1:
            raise UserError(f"max_connections is 1 or more, not {self.max_connections}.")
        if self.max_retries < 0:
            raise UserError(f"max_retries is 0 or more, not {self.max_retries}.")
        if self.temperature is not None and not 0 <= self.temperature < float("inf"):
            raise UserError(f"a temperature is 0 or more, not {self.temperature:g}.")
        if self.top_p is not None and not 0 <= self.top_p <= 1:
            raise UserError(f"top_p lies between 0 and 1, not at {self.top_p:g}.")


@dataclass(frozen=True)
class ModelSpec:
    """A model and how to reach it.

    Parameters
    ----------
    name
        The short name that tables and journals carry.
    model
        Inspect AI's name (``openai/gpt-4o``, ``anthropic/...``, ``openai-api/<service>/<model>``
        for any OpenAI-compatible server), or ``local`` for the embedded model.
    base_url
        The server, such as ``http://127.0.0.1:8000/v1``; None for the provider's own.
    api_key_env
        The environment variable with the key; None for the provider's usual one. A server on
        loopback needs none.
    settings
        How it is asked.
    price_in, price_out
        USD for a million tokens in and out; None where unknown.

    Raises
    ------
    UserError
        Where the model has no name or names no provider, the address is none that a server can
        have, or a price is none.

    """

    name: str
    model: str
    base_url: str | None = None
    api_key_env: str | None = None
    settings: Settings = field(default_factory=Settings)
    price_in: float | None = None
    price_out: float | None = None

    def __post_init__(self) -> None:
        # before any call: what is wrong here would only show once some were made and paid for
        if not self.name.strip() or not self.model.strip():
            raise UserError("the model has no name.", fix="Name one, such as openai/gpt-4o.")
        if self.model != LOCAL and "/" not in self.model:
            raise UserError(
                f"{self.model!r} names no provider.",
                where=f"model {self.name}",
                fix=f"Write openai/{self.model}, or openai-api/SERVER/{self.model} with the "
                "server's address, or local.",
            )
        if self.base_url is not None and not _is_address(self.base_url):
            raise UserError(
                f"{self.base_url!r} is not the address of a server.",
                where=f"model {self.name}",
                fix="Write it as http://127.0.0.1:8000/v1.",
            )
        for price in (self.price_in, self.price_out):
            if price is not None and not (isfinite(price) and price >= 0):
                raise UserError(
                    f"{price:g} is not a price.",
                    where=f"model {self.name}",
                    fix="Give USD for a million tokens, or leave it out where it is not known.",
                )

    @property
    def demonstration(self) -> bool:
        """Whether answers and scores are of demonstration quality only (the embedded model)."""
        return self.model == LOCAL


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # half an IPv6 address, or a port that is no number
        return False


@dataclass(frozen=True)
class Call:
    """One question to a model.

    Parameters
    ----------
    key
        The caller's id, unique within a journal: item, candidate, dimension, replicate, ...
        Two calls with the same words and different keys are asked separately.
    messages
        The conversation so far; the model continues it.
    schema
        JSON Schema that the answer must follow, where the provider can hold the model to it.
    seed
        Replaces ``Settings.seed`` for this call, so that replicates differ.
    local
        What the embedded model's server gets besides, in llama.cpp's own words (such as
        `attunement.models.local.ANSWER`); no other server sees it.

    """

    key: str
    messages: tuple[Message, ...]
    schema: dict[str, Any] | None = None
    seed: int | None = None
    local: dict[str, Any] | None = None


@dataclass(frozen=True)
class Reply:
    """What came back for a call.

    Parameters
    ----------
    key
        The call's.
    text
        The answer; empty where the model said nothing or ``error`` is set.
    stop_reason
        ``stop``, ``max_tokens``, ``model_length``, ``content_filter``, ``unknown``, or None where
        no answer arrived.
    latency_s
        Seconds from the successful request to its answer; None where unknown.
    tokens_in, tokens_out
        As the server counts them; None where it does not say.
    cost_usd
        From the spec's prices, else the provider's own statement; None where unknown.
    error
        Why there is no answer, one line; None where there is one.
    cached
        Whether the answer came from the journal.

    """

    key: str
    text: str = ""
    stop_reason: str | None = None
    latency_s: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None
    error: str | None = None
    cached: bool = False

    @property
    def refused(self) -> bool:
        """Whether the provider's content filter stopped the answer."""
        return self.stop_reason == "content_filter"
