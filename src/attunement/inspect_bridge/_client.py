"""From a `ModelSpec` to an Inspect AI model, and from its exceptions to plain words."""

from __future__ import annotations

import logging
import os
import random
import re
import socket
import sys
import uuid
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from attunement.errors import UserError, nearest
from attunement.inspect_bridge._types import LOCAL, Call, ModelSpec
from attunement.loopback import is_loopback

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig, Model

_LONGEST_BACKOFF_S = 60.0
_LONGEST_RETRY_AFTER_S = 600.0
_UNREACHABLE = ("ConnectError", "ConnectTimeout", "ConnectionRefusedError", "gaierror")
_LOST = ("RemoteProtocolError", "ReadError", "WriteError", "ServerDisconnectedError")
_DENIED = (401, 403, 404)


def open_model(spec: ModelSpec, may_retry: Callable[[BaseException], bool]) -> Model:
    """Return Inspect's model for a spec, with its own connections and our way of retrying.

    ``may_retry`` has the last word on an exception that Inspect would retry.

    Raises
    ------
    UserError
        Where the provider is unknown, its package is missing, or a key is.

    """
    # Inspect warns through logging; with no handler Python would print that over the progress bar
    logging.getLogger("inspect_ai").addHandler(logging.NullHandler())
    hook = sys.excepthook
    try:
        model = _get_model(spec)
    finally:
        sys.excepthook = hook  # Inspect installs its own
    api = model.api
    retried = api.should_retry
    key = f"{api.connection_key()}:{uuid.uuid4().hex}"

    def should_retry(error: Exception) -> Any:
        return retried(error) if may_retry(error) else False

    def wait(state: Any) -> float:
        again: int = state.attempt_number
        backoff = min(spec.settings.backoff_s * 2.0 ** (again - 1), _LONGEST_BACKOFF_S)
        asked = getattr(retried(state.outcome.exception()), "retry_after", None) or 0.0
        return max(backoff * (1 + random.random()), min(float(asked), _LONGEST_RETRY_AFTER_S))

    # On the instance, since these are hooks that every provider inherits: a pool of connections
    # of our own (Inspect keeps the first limit it saw for a key), and retries counted once.
    for name, hook_ in {
        "connection_key": lambda: key,
        "should_retry": should_retry,
        "retry_wait": lambda: wait,
    }.items():
        setattr(api, name, hook_)
    client: Any = getattr(api, "client", None)
    if isinstance(getattr(client, "max_retries", None), int):
        client.max_retries = 0  # the SDK would retry too, uncounted
    return model


def _get_model(spec: ModelSpec) -> Model:
    from inspect_ai._util.error import PrerequisiteError
    from inspect_ai.model import get_model

    name, base_url, key = spec.model, spec.base_url, _api_key(spec)
    extra: dict[str, Any] = {}
    if name == LOCAL:
        from attunement.models.local import MODEL_NAME, local_server

        name, base_url, key = f"openai-api/{MODEL_NAME}", local_server().base_url, "none"
    if base_url is not None and name.startswith("openai-api/") and is_loopback(base_url):
        extra["http_client"] = _direct_client()
    try:
        return get_model(
            name, base_url=base_url, api_key=key, config=base_config(spec), memoize=False, **extra
        )
    except PrerequisiteError as error:
        raise _prerequisite(spec, _plain(str(error.message))) from None
    except ValueError as error:
        raise _unknown(spec, _plain(str(error))) from None
    except ImportError as error:
        raise UserError(
            f"model {spec.model!r} needs a package that is not installed: {error.name or error}.",
            where=f"model {spec.name}",
            fix=f"pip install {error.name}" if error.name else None,
        ) from None
    except Exception as error:
        raise UserError(
            f"model {spec.model!r} cannot be set up: {describe(error)}.", where=f"model {spec.name}"
        ) from error


def _api_key(spec: ModelSpec) -> str | None:
    """Return the key to pass, or None where Inspect is to look for the provider's usual one."""
    if spec.api_key_env is not None:
        key = os.environ.get(spec.api_key_env)
        if not key:
            raise UserError(
                f"the environment variable {spec.api_key_env} is not set.",
                where=f"model {spec.name}",
                fix=f"export {spec.api_key_env}=...",
            )
        return key
    provider, _, rest = spec.model.partition("/")
    if spec.base_url is not None and is_loopback(spec.base_url):
        service = rest.partition("/")[0] if provider == "openai-api" else provider
        usual = f"{service.upper().replace('-', '_')}_API_KEY"
        return os.environ.get(usual) or "none"
    return None


def _direct_client() -> Any:
    """Return an HTTP client that does not send calls to this machine through a proxy."""
    from inspect_ai._util.http_defaults_httpx2 import default_client_kwargs
    from openai import DefaultAsyncHttpxClient

    return DefaultAsyncHttpxClient(**default_client_kwargs(trust_env=False))


