"""A stub server, a spec that points to it, and small tables of items."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl
import pytest

from attunement.inspect_bridge import ModelSpec, Settings

STUB = Path(__file__).parents[1] / "stubs" / "llm.py"


@pytest.fixture(scope="session")
def stub() -> ModuleType:
    spec = importlib.util.spec_from_file_location("attunement_stub_llm_respond", STUB)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def spec_for() -> Callable[..., ModelSpec]:
    def make(server: Any, name: str = "m", **settings: Any) -> ModelSpec:
        chosen = {"backoff_s": 0.01, "max_retries": 1, **settings}
        return ModelSpec(
            name,
            f"openai-api/stub/{name}",
            base_url=server.base_url,
            settings=Settings(**chosen),
            price_in=1.0,
            price_out=2.0,
        )

    return make


@pytest.fixture
def items() -> Callable[..., pl.DataFrame]:
    def make(*questions: str) -> pl.DataFrame:
        return pl.DataFrame(
            {
                "item_id": [f"q{i}" for i in range(len(questions))],
                "turns": [[{"role": "user", "text": q}] for q in questions],
            }
        )

    return make
