"""Export: tables that the other commands read unchanged, and nothing that tells who somebody is."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from attunement import tables
from attunement.cli import app
from attunement.errors import UserError
from attunement.runs import Run
from attunement.studies import links
from attunement.studies.export import export_study
from attunement.studies.models import (
    Adjudication,
    Assignment,
    Participant,
    Response,
    Stage,
    Study,
)
from attunement.studies.replacement import replace_participant
from attunement.studies.saving import save
from attunement.studies.withdrawal import erase, stop
from stubs.study_answers import agree, answer_all, answer_page

EVAL = {
    "type": "rate",
    "instrument": "counselbench-eval",
    "raters_per_item": 2,
    "items_per_rater": 4,
}
KNOWN = {
    "id": "greeting",
    "turns": [{"text": "Good morning."}],
    "answer": "Go away.",
    "expected": {"overall": 1},
}


@pytest.fixture
def filled(make_study: Callable[..., Study]) -> Study:
    """Four items with two answers each, rated by two raters on CounselBench-Eval."""
    study = make_study(items=4, protocol=EVAL)
    answer_all()
    return study


def read(folder: Path, name: str) -> pl.DataFrame:
    return pl.read_parquet(folder / f"{name}.parquet")


def run(*words: str | Path) -> Any:
    result = CliRunner().invoke(app, [str(w) for w in words])
    assert result.exit_code == 0, result.output
    return result


def test_each_answer_is_one_row_of_a_valid_table(filled: Study, tmp_path: Path) -> None:
    export_study(tmp_path / "out")
    for kind in tables.KINDS:
        assert tables.check(read(tmp_path / "out", kind), kind) == []
    # 2 raters, 4 items, 2 answers, 6 dimensions
    assert read(tmp_path / "out", "ratings").height == 96
    # No answer has the status of one that a rater began
    assert set(read(tmp_path / "out", "ratings")["status"]) == {"ok"}


@pytest.mark.slow
def test_the_other_commands_read_an_export_unchanged(filled: Study, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export_study(out)
    ratings = out / "ratings.parquet"
    for kind in tables.KINDS:
        run("check", out / f"{kind}.parquet", "--kind", kind)
    run("agreement", ratings, "--dimension", "overall", "--replicates", "100", "--json")
    found = json.loads(
        run(
            *("counselbench", "eval", ratings, "--responses", out / "responses.parquet"),
            *("--raters", out / "raters.parquet", "--replicates", "100", "--json"),
        ).stdout
    )
    assert {r["group"].get("source") for r in found["results"]} >= {"alpha", "beta"}


@pytest.mark.slow
def test_judges_are_held_against_the_people_of_an_export(filled: Study, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export_study(out)
    people = read(out, "ratings")
    judged = people.filter(pl.col("rater") == people["rater"][0]).with_columns(
        rater=pl.lit("judge:copy"), rater_kind=pl.lit("judge")
    )
    tables.write_table(pl.concat([people, judged]), out / "both.parquet", "ratings")
    words = ["compare-judges", out / "both.parquet", "--replicates", "0", "--min-items", "2"]
    found = json.loads(run(*words, "--json").stdout)
    assert [v["judge"] for v in found["verdicts"]] == ["judge:copy"]


@pytest.mark.slow
def test_an_export_is_a_run_folder_for_analysis_and_report(
    make_study: Callable[..., Study], tmp_path: Path
) -> None:
    make_study(items=4, protocol=EVAL)
    for response in Response.objects.filter(sources=["beta"]):
        response.sources = ["reference"]
        response.save()
    answer_all()
    out = tmp_path / "out"
    export_study(out)
    run("analyze", "--run", out, "--replicates", "100")
    run("report", out)
    page = (out / "report" / "index.html").read_text(encoding="utf-8")
    assert "Small study" in page


def test_partial_answers_are_in_the_history_only(
    make_study: Callable[..., Study], tmp_path: Path
) -> None:
    make_study(protocol=EVAL)
    page = Assignment.objects.filter(kind="main")[0]
    save(page, 0, "overall", {"overall.rationale": ["so far"]}, client="a")
    save(page, 0, "empathy", {"empathy": ["3"]}, client="b")
    save(page, 0, "empathy", {}, client="c")
    export_study(tmp_path / "out")
    assert read(tmp_path / "out", "ratings").height == 0
    history = read(tmp_path / "out", "history").select("dimension", "status", "rationale")
    assert history.rows() == [
        ("overall", "partial", "so far"),
        ("empathy", "ok", None),
        ("empathy", "cleared", None),
    ]


def test_repeated_items_are_the_second_replicate(
    make_study: Callable[..., Study], tmp_path: Path
) -> None:
    make_study(protocol={**EVAL, "repeats": 1})
    answer_all()
    export_study(tmp_path / "out")
    ratings = read(tmp_path / "out", "ratings")
    # 2 raters, 2 answers, 6 dimensions: 2 items at first and 1 of them again
    assert ratings["replicate"].value_counts(sort=True).rows() == [(0, 48), (1, 24)]


def test_training_and_attention_are_apart_from_the_ratings(
    make_study: Callable[..., Study], tmp_path: Path
) -> None:
    told = {**KNOWN, "feedback": {"en": "It sends away.", "it": "Manda via."}}
    make_study(
        protocol={**EVAL, "attention": [{**KNOWN, "id": "check"}]},
        training=[told],
    )
    answer_all()
    out = tmp_path / "out"
    export_study(out)
    assert set(read(out, "ratings")["item_id"]) == {"q0", "q1"}
    assert set(read(out, "items")["item_id"]) == {"q0", "q1"}
    assert set(read(out, "known_ratings")["item_id"]) == {"training-greeting", "attention-check"}
    known = read(out, "known").select("kind", "dimension", "expected")
    assert known.rows() == [("training", "overall", "1.0"), ("attention", "overall", "1.0")]


def test_failed_attention_checks_are_counted_with_the_rater(
    make_study: Callable[..., Study], tmp_path: Path
) -> None:
    make_study(protocol={**EVAL, "attention": [KNOWN]})
    said = {"R001": "1", "R002": "5"}
    for page in Assignment.objects.filter(kind="attention"):
        agree(page.participant)
        save(page, 0, "overall", {"overall": [said[page.participant.code]]}, client="a")
    export_study(tmp_path / "out")
    found = [json.loads(a) for a in read(tmp_path / "out", "raters")["attributes"]]
    assert [(a["checks"], a["checks_failed"]) for a in found] == [(1, 0), (1, 1)]


def test_what_was_rated_on_a_page_that_was_not_finished_is_apart(
    make_study: Callable[..., Study], tmp_path: Path
) -> None:
    make_study(items=4, protocol=EVAL)
    leaver = Participant.objects.get(code="R001")
    whole, half = Assignment.objects.filter(participant=leaver, kind="main")[:2]
    answer_page(whole)
    save(half, 0, "overall", {"overall": ["2"]}, client="half")
    answer_all_pages_of(replace_participant(leaver, by="owner"))
    export_study(tmp_path / "out")
    assert read(tmp_path / "out", "unfinished").select("rater", "item_id", "value").rows() == [
        ("R001", half.item.item_id if half.item else None, 2.0)
    ]
    ratings = read(tmp_path / "out", "ratings")
    # Of each question of the leaver's four items there is one rating
    assert ratings.height == 4 * 2 * 6
    assert ratings.select("unit_id", "dimension").is_unique().all()


def answer_all_pages_of(person: Participant) -> None:
    for page in Assignment.objects.filter(participant=person):
        answer_page(page)


def test_what_raters_said_of_themselves_is_with_the_raters(
    make_study: Callable[..., Study], tmp_path: Path
) -> None:
    asked = {
        "id": "experience",
        "label": {"en": "Experience", "it": "Esperienza"},
        "wording": {"en": "How many years?", "it": "Quanti anni?"},
        "scale": {"type": "integer", "min": 0, "max": 60, "better": "neither"},
    }
    make_study(protocol=EVAL, background=[asked])
    answer_all(lambda unit, dimension, n: ["7"] if dimension.id == "experience" else None)
    export_study(tmp_path / "out")
    attributes = json.loads(read(tmp_path / "out", "raters")["attributes"][0])
    assert attributes["experience"] == 7
    assert attributes["consent_version"] == 1
    questions = read(tmp_path / "out", "questions").select("unit", "unit_id", "rater", "value")
    assert questions.rows() == [("session", "R001", "R001", 7.0), ("session", "R002", "R002", 7.0)]


def test_the_time_of_a_page_is_shared_by_its_ratings(filled: Study, tmp_path: Path) -> None:
    export_study(tmp_path / "out")
    # Before each of the 96 answers 4 seconds passed
    assert read(tmp_path / "out", "ratings")["seconds"].sum() == pytest.approx(384)


def test_a_response_of_two_sources_has_a_row_for_each(filled: Study, tmp_path: Path) -> None:
    shown = Response.objects.get(response_id="q0-alpha")
    shown.sources, shown.merged = ["alpha", "gamma"], ["q0-gamma"]
    shown.save()
    export_study(tmp_path / "out")
    responses = read(tmp_path / "out", "responses").filter(pl.col("item_id") == "q0")
    assert set(responses.select("response_id", "source").rows()) == {
        ("q0-alpha", "alpha"),
        ("q0-gamma", "gamma"),
        ("q0-beta", "beta"),
    }
    ratings = read(tmp_path / "out", "ratings")
    assert tables.check(ratings, "ratings") == []
    values = {
        id: ratings.filter(pl.col("unit_id") == id).sort("rater", "dimension")["value"].to_list()
        for id in ("q0-alpha", "q0-gamma")
    }
    assert values["q0-alpha"] == values["q0-gamma"]
    shown_for = Run(tmp_path / "out").manifest()["study"]["shown_for"]
    assert shown_for == {"q0-alpha": ["q0-gamma"]}


def test_nothing_tells_who_somebody_is(filled: Study, tmp_path: Path) -> None:
    person = Participant.objects.get(code="R001")
    person.address, person.completion = "mara@example.org", "PAY-ME-1"
    person.save()
    secret = [person.address, person.completion, person.nonce, person.token_hash]
    secret.append(links.token(person.nonce))
    export_study(tmp_path / "out", csv=True)
    texts = [p.read_bytes() for p in (tmp_path / "out").iterdir() if p.suffix != ".parquet"]
    frames = [pl.read_parquet(p) for p in (tmp_path / "out").glob("*.parquet")]
    texts += [frame.write_json().encode() for frame in frames]
    assert [s for s in secret if any(s.encode() in text for text in texts)] == []


def test_people_who_withdrew_are_in_no_file(filled: Study, tmp_path: Path) -> None:
    erase(Participant.objects.get(code="R002"), by="owner")
    export_study(tmp_path / "out")
    for name in ("ratings", "raters", "history"):
        assert set(read(tmp_path / "out", name)["rater"]) == {"R001"}
    assert Run(tmp_path / "out").manifest()["study"]["withdrawn"] == 1


def test_a_spreadsheet_of_an_earlier_export_does_not_keep_what_was_erased(
    filled: Study, tmp_path: Path
) -> None:
    export_study(tmp_path / "out", csv=True)
    erase(Participant.objects.get(code="R002"), by="owner")
    export_study(tmp_path / "out")
    assert [f.name for f in (tmp_path / "out").iterdir() if b"R002" in f.read_bytes()] == []
    assert list((tmp_path / "out").glob("ratings.*")) == [tmp_path / "out" / "ratings.parquet"]


def test_exporting_again_tells_whose_ratings_were_added_meanwhile(
    filled: Study, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert export_study(out).lost == []
    people = read(out, "ratings")
    judged = people.with_columns(rater=pl.lit("judge:m"), rater_kind=pl.lit("judge"))
    tables.write_table(pl.concat([people, judged]), out / "ratings.parquet", "ratings")
    assert export_study(out).lost == ["judge:m"]
    assert read(out, "ratings").equals(people)


def test_what_people_leave_when_they_stop_stays(filled: Study, tmp_path: Path) -> None:
    stop(Participant.objects.get(code="R002"), by="R002")
    export_study(tmp_path / "out")
    assert set(read(tmp_path / "out", "ratings")["rater"]) == {"R001", "R002"}
    left = [json.loads(a)["left"] for a in read(tmp_path / "out", "raters")["attributes"]]
    assert left == [False, True]


def test_what_was_settled_is_a_rating_of_the_consensus(filled: Study, tmp_path: Path) -> None:
    Adjudication.objects.create(
        stage=Stage.objects.get(), unit_id="q1-beta", dimension="overall", value=4, by="owner"
    )
    export_study(tmp_path / "out")
    settled = read(tmp_path / "out", "adjudications")
    columns = ("rater", "unit", "unit_id", "item_id", "source", "dimension", "value")
    assert settled.select(columns).rows() == [
        ("consensus", "response", "q1-beta", "q1", "beta", "overall", 4.0)
    ]


def test_a_spreadsheet_takes_no_text_for_a_formula(
    make_study: Callable[..., Study], tmp_path: Path
) -> None:
    make_study(protocol=EVAL)
    page = Assignment.objects.filter(kind="main")[0]
    save(
        page,
        0,
        "overall",
        {"overall": ["3"], "overall.rationale": ['=HYPERLINK("http://x.example")']},
        client="a",
    )
    export_study(tmp_path / "out", csv=True)
    kept = pl.read_csv(tmp_path / "out" / "unfinished.csv")["rationale"]
    assert kept.to_list() == ['\'=HYPERLINK("http://x.example")']
    assert read(tmp_path / "out", "unfinished")["rationale"][0].startswith("=HYPERLINK")


def test_names_from_the_database_are_no_paths(
    make_study: Callable[..., Study], tmp_path: Path
) -> None:
    study = make_study(protocol=EVAL)
    study.key = "../../escaped"
    study.save()
    Stage.objects.update(key="../up")
    Participant.objects.filter(code="R001").update(code="../../R001")
    answer_page(Assignment.objects.filter(kind="main")[0])
    before = {p for p in tmp_path.parent.rglob("*") if "out" not in p.parts}
    export_study(tmp_path / "out" / "deep" / "er")
    assert {p for p in tmp_path.parent.rglob("*") if "out" not in p.parts} == before
    assert all(p.parent.name == "er" for p in (tmp_path / "out").rglob("*") if p.is_file())


def test_a_folder_of_something_else_is_left_alone(filled: Study, tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("x")
    with pytest.raises(UserError, match="not empty"):
        export_study(tmp_path / "thesis")
    export_study(tmp_path / "out")
    export_study(tmp_path / "out")  # an earlier export is replaced


def test_the_manifest_has_the_digest_of_each_file(filled: Study, tmp_path: Path) -> None:
    import hashlib

    export_study(tmp_path / "out")
    files = Run(tmp_path / "out").manifest()["study"]["files"]
    assert set(files) == {p.name for p in (tmp_path / "out").iterdir()} - {"manifest.json"}
    content = (tmp_path / "out" / "ratings.parquet").read_bytes()
    assert files["ratings.parquet"] == hashlib.sha256(content).hexdigest()
