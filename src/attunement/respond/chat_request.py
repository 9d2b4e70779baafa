"""Reading a request for a chat completion, as clients of the OpenAI interface send it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from attunement.decoding import decode_json
from attunement.errors import UserError, did_you_mean
from attunement.inspect_bridge import Settings

ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
MOST_TURNS = 2000
LARGEST_SEED = 2**31 - 1


class Refused(Exception):
    """A request that is not answered.

    Parameters
    ----------
    status
        HTTP's number.
    message
        What is wrong, for people.
    code
        The same for programs, as the OpenAI interface names it.
    param
        The part of the request that is wrong.
    """

    def __init__(
        self, status: int, message: str, *, code: str | None = None, param: str | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.code, self.param = status, message, code, param

    def as_json(self) -> dict[str, Any]:
        """Return the body that says so."""
        kind = "invalid_request_error" if self.status < 500 else "server_error"
        about = {"message": self.message, "type": kind, "param": self.param, "code": self.code}
        return {"error": about}


@dataclass(frozen=True)
class ChatRequest:
    """What a client asks for.

    Parameters
    ----------
    model
        One of the names that are served.
    turns
        The conversation, as the items table has turns.
    stream, usage
        Whether the answer comes as events, and whether they end with the tokens.
    settings
        ``temperature``, ``top_p``, ``max_tokens``, ``seed``, ``stop``: those that were given.
    """

    model: str
    turns: list[dict[str, str]]
    stream: bool = False
    usage: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)

    def applied_to(self, settings: Settings) -> Settings:
        """Return settings with what the request asks for instead."""
        try:
            return replace(settings, **self.settings)
        except UserError as error:
            raise Refused(400, error.what) from None


def parse(body: bytes, models: Collection[str]) -> ChatRequest:
    """Return what a request's body asks for.

    Keys that are not known are ignored, but for those that would change what comes back (several
    choices, tools).

    Raises
    ------
    Refused
        Where it cannot be answered.
    """
    try:
        given = decode_json(body)
    except ValueError as error:
        raise Refused(400, f"The body is not JSON: {error}.") from None
    if not isinstance(given, dict):
        raise Refused(400, "The body is not a JSON object.")
    model = given.get("model")
    if not isinstance(model, str):
        raise Refused(400, "The model is not named.", param="model")
    if model not in models:
        hint = did_you_mean(model, models, f"; there are {', '.join(models)}.")
        raise Refused(
            404, f"There is no model {model!r}{hint}", code="model_not_found", param="model"
        )
    if given.get("n") not in (None, 1):
        raise Refused(400, "There is one choice to an answer: n is 1.", param="n")
    if given.get("tools") or given.get("functions"):
        raise Refused(400, "There are no tools here.", param="tools")
    streams = given.get("stream_options")
    return ChatRequest(
        model,
        _turns(given.get("messages")),
        stream=given.get("stream") is True,
        usage=isinstance(streams, dict) and streams.get("include_usage") is True,
        settings=_settings(given),
    )


def _turns(messages: object) -> list[dict[str, str]]:
    if not isinstance(messages, list) or not messages:
        raise Refused(400, "messages is a list with at least one message.", param="messages")
    if len(messages) > MOST_TURNS:
        raise Refused(400, f"There are more than {MOST_TURNS:,} messages.", param="messages")
    turns = [_turn(message, f"messages[{k}]") for k, message in enumerate(messages)]
    if not any(t["text"].strip() for t in turns if t["role"] != "system"):
        raise Refused(400, "No message of the conversation has a text.", param="messages")
    return turns


def _turn(message: object, where: str) -> dict[str, str]:
    role = message.get("role") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(role, str) or role not in ROLES:
        raise Refused(400, f"A role is one of {', '.join(ROLES)}.", param=f"{where}.role")
    return {"role": ROLES[role], "text": _text(message.get("content"), f"{where}.content")}


def _text(content: object, where: str) -> str:
    """Return a message's text: one, or the texts of its parts."""
    if content is None:
        return ""
    if isinstance(content, str):
        return _whole(content)
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, dict) else None for part in content]
        if all(isinstance(part, str) for part in parts):
            return _whole("\n\n".join(map(str, parts)))
    raise Refused(400, "A message's content is text.", param=where)


def _whole(text: str) -> str:
    """Return a text without halves of surrogate pairs, which JSON can hold and no file."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _settings(given: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ("temperature", "top_p"):
        value = given.get(name)
        if value is not None:
            found[name] = float(_number(value, name, (int, float), 0, 100))
    for name in ("max_tokens", "max_completion_tokens"):
        value = given.get(name)
        if value is not None:
            found["max_tokens"] = _number(value, name, (int,), 1, 1_000_000)
    if given.get("seed") is not None:
        found["seed"] = _number(given["seed"], "seed", (int,), 0, LARGEST_SEED)
    stop = given.get("stop")
    if stop is not None:
        words = [stop] if isinstance(stop, str) else stop
        if not isinstance(words, list) or not all(isinstance(w, str) and w for w in words):
            raise Refused(400, "stop is a text or a list of texts.", param="stop")
        found["stop"] = tuple(words)
    return found


def _number(value: Any, name: str, kinds: tuple[type, ...], least: int, most: int) -> Any:
    whole = float not in kinds
    fits = type(value) in kinds and least <= value <= most
    if not fits:
        what = "a whole number" if whole else "a number"
        raise Refused(400, f"{name} is {what} from {least} to {most}.", param=name)
    return value
