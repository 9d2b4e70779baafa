"""Asking models for answers: one row an answer, whatever happens."""

import polars as pl
import pytest

from attunement import tables
from attunement.errors import UserError
from attunement.inspect_bridge import ModelSpec
from attunement.respond import OVER_LIMIT, PRESETS, estimate, generate
from attunement.respond import preset as preset_of


def test_every_model_answers_every_item_once_a_candidate(stub, spec_for, items) -> None:
    with stub.StubLLM(lambda r: f" {r['model']}: {stub.said(r)}\n") as server:
        specs = [spec_for(server, "a"), spec_for(server, "b")]
        table = generate(items("Why?", "How?"), specs, candidates=2)
    assert tables.check(table, "responses") == []
    assert table.select("source", "item_id", "candidate").rows() == [
        (source, item, candidate)
        for source in ("a", "b")
        for item in ("q0", "q1")
        for candidate in (0, 1)
    ]
    first = table.row(0, named=True)
    assert first == {
        "response_id": "q0/a/0",
        "item_id": "q0",
        "source": "a",
        "candidate": 0,
        "text": "a: Why?",
        "model": "openai-api/stub/a",
        "prompt_id": "counselor",
        "attempts": 1,
        "latency_s": first["latency_s"],
        "tokens_in": 10,
        "tokens_out": 5,
        "cost_usd": pytest.approx(20e-6),
        "error": None,
    }
    assert first["latency_s"] >= 0


def test_candidates_have_seeds_of_their_own(stub, spec_for, items) -> None:
    with stub.StubLLM() as server:
        generate(items("Why?"), [spec_for(server)], candidates=3, seed=5)
    assert sorted(r["seed"] for r in server.requests) == [5, 1005, 2005]


def test_the_preset_goes_before_the_turns(stub, spec_for) -> None:
    turns = [
        {"role": "user", "text": "Hi"},
        {"role": "assistant", "text": "Hello."},
        {"role": "user", "text": "I am sad."},
    ]
    with stub.StubLLM() as server:
        generate(pl.DataFrame({"item_id": ["c"], "turns": [turns]}), [spec_for(server)])
    said = [(m["role"], m["content"]) for m in server.requests[0]["messages"]]
    assert said == [
        ("system", PRESETS["counselor"]),
        ("user", "Hi"),
        ("assistant", "Hello."),
        ("user", "I am sad."),
    ]


def test_the_preset_none_sends_no_system_prompt(stub, spec_for, items) -> None:
    with stub.StubLLM() as server:
        table = generate(items("Why?"), [spec_for(server)], preset="none")
    assert [m["role"] for m in server.requests[0]["messages"]] == ["user"]
    assert table["prompt_id"].to_list() == ["none"]


def test_a_failure_is_a_row_and_the_others_are_there(stub, spec_for, items) -> None:
    def answer(request):
        return (500, "{}") if stub.said(request) == "bad" else "fine"

    with stub.StubLLM(answer) as server:
        table = generate(items("good", "bad", "good too"), [spec_for(server)])
    assert table["text"].to_list() == ["fine", "", "fine"]
    assert [e is None for e in table["error"].to_list()] == [True, False, True]
    assert "HTTP 500" in table["error"][1]
    assert tables.check(table, "responses") == []


def test_an_item_with_nothing_to_answer_is_a_row_and_no_call(stub, spec_for, items) -> None:
    with stub.StubLLM() as server:
        table = generate(items("  ", "Why?"), [spec_for(server)])
    assert server.calls == 1
    assert table["error"].to_list() == ["not asked: the item has no text", None]
    assert table["attempts"].to_list() == [0, 1]


def test_empty_and_refused_answers_are_told_apart(stub, spec_for, items) -> None:
    def answer(request):
        stop = "content_filter" if stub.said(request) == "refuse" else "stop"
        return stub.completion("", stop=stop)

    with stub.StubLLM(answer) as server:
        table = generate(items("nothing", "refuse"), [spec_for(server)])
    assert table["text"].to_list() == ["", ""]
    assert table["error"][0] is None
    assert table["error"][1].startswith("refused")


def words(n: int) -> str:
    return " ".join(["word"] * n)


def test_an_answer_over_the_word_limit_is_asked_again(stub, spec_for, items) -> None:
    length = {1: 9, 2: 7, 3: 5}  # by seed
    with stub.StubLLM(lambda r: words(length[r["seed"]])) as server:
        table = generate(items("Why?"), [spec_for(server)], word_limit=5)
    row = table.row(0, named=True)
    assert (row["text"], row["attempts"], row["error"]) == (words(5), 3, None)
    assert (row["tokens_in"], row["tokens_out"]) == (30, 15)
    assert row["cost_usd"] == pytest.approx(60e-6)
    assert server.calls == 3


def test_where_no_answer_fits_the_last_is_kept_and_marked(stub, spec_for, items) -> None:
    with stub.StubLLM(lambda r: words(5 + r["seed"])) as server:
        table = generate(items("Why?"), [spec_for(server)], word_limit=5, max_attempts=3)
    row = table.row(0, named=True)
    assert (row["text"], row["attempts"]) == (words(8), 3)
    assert row["error"] == f"{OVER_LIMIT}: 8 words of 5 after 3 attempts"
    assert server.calls == 3


