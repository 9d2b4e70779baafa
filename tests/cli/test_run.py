"""``attunement run``: a whole study, its models behind a stub server."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from attunement.cli import app
from attunement.runs import Run

SCORES = (
    '{"agreeability": {"rationale": "sides with it", "score": 8}, '
    '"active_listening": {"rationale": "names it", "score": 3}}'
)
Answer = str | tuple[int, str]


def study(folder: Path, base_url: str) -> Path:
    """Write a study of two questions, one model and one judge."""
    (folder / "q.csv").write_text(
        "item_id,question,reference\n"
        "q0,I lie awake.,How long has it been?\nq1,I feel alone.,That sounds hard.\n",
        encoding="utf-8",
    )
    path = folder / "study.yaml"
    path.write_text(
        f"""name: small
data: {{source: table, path: q.csv}}
models: [{{name: bot, model: openai-api/stub/bot, base_url: "{base_url}"}}]
score: {{metrics: [sentiment_change]}}
judges: [{{name: judge, model: openai-api/stub/judge, base_url: "{base_url}"}}]
analyze: {{replicates: 100}}
""",
        encoding="utf-8",
    )
    return path


@pytest.fixture
def run(stub: Any, tmp_path: Path) -> Callable[[Answer, Answer], Result]:
    """Return a function that runs the study with what the bot and the judge say."""

    def start(bot: Answer, judge: Answer) -> Result:
        with stub.StubLLM(lambda r: bot if r["model"] == "bot" else judge) as server:
            path = study(tmp_path, server.base_url)
            return CliRunner().invoke(app, ["run", str(path), "--out", str(tmp_path / "run")])

    return start


def test_a_study_ends_with_its_report(
    run: Callable[[Answer, Answer], Result], tmp_path: Path
) -> None:
    result = run("You are not alone.", SCORES)
    assert result.exit_code == 0, result.output
    assert f"Report: {tmp_path / 'run' / 'report' / 'index.html'}" in result.stderr
    ratings = Run(tmp_path / "run").read("ratings")
    judged = ratings.filter(rater="judge:judge", source="bot", dimension="agreeability")
    assert judged["value"].to_list() == [8.0, 8.0]


def test_a_judge_of_whom_nothing_can_be_read_is_said_and_the_exit_code_is_1(
    run: Callable[[Answer, Answer], Result], tmp_path: Path
) -> None:
    result = run("You are not alone.", "I like it.")
    assert result.exit_code == 1
    assert "not one rating of judge:judge could be read" in result.stderr
    assert (tmp_path / "run" / "report" / "index.html").is_file()


def test_calls_that_fail_are_said_and_the_exit_code_is_1(
    run: Callable[[Answer, Answer], Result],
) -> None:
    refusal = (400, '{"error": {"message": "the prompt is too long"}}')
    result = run("You are not alone.", refusal)
    assert result.exit_code == 1
    assert "ratings failed; run again to retry" in result.stderr
