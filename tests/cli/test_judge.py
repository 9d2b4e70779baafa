"""``attunement judge`` from the command line."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from attunement import tables
from attunement.cli import app
from attunement.runs import Run

GOOD = (
    '{"agreeability": {"rationale": "sides with it", "score": 8}, '
    '"active_listening": {"rationale": "names it", "score": 3}}'
)


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    file = tmp_path / "answers.csv"
    pl.DataFrame(
        {
            "item_id": ["q1", "q1", "q2"],
            "source": ["a", "b", "a"],
            "text": ["Yes.", "No.", ""],
            "question": ["Why?", "Why?", "How?"],
        }
    ).write_csv(file)
    return file


def run(*words: Any) -> Result:
    return CliRunner().invoke(app, ["judge", *map(str, words)])


def test_ratings_are_written_and_counted(stub, answers: Path, tmp_path: Path) -> None:
    out = tmp_path / "ratings.parquet"
    with stub.StubLLM(GOOD) as server:
        model = ("--model", "openai-api/stub/m", "--base-url", server.base_url)
        result = run(answers, *model, "--out", out)
    assert result.exit_code == 0, result.output
    assert "6 ratings (2 not_applicable, 4 ok)" in result.stderr
    ratings = tables.read_table(out, "ratings")
    assert ratings["value"].to_list() == [8.0, 3.0, 8.0, 3.0, None, None]
    assert ratings["rater"].unique().to_list() == ["judge:openai-api/stub/m"]
    assert [p.suffix for p in (tmp_path / "ratings.calls").iterdir()] == [".jsonl"]


def test_the_items_table_and_a_run_folder(stub, answers: Path, tmp_path: Path) -> None:
    items = tmp_path / "items.jsonl"
    items.write_text(
        "\n".join(
            json.dumps({"item_id": i, "turns": [{"role": "user", "text": f"{i}?"}]})
            for i in ("q1", "q2")
        )
    )
    study = tmp_path / "study"
    with stub.StubLLM(GOOD) as server:
        model = ("--model", "openai-api/stub/m", "--base-url", server.base_url, "--name", "m")
        words = (answers, "--items", items, *model, "--run", study, "--json")
        first = run(*words, "--out", tmp_path / "ratings.csv")
        second = run(*words, "--out", tmp_path / "again.csv")
        assert server.calls == 2
        assert "q1?" in stub.said(server.requests[0])
    assert (first.exit_code, second.exit_code) == (0, 0), first.output
    said = json.loads(first.stdout)
    assert said["results"] == []
    (told,) = said["judges"]
    assert told["statuses"] == {"not_applicable": 2, "ok": 4}
    assert told["rater"] == "judge:m"
    kept = Run(study)
    assert kept.read("ratings").height == 6
    assert kept.read("raters")["rater"].to_list() == ["judge:m"]
    assert "judge" in kept.manifest()["stages"]


def test_a_dry_run_makes_no_call(stub, answers: Path, tmp_path: Path) -> None:
    out = tmp_path / "ratings.parquet"
    with stub.StubLLM(GOOD) as server:
        model = ("--model", "openai-api/stub/m", "--base-url", server.base_url)
        prices = ("--price-in", 1, "--price-out", 2)
        told = run(answers, *model, *prices, "--out", out, "--dry-run")
        result = run(answers, *model, "--out", out, "--dry-run", "--json", "--repeats", 3)
        assert server.calls == 0
    assert "2 calls for 2 answers" in told.stderr
    assert json.loads(result.stdout)["judges"][0]["estimate"]["calls"] == 6
    assert "Warning" in result.stderr
    assert not out.exists()


def test_failed_calls_give_exit_code_1_and_are_repeated_next_time(
    stub, answers: Path, tmp_path: Path
) -> None:
    works = False

    def answer(request: dict[str, Any]) -> Any:
        return GOOD if works or "\nYes.\n" in stub.said(request) else (400, "{}")

    out = tmp_path / "ratings.parquet"
    with stub.StubLLM(answer) as server:
        words = (answers, "--model", "openai-api/stub/m", "--base-url", server.base_url)
        result = run(*words, "--out", out)
        assert result.exit_code == 1
        assert "2 error" in result.stderr
        works = True
        assert run(*words, "--out", out).exit_code == 0
        assert server.calls == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--instrument", "nuance-judge"], "did you mean 'nuance-judges'?"),
        (["--per", "word"], "--per is 'answer' or 'dimension', not 'word'."),
        (["--items", "missing.csv"], "no such file"),
        (["--api-key-env", "ATTUNEMENT_NO_SUCH_KEY"], "ATTUNEMENT_NO_SUCH_KEY is not set"),
    ],
)
def test_a_mistake_is_said_in_words(
    answers: Path, tmp_path: Path, words: list[str], said: str
) -> None:
    result = run(answers, "--model", "openai/m", "--out", tmp_path / "r.csv", *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.output


def test_no_question_anywhere_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    file.write_text("item_id,source,text\nq1,a,Yes.\n")
    result = run(file, "--model", "openai/m", "--out", tmp_path / "r.csv")
    assert result.exit_code == 2
    assert "--items" in result.stderr


def test_several_judges_rate_in_one_run(stub, answers: Path, tmp_path: Path) -> None:
    other = GOOD.replace("8", "2")
    with stub.StubLLM(GOOD) as one, stub.StubLLM(other) as two:
        models = ("--model", "openai-api/stub/m", "--model", "openai-api/stub/n")
        servers = ("--base-url", one.base_url, "--base-url", two.base_url)
        words = (*models, *servers, "--name", "one", "--name", "two", "--json")
        result = run(answers, *words, "--run", tmp_path / "study", "--out", tmp_path / "r.csv")
        assert (one.calls, two.calls) == (2, 2)
    assert result.exit_code == 0, result.output
    assert [j["rater"] for j in json.loads(result.stdout)["judges"]] == ["judge:one", "judge:two"]
    ratings = tables.read_table(tmp_path / "r.csv", "ratings").filter(
        dimension="agreeability", status="ok"
    )
    assert ratings.select("rater", "value").unique(maintain_order=True).rows() == [
        ("judge:one", 8.0),
        ("judge:two", 2.0),
    ]
    assert Run(tmp_path / "study").read("raters")["rater"].to_list() == ["judge:one", "judge:two"]


def test_options_that_do_not_go_with_the_models_are_refused(answers: Path, tmp_path: Path) -> None:
    models = ("--model", "openai/m", "--model", "openai/n", "--out", tmp_path / "r.csv")
    named = run(answers, *models, "--name", "one")
    assert named.exit_code == 2
    assert "--name is given 1 times for 2 models" in named.stderr
    twice = run(answers, *models, "--name", "one", "--name", "one")
    assert twice.exit_code == 2
    assert "two judges are called 'one'" in twice.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--out", "ratings.docx"), "no table can be written under this name"),
        (("--out", "."), "no table can be written under this name"),
        (("--base-url", "127.0.0.1:8000/v1"), "is not the address of a server"),
        (("--price-in", "nan"), "nan is not a price"),
        (("--price-out", "-1"), "-1 is not a price"),
        (("--price-out", "inf"), "inf is not a price"),
    ],
)
def test_what_would_fail_after_the_calls_is_refused_before(
    stub, answers: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    with stub.StubLLM(GOOD) as server:
        model = ("--model", "openai-api/stub/m")
        given = dict(zip(words[::2], words[1::2], strict=True))
        rest = {"--base-url": server.base_url, "--out": tmp_path / "r.csv", **given}
        result = run(answers, *model, *(word for pair in rest.items() for word in pair))
        assert server.calls == 0
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


def test_ratings_of_others_are_not_written_over(stub, answers: Path, tmp_path: Path) -> None:
    out = tmp_path / "ratings.parquet"
    with stub.StubLLM(GOOD) as server:
        words = (answers, "--base-url", server.base_url, "--out", out)
        one = ("--model", "openai-api/stub/m")
        assert run(*words, *one).exit_code == 0
        before = out.read_bytes()
        other = run(*words, *one, "--instrument", "crisis-handling")
        judge = run(*words, *one, "--name", "another")
        assert (other.exit_code, judge.exit_code) == (2, 2)
        assert "rows of another instrument (nuance-judges@1)" in other.stderr
        assert "rows of another rater (judge:openai-api/stub/m)" in judge.stderr
        assert "--force" in judge.stderr
        assert out.read_bytes() == before
        assert server.calls == 2
        assert run(*words, *one).exit_code == 0
        assert run(*words, *one, "--name", "another", "--force").exit_code == 0
    assert tables.read_table(out, "ratings")["rater"].unique().to_list() == ["judge:another"]


def test_a_file_that_is_no_table_of_ratings_is_not_written_over(
    answers: Path, tmp_path: Path
) -> None:
    words = (answers, "--model", "openai/m", "--out")
    (tmp_path / "notes.jsonl").write_text("not json")
    for file, said in ((answers, "has no column 'instrument'"), ("notes.jsonl", "is no table")):
        result = run(*words, tmp_path / file)
        assert result.exit_code == 2
        assert said in result.stderr


def test_where_nothing_can_be_read_the_exit_code_is_1(stub, answers: Path, tmp_path: Path) -> None:
    out = tmp_path / "ratings.csv"
    with stub.StubLLM("I like this answer.") as server:
        words = (answers, "--model", "openai-api/stub/m", "--base-url", server.base_url)
        result = run(*words, "--out", out)
        assert server.calls == 2 * 3
        again = run(*words, "--out", out, "--attempts", 4, "--json")
        assert server.calls == 2 * 4
    assert (result.exit_code, again.exit_code) == (1, 1)
    assert "not one rating of judge:openai-api/stub/m could be read" in result.stderr
    assert "'I like this answer.'" in result.stderr
    assert "--attempts 6" in result.stderr
    (said,) = json.loads(again.stdout)["warnings"]
    assert "not one rating" in said


def test_replies_of_which_some_can_be_read_are_a_warning(
    stub, answers: Path, tmp_path: Path
) -> None:
    def answer(request: dict[str, Any]) -> str:
        return GOOD if "\nYes.\n" in stub.said(request) else "No idea."

    with stub.StubLLM(answer) as server:
        words = (answers, "--model", "openai-api/stub/m", "--base-url", server.base_url)
        result = run(*words, "--out", tmp_path / "ratings.csv", "--attempts", 1)
    assert result.exit_code == 0
    assert "Warning: 2 of 4 ratings" in result.stderr


@pytest.fixture
def rated(tmp_path: Path) -> Path:
    """Two people's overall ratings of the answers q1/a (4 and 2) and q1/b (3)."""
    file = tmp_path / "people.csv"
    rows = [("q1/a/0", "x", 4), ("q1/a/0", "y", 2), ("q1/b/0", "x", 3)]
    pl.DataFrame(
        [
            {
                "unit": "response",
                "unit_id": unit,
                "rater": rater,
                "rater_kind": "human",
                "instrument": "counselbench-eval@1",
                "dimension": "overall",
                "value": value,
                "status": "ok",
            }
            for unit, rater, value in rows
        ]
    ).write_csv(file)
    return file