def _prerequisite(spec: ModelSpec, said: str) -> UserError:
    where = f"model {spec.name}"
    install = re.search(r"pip install ([\w .\[\]-]+)", said)
    if install:
        return UserError(
            f"model {spec.model!r} needs a package that is not installed.",
            where=where,
            fix=install.group(0).strip(),
        )
    variables = re.findall(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b", said)
    keys = [v for v in variables if not v.endswith("_URL")]
    if keys:
        return UserError(
            f"no key for model {spec.model!r}: the environment variable {keys[0]} is not set.",
            where=where,
            fix=f"export {keys[0]}=..., or name another variable (--api-key-env).",
        )
    if variables:
        return UserError(
            f"no address for model {spec.model!r}.",
            where=where,
            fix=f"Give its base URL (--base-url), or set {variables[0]}.",
        )
    return UserError(f"model {spec.model!r} cannot be set up: {said}", where=where)


def _unknown(spec: ModelSpec, said: str) -> UserError:
    provider = spec.model.partition("/")[0]
    if "not recognized" in said or "format" in said:
        guess = nearest(provider, providers())
        shown = f" Did you mean {guess!r}?" if guess and guess != provider else ""
        return UserError(
            f"no provider is called {provider!r}.{shown}",
            where=f"model {spec.name}",
            fix="Name models as openai/<model>, anthropic/<model>, ..., "
            "openai-api/<service>/<model> with a base URL for any OpenAI-compatible server, or "
            "local.",
        )
    return UserError(f"model {spec.model!r} cannot be set up: {said}.", where=f"model {spec.name}")


def providers() -> list[str]:
    """Return the names of Inspect's providers, and `local`."""
    from inspect_ai._util.registry import registry_find, registry_unqualified_name

    found = registry_find(lambda info: info.type == "modelapi")
    return sorted({registry_unqualified_name(f) for f in found} | {LOCAL})


def base_config(spec: ModelSpec) -> GenerateConfig:
    """Return what of the settings holds for all calls."""
    from inspect_ai.model import GenerateConfig

    settings = spec.settings
    config = GenerateConfig(
        temperature=settings.temperature,
        top_p=settings.top_p,
        max_tokens=settings.max_tokens,
        seed=settings.seed,
        stop_seqs=list(settings.stop) or None,
        max_connections=settings.max_connections,
        max_retries=settings.max_retries,
        attempt_timeout=settings.timeout,
    )
    if spec.model == LOCAL:
        config.max_connections = 1  # one slot: more would only wait inside the server
    return config


def call_config(spec: ModelSpec, call: Call) -> GenerateConfig:
    """Return what holds for one call: its seed and the schema of its answer."""
    from inspect_ai.model import GenerateConfig, ResponseSchema
    from inspect_ai.util import JSONSchema

    config = GenerateConfig(seed=call.seed)
    if spec.model == LOCAL:
        from attunement.models.local import INSTRUCTION, SCHEMA

        config.extra_body = dict(call.local or (SCHEMA if call.schema else INSTRUCTION))
        if call.schema is not None:
            # Inspect leaves out ranges and lengths, which llama.cpp turns into its grammar
            config.extra_body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": call.schema, "strict": True},
            }
        return config
    if call.schema is None:
        return config
    config.response_schema = ResponseSchema(
        name="answer",
        json_schema=JSONSchema.model_validate(call.schema),
        strict=_is_strict(call.schema) or None,
    )
    return config


def _is_strict(schema: dict[str, Any]) -> bool:
    """Return whether a schema keeps OpenAI's rules for strict answers at its top level."""
    properties = schema.get("properties", {})
    return schema.get("additionalProperties") is False and set(schema.get("required", ())) == set(
        properties
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__


def is_unreachable(error: BaseException) -> bool:
    """Return whether no connection to the server came about."""
    return any(
        isinstance(e, ConnectionRefusedError | socket.gaierror) or type(e).__name__ in _UNREACHABLE
        for e in _chain(error)
    )


def is_lost(error: BaseException) -> bool:
    """Return whether a connection came about and ended before the server answered."""
    return status_of(error) is None and any(
        isinstance(e, ConnectionResetError | ConnectionAbortedError | BrokenPipeError)
        or type(e).__name__ in _LOST
        for e in _chain(error)
    )


def is_denied(error: BaseException) -> bool:
    """Return whether the server does not know the key or the model."""
    return status_of(error) in _DENIED


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status behind an exception, or None."""
    for link in _chain(error):
        status = getattr(link, "status_code", None)
        if isinstance(status, int):
            return status
    return None


def describe(error: BaseException) -> str:
    """Return an exception as one line for people and tables, 300 characters at most."""
    last = getattr(error, "last_attempt", None)  # of retries that came to nothing
    error = (last.exception() if last is not None else None) or error
    name = type(error).__name__
    if name in ("AttemptTimeoutError", "APITimeoutError", "TimeoutError", "ReadTimeout"):
        return "no answer in time"
    if is_unreachable(error):
        return "the server cannot be reached"
    if is_lost(error):
        return "the server dropped the connection"
    status = status_of(error)
    said = getattr(error, "provider_message", None) or str(error)
    said = " ".join(_plain(str(said)).split()).strip().rstrip(".") or name
    if status is not None:
        said = re.sub(rf"^Error code: {status} - ", "", said)
        said = f"HTTP {status}: {said}"
    elif name not in said:
        said = f"{name}: {said}"
    return said if len(said) <= 300 else said[:299] + "…"


def _plain(text: str) -> str:
    """Strip rich markup and Inspect's "ERROR:" from a message."""
    text = re.sub(r"\[/?(?:bold|blue|red|italic|bright_black)[a-z ]*\]", "", text)
    return re.sub(r"^ERROR:\s*", "", text.strip())
