"""From items to chosen answers, with a stub for the model and a tagger of a few words."""

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from attunement import tables
from attunement.errors import UserError
from attunement.inspect_bridge import ModelSpec
from attunement.planning.labels import LabelGroup, LabelSet
from attunement.planning.planner import Plan
from attunement.respond import record
from attunement.respond.candidates import NO_RESPONSE, Candidate, from_responses, of_source
from attunement.respond.generator import Generated
from attunement.respond.planned import Outcome, refuse_other_labels, respond
from attunement.respond.plans import Plans
from attunement.respond.presets import Preset, preset
from attunement.respond.sources import Existing, Model, Trained
from attunement.runs import Run
from stubs.rule_tagger import RuleTagger

ASK = Plan(("question",))


def plans(*each: Plan) -> Plans:
    return Plans("chosen", each, "chosen:labels.csv")


def answers(*rows: tuple[str, str, int, str]) -> pl.DataFrame:
    names = ("item_id", "source", "candidate", "text")
    return pl.DataFrame([dict(zip(names, row, strict=True)) for row in rows])


def ranked(items: pl.DataFrame, given: pl.DataFrame, *each: Plan, **how: Any) -> Outcome:
    return respond(
        items, Existing(given), "rerank", name="x", plans=plans(*each), tagger=RuleTagger(), **how
    )


def test_a_model_is_asked_for_candidates_and_the_one_that_keeps_to_the_plan_is_taken(
    stub, spec_for: Callable[..., ModelSpec], items: Callable[..., pl.DataFrame]
) -> None:
    by_seed = {1: "I see.", 1001: "Why?", 2001: "Please rest."}
    with stub.StubLLM(lambda r: by_seed[r["seed"]]) as server:
        found = respond(
            items("I cannot sleep."),
            Model(spec_for(server), preset("counselor")),
            "rerank",
            name="m-rerank",
            plans=plans(ASK),
            tagger=RuleTagger(),
            n=3,
        )
    row = record.responses_table(found).row(0, named=True)
    assert tables.check(record.responses_table(found), "responses") == []
    assert (row["text"], row["source"], row["candidate"]) == ("Why?", "m-rerank", 1)
    assert (row["attempts"], row["tokens_in"], row["tokens_out"]) == (3, 30, 15)
    assert row["prompt_id"] == "counselor"
    assert row["error"] is None


def test_candidates_that_arrived_are_not_asked_for_again(
    stub, spec_for: Callable[..., ModelSpec], items: Callable[..., pl.DataFrame], tmp_path: Path
) -> None:
    how: dict[str, Any] = {"name": "x", "plans": plans(ASK), "tagger": RuleTagger()}
    with stub.StubLLM() as server:
        model = Model(spec_for(server), preset("none"), journal_folder=tmp_path)
        respond(items("Hi"), model, "rerank", n=4, **how)
        respond(items("Hi"), model, "rerank", n=4, **how)
        respond(items("Hi"), model, "none", name="first", n=1)
    assert server.calls == 4


def test_all_candidates_can_come_in_one_numbered_reply(
    stub, spec_for: Callable[..., ModelSpec], items: Callable[..., pl.DataFrame]
) -> None:
    def answer(request: dict[str, Any]) -> str:
        return "No list." if "never" in stub.said(request) else "I see.\n2: Why?\n4: Go."

    with stub.StubLLM(answer) as server:
        found = respond(
            items("I cannot sleep.", "It never stops."),
            Model(spec_for(server), preset("counselor"), numbered=True),
            "rerank",
            name="x",
            plans=plans(ASK, ASK),
            tagger=RuleTagger(),
            n=4,
        )
    assert server.calls == 2
    assert [m["role"] for m in server.requests[0]["messages"]] == ["user"]
    first, second = found.pools
    assert [c.status for c in first.candidates] == ["ok", "ok", "unparsed", "ok"]
    assert first.candidates[2].reason == "The reply has no number 3."
    assert [c.status for c in second.candidates] == ["unparsed"] * 4
    assert second.candidates[0].text == "No list."  # kept to be looked at
    assert [c.index for c in found.choices] == [1, None]
    row = record.responses_table(found).row(1, named=True)
    assert (row["text"], row["error"]) == ("", "no candidate can be used: 4 unparsed")


