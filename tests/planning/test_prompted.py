"""Planners that ask a language model: what they ask, what becomes of answers, and their folder."""

import json
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from attunement.errors import UserError
from attunement.inspect_bridge import LOCAL, ModelSpec, Settings
from attunement.planning import (
    DAILYDIALOG,
    ConstantPlanner,
    LabelGroup,
    LabelSet,
    Plan,
    Planner,
    read_planner,
    write_planner,
)
from attunement.planning.planner import NO_CONTEXT
from attunement.planning.prompted import PromptedPlanner, constrained, journaled
from attunement.planning.prompts import PRESETS, Prompt, prompt
from stubs.llm import Answer, Request, StubLLM, completion, said

SKY = LabelSet("weather", (LabelGroup("sky", ("sun", "rain"), silent="sun"),))


def planner_of(server: StubLLM, wording: str = "paper", context: int = 1) -> PromptedPlanner:
    settings = Settings(temperature=0.0, max_retries=0)
    spec = ModelSpec("m", "openai-api/stub/m", base_url=server.base_url, settings=settings)
    return PromptedPlanner(DAILYDIALOG, spec, prompt(wording), context)


def test_the_published_prompt_is_asked_word_for_word() -> None:
    """Vanel et al. (2024), appendix A."""
    asked = prompt("paper").ask(["Is it far ?"], DAILYDIALOG)
    assert asked.startswith(
        "Predict the sequence of labels associated with the utterance that follows the given "
        "dialogue.\nWe consider the following labels: ‘inform’, ‘question’, ‘directive’, "
        "‘commissive’, ‘neutral’, ‘anger’, ‘disgust’, ‘fear’, ‘happiness’, ‘sadness’ and "
        "‘surprise’. The answer must be one or a sequence of multiple labels from this list.\n\n"
        "Here are a few examples,\nDialogue: Good morning, sir. Is there a bank near here ?\n"
        "Labels: ‘inform’.\n"
    )
    assert asked.endswith(
        "Dialogue: No, It’s only about five minutes walk.\nLabels: ‘inform’, ‘happiness’.\n\n"
        "What labels are associated with the utterance following this dialogue:\n"
        "Dialogue: Is it far ?"
    )


def test_what_people_say_is_never_taken_for_a_place_of_the_template() -> None:
    given = Prompt("x", "{dialogue} / {labels}")
    assert given.ask(["{labels} {dialogue}"], SKY) == "{labels} {dialogue} / sky: sun, rain"


def test_several_turns_are_shown_by_speakers_in_turn() -> None:
    asked = prompt("plain", SKY).ask(["a", "b\n b", "c"], SKY)
    assert "\nSPEAKER A: a\nSPEAKER B: b b\nSPEAKER A: c\n" in asked
    assert "sky: sun, rain" in asked


