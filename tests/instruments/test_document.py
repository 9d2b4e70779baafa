"""docs/instruments.md names every key, every scale and every instrument, and its file is valid."""

import re
from pathlib import Path

import pytest

from attunement.instruments import list_instruments, parse_instrument
from attunement.instruments.json_schema import json_schema

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "instruments.md").read_text("utf-8")
SCHEMA = json_schema()


@pytest.mark.parametrize("model", ["Instrument", *sorted(SCHEMA["$defs"])])
def test_every_key_is_explained(model: str) -> None:
    node = SCHEMA if model == "Instrument" else SCHEMA["$defs"][model]
    assert [key for key in node["properties"] if f"`{key}`" not in PAGE] == []


def test_every_instrument_of_the_library_is_listed() -> None:
    assert [n for n in list_instruments() if f"| `{n.partition('@')[0]}` |" not in PAGE] == []


def test_the_example_is_an_instrument() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert parse_instrument(text, where="docs").name == "warmth@1"