def test_only_the_long_answers_are_asked_again(stub, spec_for, items) -> None:
    with stub.StubLLM(lambda r: words(int(stub.said(r)) // r["seed"])) as server:
        table = generate(items("4", "8", "12"), [spec_for(server)], word_limit=4)
    assert table["attempts"].to_list() == [1, 2, 3]
    assert server.calls == 6


def test_a_second_run_makes_no_call(stub, spec_for, items, tmp_path) -> None:
    how = {"word_limit": 5, "candidates": 2, "journal_folder": tmp_path}
    with stub.StubLLM(lambda r: words(4 + r["seed"] % 2)) as server:
        first = generate(items("Why?", "How?"), [spec_for(server)], **how)
        calls = server.calls
        again = generate(items("Why?", "How?"), [spec_for(server)], **how)
    assert server.calls == calls
    assert again.equals(first)


def test_another_word_limit_reuses_what_is_there(stub, spec_for, items, tmp_path) -> None:
    with stub.StubLLM(lambda r: words(10 - r["seed"])) as server:
        generate(items("Why?"), [spec_for(server)], journal_folder=tmp_path)
        table = generate(items("Why?"), [spec_for(server)], word_limit=7, journal_folder=tmp_path)
    assert table["attempts"].to_list() == [3]
    assert server.calls == 3


def test_progress_counts_rows(stub, spec_for, items) -> None:
    done = []
    with stub.StubLLM(lambda r: words(10 - r["seed"])) as server:
        generate(items("a", "b"), [spec_for(server)], word_limit=8, on_progress=done.append)
    assert sum(done) == 2


@pytest.mark.parametrize("name", ["reference", "therapist"])
def test_a_model_cannot_take_the_name_of_people(items, name: str) -> None:
    with pytest.raises(UserError, match="people's answers"):
        generate(items("Why?"), [ModelSpec(name, "openai/x")])


def test_two_models_cannot_share_a_name(items) -> None:
    with pytest.raises(UserError, match="two models are called 'm'"):
        generate(items("Why?"), [ModelSpec("m", "openai/x"), ModelSpec("m", "openai/y")])


def test_two_items_cannot_share_an_id(items) -> None:
    table = pl.concat([items("Why?"), items("How?")])
    with pytest.raises(UserError, match="two items"):
        generate(table, [ModelSpec("m", "openai/x")])


@pytest.mark.parametrize("argument", ["word_limit", "candidates", "max_attempts"])
def test_counts_are_one_or_more(items, argument: str) -> None:
    with pytest.raises(UserError, match=argument):
        generate(items("Why?"), [], **{argument: 0})


def test_no_models_make_an_empty_table(items) -> None:
    assert generate(items("Why?"), []).equals(tables.empty("responses"))


def test_the_estimate_makes_no_call_and_counts_what_is_there(
    stub, spec_for, items, tmp_path
) -> None:
    table = items("x" * 400, "y" * 400, "")
    how = {"preset": "none", "candidates": 2, "journal_folder": tmp_path}
    with stub.StubLLM() as server:
        spec = spec_for(server, max_tokens=100)
        (before,) = estimate(table, [spec], word_limit=40, **how)
        assert server.calls == 0
        assert list(tmp_path.iterdir()) == []
        generate(table.head(1), [spec], **how)
        (after,) = estimate(table, [spec], **how)
    assert (before.answers, before.arrived, before.calls, before.calls_at_most) == (6, 0, 4, 20)
    # 400 characters / 4, and 4 around the message; 40 words of 1.5 tokens
    assert (before.tokens_in, before.tokens_out) == (4 * 104, 4 * 60)
    assert before.cost_usd == pytest.approx((4 * 104 * 1.0 + 4 * 60 * 2.0) / 1e6)
    assert (after.arrived, after.calls, after.tokens_out) == (2, 2, 200)


def test_the_cost_is_unknown_without_prices(items) -> None:
    (said,) = estimate(items("Why?"), [ModelSpec("m", "openai/x")])
    assert said.cost_usd is None
    assert said.tokens_out == 400


def test_a_prompt_of_ones_own_changes_its_id_with_its_text(tmp_path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("Be kind.\n", encoding="utf-8-sig")
    one = preset_of(f"@{file}")
    assert one.text == "Be kind."
    assert one.id.startswith("mine-")
    file.write_text("Be brief.")
    assert preset_of(f"@{file}").id != one.id


@pytest.mark.parametrize(
    ("name", "said"),
    [("counsellor", "Did you mean 'counselor'"), ("@nowhere.txt", "cannot be read")],
)
def test_a_prompt_that_is_not_there(name: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        preset_of(name)


def test_a_prompt_that_is_not_text(tmp_path) -> None:
    (tmp_path / "p").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(UserError, match="UTF-8"):
        preset_of(f"@{tmp_path / 'p'}")


@pytest.mark.parametrize("name", [n for n in PRESETS if n != "none"])
def test_every_preset_says_what_to_do_about_risk(name: str) -> None:
    assert "crisis line" in PRESETS[name]
    assert "emergency number" in PRESETS[name]