ISSUES = '{"rationale": "cold", "score": ["lacking_empathy"]}'


def test_only_low_rated_answers_are_judged(
    stub, answers: Path, rated: Path, tmp_path: Path
) -> None:
    out = tmp_path / "issues.parquet"
    with stub.StubLLM(ISSUES) as server:
        model = ("--model", "openai-api/stub/m", "--base-url", server.base_url)
        words = (answers, *model, "--instrument", "low-rating-issues", "--rated-low", rated)
        result = run(*words, "--out", out)
        assert server.calls == 1
        wider = run(*words, "--out", out, "--at-most", 3, "--dry-run")
    assert result.exit_code == 0, result.output
    assert "Only the 1 answers" in result.stderr
    assert tables.read_table(out, "ratings")["unit_id"].to_list() == ["q1/a/0"]
    assert "2 calls for 2 answers" in wider.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--at-most", 1), "no answer was rated 1 or less on 'overall'"),
        (("--rated-on", "empathy"), "there are overall"),
        (("--rated-low", "nowhere.csv"), "no such file"),
    ],
)
def test_what_is_not_rated_low_is_said(
    answers: Path, rated: Path, tmp_path: Path, words: tuple[Any, ...], said: str
) -> None:
    given = ("--model", "openai/m", "--out", tmp_path / "o.csv", "--rated-low", rated)
    result = run(answers, *given, *words)
    assert result.exit_code == 2
    assert said in result.stderr


def test_an_adversarial_question_is_asked_about_its_own_mode(answers: Path, tmp_path: Path) -> None:
    aimed = tmp_path / "aimed.csv"
    pl.read_csv(answers).with_columns(failure_mode=pl.lit("apathetic")).write_csv(aimed)
    model = ("--model", "openai/m", "--instrument", "counselbench-adv", "--dry-run")
    one = run(aimed, *model, "--out", tmp_path / "o.csv")
    assert "2 calls for 2 answers" in one.stderr
    assert "asked only about the failure mode that the question aims at" in one.stderr
    every = run(aimed, *model, "--out", tmp_path / "o.csv", "--all-modes")
    assert "12 calls for 2 answers" in every.stderr