def test_a_failed_numbered_reply_fails_all_its_candidates(
    stub, spec_for: Callable[..., ModelSpec], items: Callable[..., pl.DataFrame]
) -> None:
    with stub.StubLLM(lambda r: (500, "{}") if "bad" in stub.said(r) else "a\n2: b") as server:
        model = Model(spec_for(server), preset("none"), numbered=True)
        found = respond(
            items("good", "bad"), model, "rerank", name="x", plans=plans(ASK, ASK),
            tagger=RuleTagger(), n=2,
        )  # fmt: skip
    assert record.account(found).statuses == {"ok": 2, "error": 2}


def test_a_model_can_be_told_the_plan(
    stub, spec_for: Callable[..., ModelSpec], items: Callable[..., pl.DataFrame]
) -> None:
    given = plans(Plan(("question", "sadness")), Plan(()), Plan((), "unparsed", "None"))
    with stub.StubLLM("Why are you sad?") as server:
        model = Model(spec_for(server), Preset("mine", "You listen."))
        found = respond(
            items("a", "b", "c"), model, "prompt", name="x", plans=given, tagger=RuleTagger(), n=1
        )
    told = sorted(r["messages"][0]["content"] for r in server.requests)
    assert told[:2] == ["You listen.", "You listen."]
    assert "question, sadness" in told[2]
    assert [c.chosen for c in found.choices] == [1.0, 0.0, None]
    (mean,) = record.results(record.candidates_table(found))  # nothing was chosen
    assert (mean.name, mean.estimate, mean.n, mean.n_missing) == ("nls_chosen", 0.5, 2, 1)
    sent = record.responses_table(found)["prompt_id"].to_list()
    assert sent == ["mine+plan", "mine", "mine"]  # of two there is nothing to tell


def test_the_first_candidate_is_what_is_said_without_a_plan(
    items: Callable[..., pl.DataFrame],
) -> None:
    given = answers(("q0", "m", 1, "Why?"), ("q0", "m", 0, "I see."))
    found = respond(items("Hi"), Existing(given), "none", name="x")
    assert record.responses_table(found)["text"].to_list() == ["I see."]
    assert record.results(record.candidates_table(found)) == []


def test_what_candidates_cost_is_of_those_that_are_taken(
    items: Callable[..., pl.DataFrame],
) -> None:
    given = answers(*(("q0", "m", n, f"Answer {n}.") for n in range(4))).with_columns(
        cost_usd=pl.lit(1.0), tokens_in=pl.lit(10)
    )
    found = respond(items("Hi"), Existing(given), "none", name="x", n=3)
    row = record.responses_table(found).row(0, named=True)
    assert (row["cost_usd"], row["tokens_in"]) == (3.0, 30)
    assert record.candidates_table(found).height == 3


def test_what_cannot_be_used_is_counted_and_crashes_nothing(
    items: Callable[..., pl.DataFrame],
) -> None:
    given = pl.DataFrame(
        [
            {"item_id": "q0", "candidate": 0, "text": "", "error": None},
            {"item_id": "q0", "candidate": 1, "text": "Why?", "error": None},
            {"item_id": "q0", "candidate": 2, "text": " Why? ", "error": None},
            {"item_id": "q0", "candidate": 3, "text": "What?!", "error": None},
            {"item_id": "q1", "candidate": 0, "text": "", "error": "refused: by a filter"},
            {"item_id": "q1", "candidate": 1, "text": None, "error": "HTTP 500: no"},
            {"item_id": "q2", "candidate": 0, "text": "I see.", "error": None},
        ]
    ).with_columns(source=pl.lit("m"))
    each = (ASK, ASK, Plan((), "refused", "No."), Plan(("encouraging",)))
    found = ranked(items("a", "b", "c", "d"), given, *each)
    said = record.account(found)
    assert said == record.Account(
        strategy="rerank",
        items=4,
        candidates=8,
        statuses={"ok": 4, "empty": 1, "refused": 1, "error": 1, "not_applicable": 1},
        identical=1,
        untagged=1,
        plans={"ok": 3, "refused": 1},
        empty_plans=0,
        unknown={"encouraging": 1},
        not_asked=0,
        changed=1,
        unanswered=2,
    )
    assert record.responses_table(found)["text"].to_list() == ["Why?", "", "I see.", ""]


