from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest

from attunement.errors import UserError
from attunement.pipeline import load_study, run_study
from attunement.runs import Run

QUESTIONS = "item_id,question,reference\n" + "".join(
    f"q{n},I feel sad today,It sounds hard. I am glad that you told me.\n" for n in range(4)
)


@contextmanager
def quiet(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    yield lambda n: None


def answers(folder: Path, *sources: str) -> None:
    rows = [f"q{n},{s},You could try to rest a little.\n" for n in range(4) for s in sources]
    (folder / "a.csv").write_text("item_id,source,text\n" + "".join(rows), encoding="utf-8")


def study(folder: Path, metrics: str = "[sentiment_change, recycling]") -> Path:
    (folder / "q.csv").write_text(QUESTIONS, encoding="utf-8")
    path = folder / "study.yaml"
    path.write_text(
        f"name: small\ndata: {{source: table, path: q.csv}}\nresponses: [a.csv]\n"
        f"score: {{metrics: {metrics}}}\nanalyze: {{replicates: 100}}\n",
        encoding="utf-8",
    )
    return path


def test_what_an_earlier_version_of_the_study_rated_is_gone(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    answers(tmp_path, "bot", "ghost")
    run_study(load_study(study(tmp_path)), run, progress=quiet, say=print)
    answers(tmp_path, "bot")
    done = run_study(load_study(study(tmp_path, "[recycling]")), run, progress=quiet, say=print)
    ratings = run.read("ratings")
    assert set(ratings["source"]) == {"bot", "reference"}
    assert set(ratings["dimension"]) == {"recycling"}
    assert "ghost" not in done.page.read_text(encoding="utf-8")


def test_a_reference_is_rated_once_however_many_answers_its_item_has(tmp_path: Path) -> None:
    """Answers are rated batch by batch, and an item's may stand in several."""
    path = study(tmp_path, "[recycling]")
    n = 1100
    lines = [f"q{i},I feel sad today,It sounds hard.\n" for i in range(n)]
    (tmp_path / "q.csv").write_text("item_id,question,reference\n" + "".join(lines), "utf-8")
    rows = [f"q{i},{s},You could rest.\n" for s in "ab" for i in range(n)]
    (tmp_path / "a.csv").write_text("item_id,source,text\n" + "".join(rows), "utf-8")
    run = Run(tmp_path / "run")
    run_study(load_study(path), run, progress=quiet, say=print)
    counts = run.read("ratings").group_by("source").len()
    assert dict(counts.iter_rows()) == {"a": n, "b": n, "reference": n}


def test_metrics_of_systems_have_a_table_of_their_own(tmp_path: Path) -> None:
    answers(tmp_path, "bot", "calm")
    run = Run(tmp_path / "run")
    said: list[str] = []
    path = study(tmp_path, "[recycling, length, distinct_1]")
    run_study(load_study(path), run, progress=quiet, say=said.append)
    table = pl.read_csv(run.folder / "systems.csv")
    assert set(table["metric"]) == {"length", "distinct_1"}
    bot = table.filter(source="bot", metric="distinct_1")
    # Four times the same seven words, of 28
    assert (bot["name"].item(), bot["estimate"].item()) == ("corpus", pytest.approx(7 / 28))
    assert any("systems.csv" in line for line in said)
    run_study(load_study(study(tmp_path)), run, progress=quiet, say=print)
    assert not (run.folder / "systems.csv").exists()


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    answers(tmp_path, "bot")
    run = Run(tmp_path / "run")
    with run.lock(), pytest.raises(UserError, match="at work in this folder"):
        run_study(load_study(study(tmp_path)), run, progress=quiet, say=print)


def test_a_folder_with_another_study_is_refused(tmp_path: Path) -> None:
    answers(tmp_path, "bot")
    run = Run(tmp_path / "run")
    run.describe(fingerprint="another")
    with pytest.raises(UserError, match="other data"):
        run_study(load_study(study(tmp_path)), run, progress=quiet, say=print)


def test_two_answers_with_one_id_are_refused(tmp_path: Path) -> None:
    answers(tmp_path, "bot", "bot")
    with pytest.raises(UserError):
        run_study(load_study(study(tmp_path)), Run(tmp_path / "run"), progress=quiet, say=print)


def test_a_source_with_a_formula_for_a_name_is_no_formula_in_the_tables(tmp_path: Path) -> None:
    answers(tmp_path, "=cmd()")
    run = Run(tmp_path / "run")
    page = run_study(load_study(study(tmp_path)), run, progress=quiet, say=print).page
    cells = [c for f in (page.parent / "tables").glob("*.csv") for c in f.read_text().split(",")]
    assert not [c for c in cells if c.lstrip('"').startswith("=")]
    assert pl.Series(run.read("responses")["source"]).is_in(["=cmd()"]).any()
