"""Asking a chatbot for a reply, which comes in pieces."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from attunement.errors import UserError
from attunement.loopback import is_loopback
from attunement.studies.chat.limits import TooLate
from attunement.studies.config import LOCAL, Bot

if TYPE_CHECKING:
    from openai import OpenAI

BROKE_OFF = "the reply broke off"
CONNECT_S = 10.0
LONGEST_ERROR = 300
"""Characters of an endpoint's own words that are kept."""


class ReplyFailed(Exception):
    """No reply, or not all of it, came from the endpoint; the message says why, for the owner."""


@dataclass(frozen=True)
class Piece:
    """A piece of a reply, with what the endpoint said of the whole beside it.

    Parameters
    ----------
    text
        Words to be added; may be empty.
    model
        The model's name as the endpoint gives it.
    tokens_in, tokens_out
        Of the whole reply; None where the endpoint does not say.

    """

    text: str
    model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None

    def updated(self, later: Piece) -> Piece:
        """Return what is known after a later piece, with its text."""
        known = {name: value for name, value in vars(later).items() if value is not None}
        return replace(self, **known)


def stream(bot: Bot, messages: list[dict[str, str]]) -> Iterator[Piece]:
    """Yield a reply as it comes.

    Parameters
    ----------
    bot
        Whom to ask.
    messages
        What was said so far, as the OpenAI interface takes it.

    Raises
    ------
    ReplyFailed
        Where the endpoint cannot be reached, refuses, breaks off, filters the reply, or takes
        longer than ``bot.timeout_s`` seconds.

    """
    import openai

    begun = False
    try:
        with _client(bot) as client:
            for piece in _pieces(client, bot, messages):
                begun = True
                yield piece
    except ReplyFailed:
        raise
    except UserError as error:
        raise ReplyFailed(str(error)) from None
    except (openai.APITimeoutError, TooLate):
        raise ReplyFailed("no reply in time") from None
    except openai.APIStatusError as error:
        raise ReplyFailed(f"HTTP {error.status_code}: {_said(error, bot)}") from None
    except openai.APIConnectionError:
        raise ReplyFailed(BROKE_OFF if begun else "the endpoint cannot be reached") from None
    except Exception as error:  # whatever an endpoint sends, and the HTTP library's own
        raise ReplyFailed(f"{BROKE_OFF}: {_said(error, bot)}") from None


def _said(error: Exception, bot: Bot) -> str:
    """Return an error's words on one line, without the key that some servers repeat."""
    said = " ".join(str(getattr(error, "message", error)).split())
    key = os.environ.get(bot.api_key_env, "") if bot.api_key_env else ""
    said = said.replace(key, "***") if key else said
    return re.sub(r"^Error code: \d+( - )?", "", said)[:LONGEST_ERROR] or "no reason given"


def _pieces(client: OpenAI, bot: Bot, messages: list[dict[str, str]]) -> Iterator[Piece]:
    limit = time.monotonic() + bot.timeout_s
    given: Any = messages
    with client.chat.completions.create(
        model=_model(bot),
        messages=given,
        stream=True,
        stream_options={"include_usage": True},
        **_options(bot),
    ) as chunks:
        whole = False
        for chunk in chunks:
            if time.monotonic() > limit:
                raise ReplyFailed("no reply in time")
            usage = chunk.usage
            choice = chunk.choices[0] if chunk.choices else None
            delta = None if choice is None else choice.delta
            yield Piece(
                _words(delta and delta.content) or "",
                _words(chunk.model),
                _count(usage and usage.prompt_tokens),
                _count(usage and usage.completion_tokens),
            )
            if delta is not None and delta.refusal:
                raise ReplyFailed(f"the model refused: {delta.refusal[:LONGEST_ERROR]}")
            if choice is not None and choice.finish_reason == "content_filter":
                raise ReplyFailed("the endpoint's filter stopped the reply")
            whole = whole or (choice is not None and choice.finish_reason is not None)
        if not whole:
            raise ReplyFailed(BROKE_OFF)


def _words(given: object) -> str | None:
    """Return a text that came; the library passes on whatever a server sends."""
    return given if isinstance(given, str) and given else None


def _count(given: object) -> int | None:
    """Return a number of tokens, None for what is none or what no database holds."""
    return given if type(given) is int and 0 <= given < 1 << 31 else None


def is_there(bot: Bot) -> bool:
    """Return whether anything answers at a bot's address; no model is asked for words.

    Raises
    ------
    UserError
        Where the bot is the embedded model, and that is not installed.

    """
    import openai

    try:
        with _client(bot) as client:
            client.models.list()
    except openai.APIStatusError as error:
        return error.status_code < 500  # not all have a list of models
    except openai.APIConnectionError:
        return False
    return True


def _client(bot: Bot) -> OpenAI:
    from openai import DefaultHttpxClient, OpenAI, Timeout

    from attunement.studies.chat.limits import limited

    address = address_of(bot)
    wait = Timeout(bot.timeout_s, connect=min(CONNECT_S, bot.timeout_s))
    return OpenAI(
        base_url=address,
        api_key=_key(bot),
        timeout=wait,
        max_retries=0,  # people try again themselves, and see that something is wrong
        http_client=DefaultHttpxClient(
            timeout=wait,
            # What is said to this machine does not go through a proxy
            trust_env=not is_loopback(address),
            # What people in distress wrote goes where the study says, and nowhere else
            follow_redirects=False,
            event_hooks={"response": [limited(bot.timeout_s)]},
        ),
    )


def _key(bot: Bot) -> str:
    if bot.api_key_env is None:
        return "none"
    key = os.environ.get(bot.api_key_env, "")
    if not key:
        raise ReplyFailed(f"the environment variable {bot.api_key_env} is not set")
    return key


def address_of(bot: Bot) -> str:
    """Return the base URL of a bot; the embedded model is started where it does not run yet.

    Raises
    ------
    UserError
        Where the embedded model is not installed.

    """
    if bot.base_url is not None:
        return bot.base_url
    from attunement.models.local import local_server

    return local_server().base_url


def _model(bot: Bot) -> str:
    if bot.model != LOCAL:
        return bot.model
    from attunement.models.local import MODEL_NAME

    return MODEL_NAME


def _options(bot: Bot) -> dict[str, Any]:
    options: dict[str, Any] = {"temperature": bot.temperature, "max_tokens": bot.max_tokens}
    if bot.model == LOCAL:
        from attunement.models.local import ANSWER

        options["extra_body"] = ANSWER
    return {name: value for name, value in options.items() if value is not None}
