"""A spec that points to a stub server."""

from collections.abc import Callable
from typing import Any

import pytest

from attunement.inspect_bridge import ModelSpec, Settings


@pytest.fixture
def spec_for() -> Callable[..., ModelSpec]:
    def make(server: Any, **settings: Any) -> ModelSpec:
        chosen = {"backoff_s": 0.01, "max_retries": 2, **settings}
        return ModelSpec(
            "m",
            "openai-api/stub/m",
            base_url=server if isinstance(server, str) else server.base_url,
            settings=Settings(**chosen),
        )

    return make
