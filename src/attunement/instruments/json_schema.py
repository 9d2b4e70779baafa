"""The JSON Schema of instrument files, for editors and for checks outside Python."""

from __future__ import annotations

import inspect
import re
from typing import Any

from pydantic import BaseModel

from attunement.instruments import _scales, schema

ID = f"urn:attunement:instrument:{schema.SCHEMA_VERSION}"
"""Names the schema and its version."""


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of an instrument's file.

    Every key carries the description that its model has for it, so that an editor can show it.
    """
    found = schema.Instrument.model_json_schema()
    for name, node in [("Instrument", found), *found.get("$defs", {}).items()]:
        model = getattr(schema, name, None) or getattr(_scales, name)
        _describe(model, node)
    _name_keys(found)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ID,
        **found,
        "title": f"Attunement instrument, version {schema.SCHEMA_VERSION}",
    }


def _describe(model: type[BaseModel], node: dict[str, Any]) -> None:
    text = inspect.getdoc(model) or ""
    summary, _, parameters = text.partition("\nParameters\n----------\n")
    node["description"] = " ".join(summary.split())
    for names, said in re.findall(r"^(\S.*)\n((?:    .*\n?|\n)+)", parameters, re.MULTILINE):
        for name in names.split(", "):
            node["properties"][name]["description"] = " ".join(said.replace("``", "`").split())
    for key in node["properties"].values():
        key.pop("title", None)


def _name_keys(found: dict[str, Any]) -> None:
    # keys of a JSON object are text, so the numbers among them are named as text
    anchors = found["$defs"]["BooleanScale"]["properties"]["anchors"]
    anchors["propertyNames"] = {"enum": ["0", "1"]}
