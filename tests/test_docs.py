"""The documents say what the code says."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest
import typer.main

import attunement
from attunement.cli import app
from attunement.pipeline.config import Study
from attunement.raters.metrics import metrics
from attunement.reproduce import PAPERS

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
COMMANDS = runpy.run_path(str(ROOT / "scripts" / "write_commands.py"))


def commands() -> list[tuple[str, Any]]:
    return COMMANDS["_walk"](typer.main.get_command(app), "attunement")  # type: ignore[no-any-return]


def test_the_command_reference_is_up_to_date() -> None:
    written = (DOCS / "commands.md").read_text(encoding="utf-8")
    assert written == COMMANDS["page"](), "run: make docs"


@pytest.mark.parametrize(("name", "command"), commands())
def test_every_command_and_option_says_what_it_does(name: str, command: Any) -> None:
    assert command.help, name
    silent = [p.name for p in command.params if not getattr(p, "help", None)]
    assert silent == []
    # Rich breaks a line where the text does, in the middle of a terminal's width.
    assert [p for p in command.help.split("\n\n") if "\n" in p] == []


def test_every_public_name_has_its_paragraph() -> None:
    text = (DOCS / "python.md").read_text(encoding="utf-8")
    assert [n for n in attunement.__all__ if f"`{n}" not in text] == []


def test_every_metric_has_its_section() -> None:
    text = (DOCS / "metrics.md").read_text(encoding="utf-8")
    assert [m for m in metrics() if m not in text] == []


def test_every_key_of_a_study_file_is_explained() -> None:
    text = (DOCS / "study-file.md").read_text(encoding="utf-8")
    keys = set(Study.model_fields)
    for field in ("data", "generate", "score", "analyze", "report"):
        keys |= set(Study.model_fields[field].annotation.model_fields)  # type: ignore[union-attr]
    for part in ("models", "judges"):
        (inner,) = Study.model_fields[part].annotation.__args__  # type: ignore[union-attr]
        keys |= set(inner.model_fields)
    assert sorted(k for k in keys if f"`{k}`" not in text) == []


def test_every_paper_that_can_be_reproduced_is_in_the_generated_page() -> None:
    text = (DOCS / "reproductions.md").read_text(encoding="utf-8")
    assert [p for p in PAPERS if f"## {p}" not in text] == []


def test_links_between_documents_lead_somewhere() -> None:
    broken = []
    for file in [*DOCS.glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#]+)", file.read_text(encoding="utf-8")):
            if "://" not in target and not (file.parent / target).exists():
                broken.append(f"{file.name}: {target}")
    assert broken == []
