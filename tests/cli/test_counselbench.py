"""``attunement counselbench``: both parts and the question set, from published files."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from attunement import tables
from attunement.cli import app

DIMENSIONS = ("overall", "empathy", "specificity", "factual_consistency", "toxicity")


def run(*words: object) -> Result:
    result = CliRunner().invoke(app, ["counselbench", *map(str, words)])
    assert "Traceback" not in result.output
    return result


def ok(*words: object) -> Result:
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result


def found(*words: object) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(ok(*words, "--json").stdout)
    return answer


@pytest.fixture
def annotations(tmp_path: Path) -> Path:
    rows = [
        {
            "questionID": f"questionID_{q}",
            "questionTitle": "t",
            "questionText": f"question {q}",
            "response": f"Answer of {s}. Take [pills].",
            "topic": "anxiety",
            "responder": s,
            "survey_id": str(r),
            "medical_advice_score": ("Yes", "No", "I am not sure")[(q + r) % 3],
            "medical_advice_copy": "take [pills]",
            "overall_reason": "cold",
            **{f"{d}_score": str(1 + (q * 3 + r + len(s)) % 4) for d in DIMENSIONS},
        }
        for q in range(12)
        for s in ("gpt4", "human")
        for r in range(10)
    ]
    path = tmp_path / "annotations.csv"
    pl.DataFrame(rows).write_csv(path)
    return path


@pytest.fixture
def verdicts(tmp_path: Path) -> Path:
    rows = [
        {
            "failure_mode": mode,
            "question": f"{mode} {q}",
            "source": s,
            "response": f"[bold]answer {q} of {s}",
            "verdict": ("yes", "no", "not sure", "no")[(q + len(s)) % 4],
        }
        for mode in ("medication", "apathetic")
        for q in range(8)
        for s in ("m", "nn")
    ]
    path = tmp_path / "verdicts.csv"
    pl.DataFrame(rows).write_csv(path)
    return path


def test_published_annotations_are_analyzed_with_what_agreement_means(annotations: Path) -> None:
    text = ok("eval", annotations, "--replicates", "100").stdout
    assert "240 of 240 annotation rows are used" in text
    assert "What this means for a study's size:" in text
    assert "the mean of five raters has a reliability of 0.56 to 0.83" in " ".join(text.split())
    assert "by question" in text
    assert "pooled" in text


def test_json_has_results_and_documented_keys_beside_them(annotations: Path) -> None:
    answer = found("eval", annotations, "--replicates", "100")
    assert set(answer) == {
        "schema_version",
        "results",
        "tests",
        "raters",
        "counts",
        "meaning",
        "low_ratings",
        "bands",
        "notes",
        "loaded",
    }
    assert answer["loaded"]["rows_kept"] == 240
    advice = next(c for c in answer["counts"] if c["dimension"] == "medical_advice")
    assert advice["ok"] + advice["not_sure"] == advice["ratings"] == 120


def test_annotators_are_compared_where_their_table_is_given(
    annotations: Path, tmp_path: Path
) -> None:
    people = tmp_path / "people.csv"
    pl.DataFrame(
        {
            "survey_id": list(range(10)),
            "minutes": [10 * n for n in range(10)],
            "experience": ["1-3 years"] * 5 + ["10+ years"] * 5,
        }
    ).write_csv(people)
    answer = found("eval", annotations, "--raters", people, "--replicates", "100")
    (experience,) = (b for b in answer["bands"] if b["by"] == "experience")
    assert experience["answers"] == 24
    variants = {t["group"].get("variant") for t in answer["tests"]}
    assert {"paper", "standard"} <= variants
    text = ok("eval", annotations, "--raters", people, "--replicates", "100").stdout
    assert "By experience, on the 24 answers that every band rated" in " ".join(text.split())


def test_the_four_tables_and_the_answer_are_written_and_read_again(
    annotations: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    ok("eval", annotations, "--out", out, "--replicates", "100")
    first = json.loads((out / "evaluation.json").read_text())
    spans = tables.read_table(out / "ratings.parquet", "ratings")["spans"].drop_nulls()
    assert spans[0][0]["text"] == "Take [pills]"
    again = found(
        "eval", out / "ratings.parquet", "--responses", out / "responses.parquet",
        "--replicates", "100",
    )  # fmt: skip
    values = [[r["estimate"] for r in x["results"]] for x in (first, again)]
    assert values[0] == values[1]
    assert again["loaded"] is None


def test_failure_rates_leave_not_sure_out_and_list_the_failures(
    verdicts: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    answer = found("adv", verdicts)
    rate = next(
        r for r in answer["results"] if r["group"] == {"source": "m", "failure_mode": "medication"}
    )
    assert (rate["n"], rate["n_missing"], rate["estimate"]) == (6, 2, pytest.approx(1 / 3))
    assert {t["name"] for t in answer["tests"]} == {"cochran_q", "mcnemar"}
    text = ok("adv", verdicts, "--out", out).stdout
    assert "8 answers fail, 4 of them critical" in text
    assert "[bold]answer" in text
    failures = pl.read_csv(out / "failures.csv")
    assert failures["failure_mode"].to_list() == ["medication"] * 4 + ["apathetic"] * 4
    again = found(
        "adv", out / "ratings.parquet", "--responses", out / "responses.parquet",
        "--items", out / "items.parquet",
    )  # fmt: skip
    assert again["results"] == answer["results"]
    assert again["failures"] == answer["failures"]


def test_the_question_set_is_written_with_its_study_file(tmp_path: Path) -> None:
    chat = tmp_path / "chat.csv"
    pl.DataFrame(
        [
            {
                "questionID": str(n),
                "questionTitle": "t",
                "questionText": f"q{n}",
                "questionLink": "",
                "topic": "anxiety",
                "therapistInfo": "A B",
                "therapistURL": "",
                "answerText": f"answer {n}",
                "upvotes": str(n),
            }
            for n in range(7)
        ]
    ).write_csv(chat)
    out = tmp_path / "set"
    words = ("questions", chat, "--out", out, "--topics", "anxiety", "--model", "openai/x")
    assert "5 questions of 7 are chosen." in ok(*words).stdout
    assert "model: openai/x" in (out / "study.yaml").read_text()
    assert found(*words)["loaded"]["rows_kept"] == 5


def test_mistakes_say_what_to_do(tmp_path: Path, annotations: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    for words in (
        ("eval", other),
        ("adv", other),
        ("questions", other, "--out", tmp_path / "x"),
        ("eval", annotations, "--kind", "expert"),
        ("eval", annotations, "--out", other),
        ("eval", tmp_path / "none.csv"),
    ):
        result = run(*words)
        assert result.exit_code == 2, words
        assert "Error:" in result.output


def test_names_in_brackets_are_shown_and_formulas_are_not_run(
    annotations: Path, verdicts: Path, tmp_path: Path
) -> None:
    for path in (annotations, verdicts):
        text = path.read_text().replace("gpt4", "[/b]4").replace(",m,", ",=m [/x],")
        path.write_text(text)
    assert "[/b]4" in ok("eval", annotations, "--replicates", "100").stdout
    assert "=m [/x]" in " ".join(ok("adv", verdicts, "--out", tmp_path / "out").stdout.split())
    failures = pl.read_csv(tmp_path / "out" / "failures.csv")
    assert "'=m [/x]" in failures["source"].to_list()


def rated(instrument: str, dimension: str, value: float) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "unit": "response",
                "unit_id": f"q{q}/{s}/0",
                "item_id": f"q{q}",
                "source": s,
                "rater": f"r{r}",
                "rater_kind": "human",
                "instrument": instrument,
                "dimension": dimension,
                "value": value if (q, s, r) == (1, "b", 2) else 1.0,
                "status": "ok",
            }
            for q in range(6)
            for s in ("a", "b")
            for r in range(3)
        ]
    )


@pytest.mark.parametrize(
    ("part", "dimension", "value", "said"),
    [
        ("eval", "overall", 99, "the value 99 is not on the scale"),
        ("eval", "medical_advice", 5, "1 for yes and 0 for no"),
        ("eval", "factual_consistency", 5, "1 to 4"),
        ("adv", "medication", 0.5, "the value 0.5 is not on the scale"),
        ("adv", "medication", 2, "1 for yes and 0 for no"),
    ],
)
def test_a_value_that_is_not_on_the_scale_is_refused_and_placed(
    tmp_path: Path, part: str, dimension: str, value: float, said: str
) -> None:
    rated(f"counselbench-{part}@1", dimension, value).write_csv(tmp_path / "r.csv")
    result = run(part, tmp_path / "r.csv")
    assert result.exit_code == 2
    told = " ".join(result.stderr.split())
    assert said in told
    assert "rater 'r2', response 'q1/b/0'" in told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rater,attributes\nsurvey-1,[1]\n", "attributes of 'survey-1' are not a JSON object"),
        ("rater,attributes\nsurvey-1,3\n", "attributes of 'survey-1' are not a JSON object"),
        ("rater,attributes\nsurvey-1,{{\n", "attributes of 'survey-1' are not valid JSON"),
        ('rater,attributes\nsurvey-1,"{""minutes"": NaN}"\n', "NaN is not JSON"),
        ("survey_id,minutes\n1,5\n1,50\n", "annotator 'survey-1' has two rows"),
        ("survey_id,experience\n1,inf\n", "'inf' is not a number of years"),
        ("survey_id,minutes\n1,inf\n", "'inf' is not a number of minutes"),
        ("survey_id,minutes\n1,-5\n", "'-5' is not a number of minutes"),
    ],
)
def test_a_faulty_table_of_annotators_is_refused_and_placed(
    annotations: Path, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "people.csv").write_text(text)
    result = run("eval", annotations, "--raters", tmp_path / "people.csv", "--replicates", "100")
    assert result.exit_code == 2
    told = " ".join(result.stderr.split())
    assert said in told
    assert "table of annotators" in told
