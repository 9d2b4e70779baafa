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
    page = run_study(load_study(study(tmp_path, "[recycling]")), run, progress=quiet, say=print)
    ratings = run.read("ratings")
    assert set(ratings["source"]) == {"bot", "reference"}
    assert set(ratings["dimension"]) == {"recycling"}
    assert "ghost" not in page.read_text(encoding="utf-8")


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
    page = run_study(load_study(study(tmp_path)), run, progress=quiet, say=print)
    cells = [c for f in (page.parent / "tables").glob("*.csv") for c in f.read_text().split(",")]
    assert not [c for c in cells if c.lstrip('"').startswith("=")]
    assert pl.Series(run.read("responses")["source"]).is_in(["=cmd()"]).any()
