"""What every page of a report shares: how it is rendered, and the files that stand beside it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any

import polars as pl

from attunement.report.cells import Table
from attunement.report.formats import DASH, readable
from attunement.report.picture import Figure
from attunement.tables import encode_nested, for_spreadsheet

INDEX = "index.html"


def write_page(
    folder: str | Path, html: str, tables: Iterable[Table | None], figures: Iterable[Figure | None]
) -> Path:
    """Write a page, its tables as CSV and its figures as SVG and PNG; return where the page is.

    The folder is made where it does not exist; files of the same names are replaced.
    """
    out = Path(folder)
    for table in tables:
        if table is not None:
            _write(out / "tables" / f"{table.id}.csv", _csv(table.frame))
    for figure in figures:
        if figure is not None:
            _write(out / "figures" / f"{figure.id}.svg", figure.svg.encode())
            _write(out / "figures" / f"{figure.id}.png", figure.png)
    index = out / INDEX
    _write(index, html.encode())
    return index


def render(template: str, page: Any) -> str:
    """Return a page as HTML; what is not ours is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("attunement.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["dash"] = DASH
    return environment.get_template(template).render(page=page)


def _finalize(value: Any) -> Any:
    # Markup is ours; every other text may be someone's, and is cleaned before it is escaped.
    return readable(value) if type(value) is str else value


def assets() -> tuple[str, str]:
    """Return the style sheet and the script that a page has inlined."""
    folder = resources.files("attunement.report") / "assets"
    css, script = ((folder / f"page.{end}").read_text(encoding="utf-8") for end in ("css", "js"))
    return css, script


def policy(css: str, script: str) -> str:
    """Return the content security policy that allows just this style and script."""
    return (
        f"default-src 'none'; style-src '{_sha256(css)}'; script-src '{_sha256(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _sha256(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _csv(frame: pl.DataFrame) -> bytes:
    # An empty field is a missing number; the reason stands in its own column.
    floats = [c for c, t in frame.schema.items() if t.is_float()]
    text = for_spreadsheet(
        encode_nested(frame.with_columns(pl.col(floats).fill_nan(None)))
    ).write_csv()
    return text.encode()


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(content)
    part.replace(path)