def test_words_that_stand_twice_are_tagged_once_after_the_turn_before_them(
    items: Callable[..., pl.DataFrame],
) -> None:
    tagger = RuleTagger()
    given = answers(("q0", "m", 0, "Why?"), ("q0", "m", 1, "Why?"), ("q1", "m", 0, "Why?"))
    respond(
        items("a", "b"), Existing(given), "rerank", name="x", plans=plans(ASK, ASK), tagger=tagger
    )
    assert tagger.asked == [("Why?", "a"), ("Why?", "b")]


class Ready:
    """A generator that knows two answers."""

    kind, context, signature = "causal", 3, "ready|v1"

    def answer(
        self, contexts: Sequence[Sequence[str]], *, n: int = 1, advance: Any = None
    ) -> list[list[Generated]]:
        known = [Generated("Why?", -1.0, 2), Generated("", -2.0, 1), Generated("How?", -3.0, 2)]
        return [known[:n] if any(context) else [] for context in contexts]


def test_a_trained_generator_gives_candidates_with_probabilities(
    items: Callable[..., pl.DataFrame],
) -> None:
    found = respond(
        items("a", ""), Trained(Ready()), "rerank", name="x", plans=plans(ASK, ASK),
        tagger=RuleTagger(),
    )  # fmt: skip
    first, second = found.pools
    assert [(c.text, c.status, c.logprob) for c in first.candidates] == [
        ("Why?", "ok", -1.0),
        ("", "empty", -2.0),
        ("How?", "ok", -3.0),
    ]
    assert second.candidates == (Candidate("", "not_applicable", "The item has no text."),)
    assert found.choices[0].why[0] == "highest similarity, the most probable of 2 equals"
    assert record.responses_table(found)["model"].to_list() == ["ready|v1"] * 2


@pytest.mark.parametrize("source", [Trained(Ready()), Existing(answers(("q0", "m", 0, "a")))])
def test_what_cannot_be_told_a_plan_is_not_asked_to(
    source: Any, items: Callable[..., pl.DataFrame]
) -> None:
    with pytest.raises(UserError, match="cannot be told a plan"):
        respond(items("a"), source, "prompt", name="x", plans=plans(ASK), tagger=RuleTagger())


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"strategy": "rerank", "name": "x"}, "needs a plan"),
        ({"strategy": "rerank", "name": "x", "plans": plans(ASK)}, "needs a tagger"),
        ({"strategy": "none", "name": "reference"}, "people's answers"),
        ({"strategy": "none", "name": "x", "n": 0}, "at least one"),
    ],
)
def test_what_makes_no_sense_is_refused(
    how: dict[str, Any], said: str, items: Callable[..., pl.DataFrame]
) -> None:
    with pytest.raises(UserError, match=said):
        respond(items("a"), Existing(answers(("q0", "m", 0, "a"))), **how)


def test_an_item_that_stands_twice_is_refused(items: Callable[..., pl.DataFrame]) -> None:
    twice = pl.concat([items("a"), items("b")])
    with pytest.raises(UserError, match="'q0'"):
        respond(twice, Existing(answers(("q0", "m", 0, "a"))), "none", name="x")


def test_planner_and_tagger_speak_of_the_same_labels() -> None:
    other = LabelSet("support", (LabelGroup("strategy", ("question", "advise")),))
    refuse_other_labels(RuleTagger.labels, RuleTagger.labels)
    with pytest.raises(UserError, match="support"):
        refuse_other_labels(other, RuleTagger.labels)


def test_of_several_sources_one_is_named() -> None:
    table = answers(("q0", "a", 0, "x"), ("q0", "b", 0, "y"))
    assert of_source(table, "b", "t")["text"].to_list() == ["y"]
    with pytest.raises(UserError, match="2 sources"):
        of_source(table, None, "t")
    with pytest.raises(UserError, match="no source 'c'"):
        of_source(table, "c", "t")
    assert from_responses(table.filter(pl.col("source") == "a"), ["zz"])[0].candidates == (
        NO_RESPONSE,
    )


