"""The JSON Schema that editors use says the same as the loader."""

import json
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
import yaml

from attunement.instruments import SCHEMA_VERSION, list_instruments
from attunement.instruments.json_schema import json_schema


def as_json(data: Any) -> Any:
    """What an editor sees: keys of mappings are text."""
    return json.loads(json.dumps(data))


def library(name: str) -> Any:
    file = files("attunement.instruments") / "library" / f"{name.partition('@')[0]}.yaml"
    return as_json(yaml.safe_load(file.read_text("utf-8")))


def test_it_is_a_schema_with_a_version() -> None:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"].endswith(f":{SCHEMA_VERSION}")
    assert json.loads(json.dumps(schema)) == schema


def test_every_key_is_described() -> None:
    schema = json_schema()
    for node in (schema, *schema["$defs"].values()):
        assert node["description"]
        for key, said in node["properties"].items():
            assert said.get("description"), key


@pytest.mark.parametrize("name", list_instruments())
def test_the_library_is_valid_by_it(name: str) -> None:
    jsonschema.Draft202012Validator(json_schema()).validate(library(name))


@pytest.mark.parametrize(
    "change",
    [{"titel": {}}, {"unit": "answer"}, {"version": 0}, {"schema_version": 2}, {"dimensions": []}],
)
def test_a_faulty_file_is_not(change: dict[str, Any]) -> None:
    faulty = {**library("counselbench-eval"), **change}
    assert not jsonschema.Draft202012Validator(json_schema()).is_valid(faulty)
