"""A stub server on loopback, and a spec that points to it."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from attunement.inspect_bridge import ModelSpec, Settings

STUB = Path(__file__).parents[1] / "stubs" / "llm.py"


@pytest.fixture(scope="session")
def stub() -> ModuleType:
    spec = importlib.util.spec_from_file_location("attunement_stub_llm_bridge", STUB)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


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