def test_mean_similarities_come_with_intervals_and_what_is_missing(
    items: Callable[..., pl.DataFrame],
) -> None:
    """By hand: the first have 0, 0 and none, the chosen 1, 0 and 1; the difference 1 and 0."""
    given = answers(
        ("q0", "m", 0, "I see."), ("q0", "m", 1, "Why?"),
        ("q1", "m", 0, "I see."), ("q1", "m", 1, "I know."),
        ("q2", "m", 0, ""), ("q2", "m", 1, "Why?"),
    )  # fmt: skip
    found = ranked(items("a", "b", "c"), given, ASK, ASK, ASK)
    chosen, first, difference = record.results(record.candidates_table(found))
    assert [r.name for r in (chosen, first, difference)] == [
        "nls_chosen",
        "nls_first",
        "nls_chosen_minus_first",
    ]
    assert chosen.estimate == pytest.approx(2 / 3)
    assert (first.estimate, first.n, first.n_missing) == (0.0, 2, 1)
    assert math.isnan(first.ci_low)  # both are 0, and no width of an interval would be right
    assert first.reason == "all values are the same: no interval"
    assert (difference.estimate, difference.n, difference.n_missing) == (0.5, 2, 1)
    # Student's interval of 0 and 1 is wider than what a difference can be
    assert (difference.ci_low, difference.ci_high) == (0.0, 1.0)
    assert difference.group == {"source": "x"}


def test_a_run_keeps_the_candidates_of_each_source(
    items: Callable[..., pl.DataFrame], tmp_path: Path
) -> None:
    run = Run(tmp_path / "run")
    given = answers(("q0", "m", 0, "I see."), ("q0", "m", 1, "Why?"))
    found = ranked(items("a"), given, ASK)
    record.write(run, found)
    record.write(run, respond(items("a"), Existing(given), "none", name="first", n=1))
    record.write(run, found)
    assert run.read("responses").sort("source").select("source", "text").rows() == [
        ("first", "I see."),
        ("x", "Why?"),
    ]
    kept = record.read(run).filter(pl.col("source") == "x")
    assert kept.select("candidate", "labels", "plan", "similarity", "chosen", "why").rows() == [
        (0, ["inform"], ["question"], 0.0, False, "less similar"),
        (1, ["question"], ["question"], 1.0, True, "highest similarity"),
    ]
    assert record.read(run).height == 3
    stages = json.loads((run.folder / "manifest.json").read_text())["stages"]
    assert stages["respond x"]["items"] == 1


def test_a_run_without_candidates_says_so(tmp_path: Path) -> None:
    run = Run(tmp_path)
    with pytest.raises(UserError, match="no candidates"):
        record.read(run)
    pl.DataFrame({"a": [1]}).write_parquet(record.path_of(run))
    with pytest.raises(UserError, match="no table of candidates"):
        record.read(run)


def test_items_that_a_run_has_not_yet_are_added(
    items: Callable[..., pl.DataFrame], tmp_path: Path
) -> None:
    run = Run(tmp_path)
    run.write(items("other"), "items")
    two, given = items("a", "b"), answers(("q0", "m", 0, "x"), ("q1", "m", 0, "y"))
    record.write(run, respond(two, Existing(given), "none", name="x"))
    texts = [turns[0]["text"] for turns in run.read("items")["turns"].to_list()]
    assert texts == ["other", "b"]


def test_responses_of_the_same_name_that_came_from_elsewhere_are_not_lost(
    items: Callable[..., pl.DataFrame], tmp_path: Path
) -> None:
    run = Run(tmp_path)
    given = answers(("q0", "m", 0, "I see."), ("q0", "m", 1, "Why?"))
    run.write(given, "responses")
    with pytest.raises(UserError, match="would be lost"):
        record.refuse_loss(run, "m")
    record.refuse_loss(run, "x")
    found = respond(items("a"), Existing(given), "none", name="x")
    record.write(run, found)
    record.refuse_loss(run, "x")
    with pytest.raises(UserError, match="would be lost"):
        record.refuse_loss(run, "m")


def test_an_interval_stays_where_a_similarity_can_be() -> None:
    alike = [1.0, 0.0, 0.0]
    table = pl.DataFrame(
        [
            {
                "source": "x", "item_id": str(i), "candidate": 0, "plan_kind": "gold",
                "strategy": "prompt", "similarity": value, "chosen": True,
            }
            for i, value in enumerate(alike)
        ]
    )  # fmt: skip
    (mean,) = record.results(table)
    # R: t.test(c(1, 0, 0)) has -1.1009 to 1.7676
    assert (mean.ci_low, mean.ci_high) == (0.0, 1.0)
    assert "cut at 0 and 1" in mean.method
