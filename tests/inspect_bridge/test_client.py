"""Setting a model up: what a user gets wrong is said in plain words."""

import sys

import pytest

from attunement.errors import UserError
from attunement.inspect_bridge import Call, Message, ModelSpec, ask


def start(spec: ModelSpec) -> None:
    next(ask(spec, [Call("k", (Message("user", "hello"),))], journal=None))


@pytest.fixture(autouse=True)
def no_keys(monkeypatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ACME_API_KEY", "ACME_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_an_unknown_provider_names_the_nearest() -> None:
    with pytest.raises(UserError, match=r"'opnai'.*Did you mean 'openai'"):
        start(ModelSpec("m", "opnai/gpt-4o"))


def test_a_missing_key_names_its_variable() -> None:
    with pytest.raises(UserError, match="OPENAI_API_KEY"):
        start(ModelSpec("m", "openai/gpt-4o"))


def test_a_missing_key_of_a_server_elsewhere_names_its_variable() -> None:
    with pytest.raises(UserError, match="ACME_API_KEY"):
        start(ModelSpec("m", "openai-api/acme/m", base_url="https://acme.invalid/v1"))


def test_a_missing_key_of_ones_own_variable_names_it(stub) -> None:
    with stub.StubLLM() as server, pytest.raises(UserError, match="MY_KEY"):
        start(ModelSpec("m", "openai-api/acme/m", base_url=server.base_url, api_key_env="MY_KEY"))
    assert server.calls == 0


def test_the_key_of_ones_own_variable_is_sent(stub, monkeypatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret-7")
    with stub.StubLLM() as server:
        start(ModelSpec("m", "openai-api/acme/m", base_url=server.base_url, api_key_env="MY_KEY"))
    headers = {k.lower(): v for k, v in server.request_headers[0].items()}
    assert headers["authorization"] == "Bearer secret-7"


def test_a_server_on_this_machine_needs_no_key(stub) -> None:
    with stub.StubLLM() as server:
        start(ModelSpec("m", "openai-api/acme/m", base_url=server.base_url))
    assert server.calls == 1


def test_a_missing_address_says_how_to_give_it(monkeypatch) -> None:
    monkeypatch.setenv("ACME_API_KEY", "k")
    with pytest.raises(UserError, match=r"no address.*--base-url"):
        start(ModelSpec("m", "openai-api/acme/m"))


def test_a_missing_package_says_how_to_install_it(monkeypatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setitem(sys.modules, "anthropic", None)
    with pytest.raises(UserError, match="pip install anthropic"):
        start(ModelSpec("m", "anthropic/claude-x"))


def test_the_exception_hook_stays_as_it_was(stub) -> None:
    hook = sys.excepthook
    with stub.StubLLM() as server:
        start(ModelSpec("m", "openai-api/acme/m", base_url=server.base_url))
    assert sys.excepthook is hook
