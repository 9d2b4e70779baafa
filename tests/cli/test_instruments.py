"""``attunement instruments``: list, show, check, codebook, preview, schema."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from attunement.cli import app
from attunement.instruments import list_instruments, load_instrument


def run(*words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["instruments", *words], env={"COLUMNS": "200"})
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def answer(*words: str, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*words, "--json", code=code).stdout)
    assert found["results"] == []
    return found


def test_the_library_is_listed() -> None:
    assert [i["name"] for i in answer("list")["instruments"]] == list_instruments()
    shown = run("list").stdout
    for name in list_instruments():
        assert name in shown


def test_an_instrument_is_shown_with_its_caution_scales_and_source() -> None:
    shown = run("show", "crisis-handling").stdout
    assert "Caution: Not clinically validated." in shown
    assert "recognizes_risk  Does the answer show that it has seen the risk?" in shown
    assert "higher is better" in shown
    assert "License: Apache-2.0" in shown
    ces = " ".join(run("show", "ces-lcc", "--language", "it").stdout.split())
    assert "crr3 Le risposte del chatbot non sono pertinenti alle mie domande." in ces
    assert "reversed; priority 3" in ces
    step = run("show", "socio-emotional:filter").stdout
    assert "keep" in step
    assert "fluency" not in step


def test_an_instrument_as_json_is_the_whole_file() -> None:
    shown = answer("show", "counselbench-adv")["instrument"]
    assert shown["dimensions"][0]["examples"][0]["rating"] == 1
    assert shown == load_instrument("counselbench-adv").model_dump(mode="json")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "ces-lc"), "did you mean 'ces-lcc'"),
        (("show", "ces-lcc", "--language", "fr"), "no texts in 'fr'"),
        (("codebook", "ces-lcc", "--format", "xml"), "unknown format 'xml'"),
        (("codebook", "counselbench-adv", "--language", "de"), "no texts in 'de'"),
        (("preview", "counselbench-adv", "--language", "de"), "no texts in 'de'"),
        (("check", "missing.yaml"), "no such file"),
        (("schema", "--out", "missing/x.json"), "cannot be written"),
    ],
)
def test_a_mistake_is_exit_2_with_a_reason(words: tuple[str, ...], said: str) -> None:
    assert said in run(*words, code=2).stderr


def test_a_faulty_file_is_exit_1_with_line_key_reason_and_nearest(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("id: mine\nversion: 1\ntitel: {en: Mine}\n")
    shown = run("check", str(file), code=1).stdout
    assert "titel" in shown
    assert "unknown key" in shown
    found = answer("check", str(file), code=1)
    assert not found["ok"]
    assert {
        "file": str(file),
        "line": 3,
        "key": "titel",
        "reason": "unknown key",
        "nearest": "title",
    } in found["problems"]


def test_a_valid_file_is_exit_0(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    text = load_instrument("nuance-judges").model_dump_json(exclude_none=True)
    file.write_text(text)  # JSON is YAML
    assert "nothing wrong" in run("check", str(file)).stderr
    assert answer("check", str(file))["ok"]


def test_an_instrument_of_the_library_can_be_checked() -> None:
    assert "nothing wrong" in run("check", "counselbench-eval").stderr


def test_the_codebook_is_markdown_or_csv_on_the_screen_or_in_a_file(tmp_path: Path) -> None:
    assert run("codebook", "ces-lcc").stdout.startswith("# CES-LCC")
    italian = run("codebook", "ces-lcc", "--language", "it").stdout
    assert "The chatbot consistently" not in italian
    rows = list(csv.DictReader(io.StringIO(run("codebook", "ces-lcc", "--format", "csv").stdout)))
    assert len(rows) == 27
    run("codebook", "ces-lcc", "--out", str(tmp_path / "c.md"))
    assert (tmp_path / "c.md").read_text("utf-8") == run("codebook", "ces-lcc").stdout


@pytest.mark.parametrize("name", list_instruments())
def test_the_preview_has_the_form_and_the_judges_words(tmp_path: Path, name: str) -> None:
    file = tmp_path / "p.html"
    run("preview", name, "--out", str(file))
    page = file.read_text("utf-8")
    first = load_instrument(name).dimensions[0]
    assert f'name="{first.id}' in page
    assert "What a judge is asked" in page


def test_the_preview_is_named_after_the_instrument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("preview", "ces-lcc", "--language", "it")
    page = (tmp_path / "ces-lcc.html").read_text("utf-8")
    assert "Che cosa si chiede a un giudice" in page


def test_the_schema_is_json_with_its_version(tmp_path: Path) -> None:
    assert json.loads(run("schema").stdout)["$id"] == "urn:attunement:instrument:1"
    run("schema", "--out", str(tmp_path / "s.json"))
    assert (tmp_path / "s.json").read_text("utf-8") == run("schema").stdout


def test_the_list_cuts_nothing_on_eighty_columns() -> None:
    shown = CliRunner().invoke(app, ["instruments", "list"], env={"COLUMNS": "80"}).stdout
    assert "…" not in shown
    assert all(len(line) <= 80 for line in shown.splitlines())
