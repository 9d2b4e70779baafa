"""Writing an instrument as the YAML that it can be read from again."""

from __future__ import annotations

import yaml

from attunement.instruments.schema import Instrument


def to_yaml(instrument: Instrument) -> str:
    """Return an instrument's file; what has its default is left out.

    Reading it with `attunement.instruments.parse_instrument` gives an equal instrument.
    """
    content = instrument.model_dump(exclude_defaults=True)
    content = {"schema_version": instrument.schema_version, **content}
    return yaml.safe_dump(content, allow_unicode=True, sort_keys=False, width=100)
