"""Which settings, addresses and prices a model can have."""

from typing import Any

import pytest

from attunement.errors import UserError
from attunement.inspect_bridge import ModelSpec, Settings


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"max_connections": 0}, "max_connections is 1 or more"),
        ({"max_retries": -1}, "max_retries is 0 or more"),
        ({"temperature": float("nan")}, "a temperature is 0 or more"),
        ({"temperature": -0.1}, "a temperature is 0 or more"),
        ({"top_p": 1.5}, "top_p lies between 0 and 1"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        Settings(**settings)


@pytest.mark.parametrize(
    "url", ["127.0.0.1:8000/v1", "ftp://host/v1", "http://", "", "http://[::1", "http://a:b/v1"]
)
def test_an_address_that_no_server_has(url: str) -> None:
    with pytest.raises(UserError, match="is not the address of a server"):
        ModelSpec("m", "openai-api/stub/m", base_url=url)


@pytest.mark.parametrize("price", [float("nan"), float("inf"), -1.0])
@pytest.mark.parametrize("which", ["price_in", "price_out"])
def test_a_price_that_is_none(which: str, price: float) -> None:
    with pytest.raises(UserError, match="is not a price"):
        ModelSpec("m", "openai/m", **{which: price})


def test_a_model_without_a_provider() -> None:
    with pytest.raises(UserError, match=r"'gpt-4o' names no provider.*openai/gpt-4o"):
        ModelSpec("m", "gpt-4o")
