"""``attunement reliability`` and ``attunement scale``, from files to numbers and to advice."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from attunement.cli import app
from attunement.tables import conform, write_table
from stubs.likert import answers, with_gaps

NAMES = [f"x{i}" for i in range(1, 10)]
SUBSCALES = ["--items", "f=x1,x2,x3", "--items", "g=x4,x5,x6", "--items", "h=x7,x8,x9"]
SCALE = [*SUBSCALES, "--ends", "1,5"]


def run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(w) for w in words], env={"COLUMNS": "200"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def found(*words: object) -> dict[str, Any]:
    result = CliRunner().invoke(app, [*(str(w) for w in words), "--json"])
    assert result.exit_code == 0, result.output
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def refused(*words: object) -> str:
    code, output = run(*words)
    assert code == 2, output
    return " ".join(output.split())


def table(tmp_path: Path, values: np.ndarray, **columns: list[str]) -> Path:
    frame = pl.DataFrame(
        {
            "respondent": [f"p{i}" for i in range(len(values))],
            **columns,
            **dict(zip(NAMES, values.T, strict=True)),
        }
    ).with_columns(pl.col(pl.Float64).fill_nan(None))
    frame.write_csv(tmp_path / "answers.csv")
    return tmp_path / "answers.csv"


def named(answer: dict[str, Any], name: str, **group: str) -> dict[str, Any]:
    (only,) = [r for r in answer["results"] if r["name"] == name and r["group"] == group]
    return only  # type: ignore[no-any-return]


def test_reliability_prints_the_numbers_of_r(tmp_path: Path) -> None:
    answer = found("reliability", table(tmp_path, with_gaps()), *SCALE, "--replicates", 20)
    alpha = named(answer, "alpha", scale="f")
    assert alpha["estimate"] == pytest.approx(0.6969228374)  # psych, pairwise
    assert alpha["n"] + alpha["n_missing"] == answer["n_respondents"] == 300
    item = named(answer, "item_total", scale="f", item="x3")
    assert item["estimate"] == pytest.approx(0.4272082550)
    assert answer["table"][0]["dimension"] == "f"
    assert answer["sentences"]


def test_reliability_shows_the_layout_of_the_paper(tmp_path: Path) -> None:
    code, output = run("reliability", table(tmp_path, answers()), *SCALE, "--replicates", 20)
    assert code == 0
    assert "inter-item mean" in output
    assert "0.35 to 0.56" in output
    assert "Omega hierarchical: 0.61" in output


def test_the_whole_alone_and_listwise(tmp_path: Path) -> None:
    path = table(tmp_path, with_gaps())
    words = [*SCALE, "--by", "whole", "--missing", "listwise", "--replicates", 0]
    answer = found("reliability", path, *words)
    assert {r["group"]["scale"] for r in answer["results"]} == {"overall"}
    assert len({r["n"] for r in answer["results"]}) == 1


def test_reversed_items_are_turned_once(tmp_path: Path) -> None:
    x = answers().copy()
    x[:, 2] = 6 - x[:, 2]
    path = table(tmp_path, x)
    answer = found("reliability", path, *SCALE, "--reverse", "x3", "--replicates", 0)
    assert named(answer, "alpha", scale="f")["estimate"] == pytest.approx(0.6888735621)
    plain = found("reliability", path, *SCALE, "--replicates", 0)
    assert any("negatively" in s for s in plain["sentences"])


def test_the_ces_lcc_is_known_by_its_name(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    subscales = ("UR", "PHI", "CRR", "LQ", "T", "ES", "GD", "M", "OS")
    ids = [f"{subscale}{i}" for subscale in subscales for i in (1, 2, 3)]
    common = rng.standard_normal((60, 1))
    values = np.clip(np.round(3 + common + 0.7 * rng.standard_normal((60, 27))), 1, 5)
    values[:, 8] = 6 - values[:, 8]
    path = tmp_path / "ces.csv"
    pl.DataFrame(dict(zip(ids, values.astype(int).T, strict=True))).write_csv(path)
    answer = found("reliability", path, "--instrument", "ces-lcc", "--replicates", 0)
    assert [row["dimension"] for row in answer["table"]][-2:] == ["os", "overall"]
    assert named(answer, "item_total", scale="crr", item="crr3")["estimate"] > 0.3
    short = found("scale", "score", path, "--instrument", "ces-lcc", "--short", 1)
    assert short["minimum"]["overall"] == 6
    assert named(short, "expected_alpha", scale="overall")["estimate"] > 0.7
    assert "With 9 items" in short["sentences"][0]


def test_scores_are_written_and_summed_up(tmp_path: Path) -> None:
    out = tmp_path / "scores.csv"
    answer = found("scale", "score", table(tmp_path, answers()), *SCALE, "--out", out)
    assert named(answer, "score", scale="f")["estimate"] == pytest.approx(answers()[:, :3].mean())
    written = pl.read_csv(out)
    assert written.columns == ["respondent", "scale", "score", "answered"]
    assert written.height == 300 * 4
    code, output = run("scale", "score", table(tmp_path, answers()), *SCALE)
    assert code == 0
    assert "items needed" in output


def test_two_chatbots_are_compared(tmp_path: Path) -> None:
    sources = [("one", "two")[i % 2] for i in range(300)]
    path = table(tmp_path, answers(), source=sources)
    answer = found("scale", "compare", path, "one", "two", *SCALE)
    assert answer["design"] == "independent"
    assert len(answer["tests"]) == 4
    assert named(answer, "hedges_g", scale="f", a="one", b="two")["n"] == 300
    code, output = run("scale", "compare", path, "one", "two", *SCALE)
    assert code == 0
    assert "p corrected" in output


def test_a_large_difference_is_compared_and_its_p_value_is_not_0(tmp_path: Path) -> None:
    low = np.where(np.arange(60)[:, None] % 2, 1.0, 2.0).repeat(9, axis=1)
    high = np.full((60, 9), 5.0)
    both = table(tmp_path, np.concatenate([low, high]), source=["one"] * 60 + ["two"] * 60)
    code, output = run("scale", "compare", both, "one", "two", *SCALE, "--design", "independent")
    assert code == 0, output
    assert "<0.001" in output


def test_structure_prints_factors_and_fit(tmp_path: Path) -> None:
    path = table(tmp_path, answers())
    answer = found("scale", "structure", path, *SCALE, "--replicates", 0)
    assert answer["parallel_analysis"]["suggested"] == 1
    assert named(answer, "cfi", estimator="wlsmv")["estimate"] == pytest.approx(0.9939056141)
    code, output = run("scale", "structure", path, *SCALE, "--replicates", 0, "--factors", 3)
    assert code == 0
    assert "RMSEA" in output


def test_a_saturated_model_has_no_p_value(tmp_path: Path) -> None:
    path = table(tmp_path, answers())
    words = ["--items", "x1,x2,x3", "--ends", "1,5", "--replicates", 0]
    answer = found("scale", "structure", path, *words)
    assert [m["p_value"] for m in answer["model"]] == [None, None]
    assert [m["degrees"] for m in answer["model"]] == [0, 0]


def test_a_plan_says_how_many(tmp_path: Path) -> None:
    answer = found("scale", "plan", "--alpha", 0.8, "--half-width", 0.1, "--replicates", 30)
    assert "respondents: then the interval of an alpha of 0.8" in answer["sentences"][0]
    words = ["--factors", 2, "--respondents", "60,300", "--replicates", 10]
    trials = found("scale", "plan", *words)["results"]
    assert [t["group"]["respondents"] for t in trials] == ["60", "300"]
    code, output = run("scale", "plan", *words)
    assert code == 0
    assert "came out well" in output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no scale is named"),
        (["--items", "x1,x2", "--ends", "5"], "not two numbers"),
        (["--items", "x1,x12"], "no column for the item 'x12'; did you mean 'x"),
        (["--items", "x1"], "at least two items"),
        (["--items", "x1,x2", "--reverse", "x3"], "is reversed and no item"),
        (["--items", "x1,x2", "--missing", "pair"], "Did you mean pairwise?"),
        (["--items", "x1,x2", "--ci-level", "95"], "between 0 and 1"),
        (["--items", "x1,x2", "--source", "bot"], "no answers about 'bot'"),
        (["--items", "x1,x2", "--id", "who"], "no column 'who'"),
        (["--items", "x1,x2", "--ends", "1,4"], "off the scale of x"),
        (["--instrument", "ces-lcc", "--reverse", "crr3"], "is what the instrument says"),
        (["--items", "f=x1,x2", "--items", "x3,x4"], "a name of its own"),
    ],
)
def test_a_mistake_is_said(tmp_path: Path, words: list[str], message: str) -> None:
    assert message in refused("reliability", table(tmp_path, answers()), *words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--loading", 2], "needs a loading"),
        (["--alpha", 1.5], "needs an alpha"),
        (["--respondents", "many"], "not a list of numbers"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(words: list[object], message: str) -> None:
    assert message in refused("scale", "plan", *words)


def test_nan_is_null_with_a_reason(tmp_path: Path) -> None:
    x = answers().copy()
    x[:, 1] = 2
    answer = found("reliability", table(tmp_path, x), *SCALE, "--replicates", 0)
    omega = named(answer, "omega_total", scale="f")
    assert omega["estimate"] is None
    assert omega["reason"] == "everyone gave the same answer to x2"
    assert math.isfinite(named(answer, "alpha", scale="f")["estimate"])


def test_nobody_who_answered_is_said_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("respondent,a,b\np1,,\np2,NA,\n", encoding="utf-8")
    said = refused("reliability", tmp_path / "empty.csv", "--items", "a,b")
    assert "nobody answered any item" in said
    assert "empty.csv" in said
    assert "--items" in said


def test_the_folder_of_a_run_or_export_stands_for_its_ratings(tmp_path: Path) -> None:
    values = answers()[:30]
    rows = [
        {
            "unit": "response", "unit_id": f"r{i}", "item_id": "q", "source": "bot",
            "rater": f"p{i}", "rater_kind": "human", "instrument": "survey", "dimension": name,
            "value": float(value), "status": "ok",
        }
        for i, line in enumerate(values[:, :3])
        for name, value in zip(NAMES, line, strict=False)
    ]  # fmt: skip
    write_table(conform(pl.DataFrame(rows), "ratings"), tmp_path / "ratings.parquet", "ratings")
    wanted = ("--items", "x1,x2,x3", "--ends", "1,5", "--replicates", "0")
    from_folder = found("reliability", tmp_path, *wanted)
    wide = found("reliability", table(tmp_path, values), *wanted)
    alpha = [r["estimate"] for r in wide["results"] if r["name"] == "alpha"]
    assert [r["estimate"] for r in from_folder["results"] if r["name"] == "alpha"] == pytest.approx(
        alpha
    )


def test_a_folder_without_ratings_is_no_table(tmp_path: Path) -> None:
    assert "no ratings.parquet" in refused("reliability", tmp_path, "--items", "a,b")
