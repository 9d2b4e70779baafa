import os
import webbrowser
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import typer
from typer.testing import CliRunner

from attunement.cli.report import report
from attunement.runs import Run

app = typer.Typer()
app.command("report")(report)
runner = CliRunner()


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the figures out: drawing them takes seconds."""
    monkeypatch.setattr("attunement.report.figures.draw_all", lambda *_: {})


def a_run(folder: Path) -> Run:
    """Write a run of six questions, three sources and two metrics, and return it."""
    rng = np.random.default_rng(1)
    items, responses, ratings = [], [], []
    for i in range(6):
        asked = [{"role": "user", "text": f"Question {i}?"}]
        items.append({"item_id": f"q{i}", "topic": "sleep", "turns": asked})
        for source in ("reference", "warm", "cold"):
            answer = {"item_id": f"q{i}", "source": source, "text": f"Answer {i} of {source}."}
            responses.append(answer)
            for metric in ("sentiment_change", "recycling"):
                ratings.append(
                    {
                        "unit": "response",
                        "unit_id": f"q{i}/{source}/0",
                        "item_id": f"q{i}",
                        "source": source,
                        "rater": "metric:standard",
                        "rater_kind": "metric",
                        "instrument": "nuance@1",
                        "dimension": metric,
                        "value": float(rng.normal()),
                        "status": "ok",
                    }
                )
    run = Run(folder)
    run.describe(name="Six questions")
    run.write(pl.DataFrame(items), "items")
    run.write(pl.DataFrame(responses), "responses")
    run.write(pl.DataFrame(ratings), "ratings")
    return run


def test_the_report_is_written_into_the_run_and_its_path_printed(tmp_path: Path) -> None:
    a_run(tmp_path)
    result = runner.invoke(app, [str(tmp_path)])
    assert result.exit_code == 0
    page = tmp_path / "report" / "index.html"
    assert result.stdout.strip() == str(page)
    assert '<h1 dir="auto">Six questions</h1>' in page.read_text(encoding="utf-8")
    assert (tmp_path / "analysis.json").exists()


@pytest.mark.usefixtures("undrawn")
def test_the_page_goes_where_it_is_wanted_under_the_wanted_title(tmp_path: Path) -> None:
    a_run(tmp_path / "run")
    where = tmp_path / "elsewhere"
    asked = [str(tmp_path / "run"), "--out", str(where), "--title", "My & title"]
    assert runner.invoke(app, asked).exit_code == 0
    assert "My &amp; title" in (where / "index.html").read_text(encoding="utf-8")
    assert not (tmp_path / "run" / "report").exists()


@pytest.mark.usefixtures("undrawn")
def test_an_analysis_that_is_there_is_kept_until_the_ratings_are_newer(tmp_path: Path) -> None:
    run = a_run(tmp_path)
    runner.invoke(app, [str(tmp_path)])
    kept = tmp_path / "analysis.json"
    first = kept.read_bytes()
    kept.write_bytes(first.replace(b"sentiment_change", b"sentiment_shift"))
    os.utime(kept, (2e9, 2e9))
    runner.invoke(app, [str(tmp_path)])
    assert kept.read_bytes() != first
    os.utime(run.table_path("ratings"), (2.1e9, 2.1e9))
    runner.invoke(app, [str(tmp_path)])
    assert kept.read_bytes() == first


@pytest.mark.usefixtures("undrawn")
def test_the_page_is_opened_only_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    a_run(tmp_path)
    runner.invoke(app, [str(tmp_path)])
    assert opened == []
    runner.invoke(app, [str(tmp_path), "--open"])
    assert opened == [(tmp_path / "report" / "index.html").resolve().as_uri()]


@pytest.mark.usefixtures("undrawn")
def test_a_run_s_own_title_and_settings_hold(tmp_path: Path) -> None:
    run = a_run(tmp_path)
    settings = {"report": {"title": "Own"}, "analyze": {"seed": 7, "replicates": 150}}
    run.describe(configuration=settings)
    runner.invoke(app, [str(tmp_path)])
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "<title>Own</title>" in page
    assert "150 replicates, seed 7" in page


@pytest.mark.parametrize("missing", ["folder", "ratings"])
def test_a_run_that_is_not_there_is_named_without_a_traceback(tmp_path: Path, missing: str) -> None:
    if missing == "ratings":
        a_run(tmp_path / "run").table_path("ratings").unlink()
    result = runner.invoke(app, [str(tmp_path / "run")])
    assert result.exit_code == 2
    assert "Error:" in result.output
    assert "Traceback" not in result.output