def test_examples_come_as_a_conversation_that_ends_with_the_last_turn() -> None:
    messages = prompt("reply").messages(["a", "b", "c"], DAILYDIALOG)
    assert [m.role for m in messages[:3]] == ["system", "user", "assistant"]
    assert [(m.role, m.text) for m in messages[-3:]] == [
        ("user", "a"), ("assistant", "b"), ("user", "c"),
    ]  # fmt: skip
    two = prompt("reply").messages(["a", "b"], DAILYDIALOG)
    assert [m.role for m in two] == ["system", *["user", "assistant"] * (len(two) // 2 - 1), "user"]
    assert [m.text for m in two[-3:]] == ["...", "a", "b"]
    shown = [m.text for m in messages if m.role == "assistant"][:-1]
    used = {word for text in shown for word in text.split("[")[1].rstrip("]").split(", ")}
    assert used == set(DAILYDIALOG.labels) - {"neutral"}


@pytest.mark.parametrize(
    ("answer", "plan"),
    [
        ("‘inform’, ‘happiness’.", Plan(("inform", "happiness"))),
        ("inform, joy", Plan(("inform", "joy"))),
        ("neutral", Plan(())),
        ("None", Plan((), "unparsed", "The answer names no label: 'None'.")),
        ("", Plan((), "unparsed", "The answer is empty.")),
        (
            completion(None, stop="content_filter"),
            Plan((), "refused", "The provider's content filter stopped the answer."),
        ),
    ],
)
def test_an_answer_becomes_a_plan_or_a_status(answer: Answer, plan: Plan) -> None:
    with StubLLM(lambda _: answer) as server:
        assert planner_of(server).plan([("hello",)]) == [plan]


def test_of_a_reply_with_labels_only_the_last_brackets_count() -> None:
    def answer(request: Request) -> str:
        return "Oh [laughs], inform me. [question]" if said(request) == "a" else "Labels: inform"

    with StubLLM(answer) as server:
        plans = planner_of(server, "reply").plan([("a",), ("b",)])
    assert [p.labels for p in plans] == [("question",), ("inform",)]


def test_equal_contexts_are_asked_once_and_empty_ones_never() -> None:
    with StubLLM(lambda request: "question" if "tea" in said(request) else "inform") as server:
        done: list[int] = []
        contexts = [("tea",), (), ("x", "tea"), ("cup",), (" ",)]
        plans = planner_of(server).plan(contexts, advance=done.append)
        assert server.calls == 2
        assert planner_of(server).plan([]) == []
        assert planner_of(server).plan([()]) == [NO_CONTEXT]
        assert server.calls == 2
    question = Plan(("question",))
    assert plans == [question, NO_CONTEXT, question, Plan(("inform",)), NO_CONTEXT]
    assert sum(done) == 5


def test_with_a_journal_only_what_failed_is_asked_again(tmp_path: Path) -> None:
    fail = True

    def answer(request: Request) -> Answer:
        return (400, "{}") if fail and "cup" in said(request) else "inform"

    contexts = [("tea",), ("cup",), ("boat",)]
    with StubLLM(answer) as server:
        planner = journaled(planner_of(server), tmp_path / "plans.jsonl")
        first = planner.plan(contexts)
        assert [p.status for p in first] == ["ok", "error", "ok"]
        assert first[1].reason
        fail = False
        assert [p.status for p in planner.plan(contexts)] == ["ok"] * 3
        assert server.calls == 4


def test_threads_may_share_a_planner_and_its_journal(tmp_path: Path) -> None:
    with StubLLM("inform") as server:
        planner = journaled(planner_of(server), tmp_path / "plans.jsonl")
        plans: list[Plan] = []
        threads = [
            Thread(target=lambda text=text: plans.extend(planner.plan([(text,)])))
            for text in "abcd"
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert plans == [Plan(("inform",))] * 4


def test_a_journal_is_for_planners_that_ask() -> None:
    constant = ConstantPlanner(DAILYDIALOG, ("inform",))
    assert journaled(constant, Path("x")) is constant


def test_a_model_that_is_not_there_is_said() -> None:
    with StubLLM() as server:
        planner = planner_of(server)
    with pytest.raises(UserError):
        planner.plan([("a",), ("b",)])


@pytest.mark.parametrize("wording", PRESETS)
def test_it_comes_back_from_its_folder_without_key_or_answers(tmp_path: Path, wording: str) -> None:
    settings = Settings(temperature=0.5, max_tokens=9, seed=3, max_connections=2)
    spec = ModelSpec("m", "openai/x", "http://127.0.0.1:9/v1", "SOME_KEY", settings)
    planner = PromptedPlanner(DAILYDIALOG, spec, prompt(wording), 2, tmp_path / "j.jsonl")
    write_planner(planner, tmp_path / "m")
    back = read_planner(tmp_path / "m")
    assert isinstance(back, Planner)
    assert back == PromptedPlanner(DAILYDIALOG, spec, prompt(wording), 2)
    assert back.signature == planner.signature
    assert [p.name for p in (tmp_path / "m").iterdir()] == ["model.json"]


@pytest.mark.parametrize(
    "change",
    [
        lambda h: h.pop("model"),
        lambda h: h["model"].update(model=""),
        lambda h: h["model"].update(model=["x"]),
        lambda h: h["model"].update(base_url=7),
        lambda h: h["settings"].update(temperature="hot"),
        lambda h: h["settings"].update(max_connections=True),
        lambda h: h["settings"].pop("seed"),
        lambda h: h["prompt"].update(text="Plan!"),
        lambda h: h["prompt"].update(examples=[["one"]]),
        lambda h: h.update(context=0),
        lambda h: h.update(prompt=None),
    ],
)
def test_a_folder_that_was_tampered_with_is_refused(
    tmp_path: Path, change: Callable[[dict[str, object]], object]
) -> None:
    spec = ModelSpec("m", "openai/x")
    write_planner(PromptedPlanner(DAILYDIALOG, spec, prompt("paper"), 1), tmp_path / "m")
    file = tmp_path / "m" / "model.json"
    header = json.loads(file.read_text(encoding="utf-8"))
    change(header)
    file.write_text(json.dumps(header), encoding="utf-8")
    with pytest.raises(UserError, match="cannot be read"):
        read_planner(tmp_path / "m")


def test_prompts_that_cannot_be_are_refused(tmp_path: Path) -> None:
    (tmp_path / "none.txt").write_text("Plan it.", encoding="utf-8")
    (tmp_path / "latin.txt").write_bytes("{dialogue} \xe9".encode("latin-1"))
    for name, said_ in [
        ("papr", "Did you mean 'paper'"),
        (f"@{tmp_path}/absent.txt", "cannot be read"),
        (f"@{tmp_path}/none.txt", "no {dialogue}"),
        (f"@{tmp_path}/latin.txt", "not UTF-8"),
    ]:
        with pytest.raises(UserError, match=said_):
            prompt(name)
    for name in ("paper", "reply"):
        with pytest.raises(UserError, match="names DailyDialog's labels"):
            prompt(name, SKY)
    (tmp_path / "own.txt").write_text("{dialogue} -> {labels}?", encoding="utf-8")
    own = prompt(f"@{tmp_path}/own.txt", SKY)
    assert own.id.startswith("own-")
    assert own.ask(["a"], SKY) == "a -> sky: sun, rain?"


def test_the_grammar_allows_one_label_of_each_kind_in_order() -> None:
    odd = LabelSet("odd", (LabelGroup("a", ('say "x"', "y")), LabelGroup("b", ("u",))))
    # As llama.cpp's documentation of its grammars writes them.
    assert constrained(odd)["grammar"].splitlines() == [
        'root ::= " "? labels',
        'g0 ::= "say \\"x\\"" | "y"',
        'g1 ::= "u"',
        'labels ::= g0 (", " g1)? | g1',
    ]


@pytest.mark.local
@pytest.mark.parametrize("wording", PRESETS)
def test_the_embedded_model_gives_plans_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, wording: str
) -> None:
    monkeypatch.setenv("ATTUNEMENT_LOCAL_THREADS", "1")
    spec = ModelSpec("small", LOCAL, settings=Settings(temperature=0.0))
    planner = PromptedPlanner(DAILYDIALOG, spec, prompt(wording), 3)
    contexts = [
        ("I lost my job yesterday and I can't stop crying.",),
        ("Shall we meet at the station?", "When?", "Would seven be all right?"),
    ]
    plans = planner.plan(contexts)
    assert [p.status for p in plans] == ["ok", "ok"]
    known = set(DAILYDIALOG.labels)
    assert all(set(p.labels) <= known and len(p.labels) <= 2 for p in plans)
    assert planner.plan(contexts) == plans
    assert "grammar:labels" in planner.signature


@pytest.mark.local
def test_the_embedded_model_plans_differently_where_different_things_are_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ATTUNEMENT_LOCAL_THREADS", "1")
    spec = ModelSpec("small", LOCAL, settings=Settings(temperature=0.0))
    planner = PromptedPlanner(DAILYDIALOG, spec, prompt("reply"), 3)
    plans = planner.plan(
        [("Could you close the window?",), ("Shall we go to the cinema tonight?",)]
    )
    assert plans[0].labels != plans[1].labels
