"""Each protocol from the invitation to the export, as its owner and two people go through it.

One of the two reads English and the other Italian, one has a phone. On the way pages are reloaded
and gone back to, a second tab is opened, the network is lost, and the server stops for the night,
after which one of them comes back on another device. In the end the tables hold what they noted
down, each answer once, and nothing else.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from attunement import tables
from stubs import llm, study_files
from stubs.ports import free_port
from studies.browser.people import (
    Owner,
    Person,
    attunement,
    differences,
    exported,
    is_here,
    opinion,
    passage,
    saved,
    select,
)

expect = pytest.importorskip("playwright.sync_api").expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

DESK: dict[str, Any] = {"width": 1280, "height": 900}
PHONE: dict[str, Any] = {"width": 360, "height": 740, "has_touch": True, "is_mobile": True}

CONSENT = {
    "text": {
        "en": "You will read about sleepless nights.\n\nTaking part is voluntary.",
        "it": "Leggerà di notti insonni.\n\nPartecipare è volontario.",
    }
}
WARNING = {"en": "Some texts speak of sleepless nights.", "it": "Si parla di notti insonni."}


def words(en: str, it: str) -> dict[str, str]:
    return {"en": en, "it": it}


Open = Callable[..., tuple[Owner, list[Person]]]


@pytest.fixture
def open_study(tmp_path: Path, visit: Callable[..., Any]) -> Iterator[Open]:
    """Return a function that makes a study, serves it, and gives each link to a person.

    ``write`` puts what the study needs beside its file; ``people`` are language and device of each.
    """
    made: list[Owner] = []

    def open_(
        *people: tuple[str, dict[str, Any]],
        write: Callable[[Path], None] = lambda folder: None,
        **keys: Any,
    ) -> tuple[Owner, list[Person]]:
        write(tmp_path)
        if not (tmp_path / "items.parquet").exists():
            keys |= {"items": None, "responses": None}
        file = tmp_path / "study.yaml"
        text = study_files.study_text(consent=CONSENT, warning=WARNING, country="IT", **keys)
        file.write_text(text, "utf-8")
        owner = Owner(tmp_path / "study", free_port())
        made.append(owner)
        owner.begin(file)
        owner.serve()
        return owner, [
            Person(visit, code, owner.links[code], language, tmp_path, device)
            for code, (language, device) in zip(owner.links, people, strict=True)
        ]

    yield open_
    for owner in made:
        if owner.process is not None:
            owner.process.kill()
            owner.process.wait()


def write_texts(folder: Path, asked: dict[str, str], told: dict[str, dict[str, str]]) -> None:
    """Write items by their id, and answers to each by their source."""
    items = pl.DataFrame(
        [{"item_id": id, "turns": [{"role": "user", "text": t}]} for id, t in asked.items()]
    )
    responses = pl.DataFrame(
        [
            {"response_id": f"{id}-{source}", "item_id": id, "source": source, "text": text}
            for id, answers in told.items()
            for source, text in answers.items()
        ]
    )
    tables.write_table(tables.conform(items, "items"), folder / "items.parquet", "items")
    table = tables.conform(responses, "responses")
    tables.write_table(table, folder / "responses.parquet", "responses")


def read(out: Path, name: str) -> pl.DataFrame:
    return pl.read_parquet(out / f"{name}.parquet")


def texts_of(out: Path) -> dict[str, str]:
    """Return the exported answers by their id."""
    return dict(read(out, "responses").select("response_id", "text").iter_rows())


def ended(owner: Owner, people: list[Person], visit: Callable[..., Any], *secrets: str) -> Path:
    """Hold everybody's end against the owner's view of it, and return the export.

    ``secrets`` are words that must not have reached anybody who takes part.
    """
    assert owner.status()["participants"]["finished"] == len(people)
    codes = owner.codes(visit().page)
    assert codes == {person.code: person.completion for person in people}
    assert len(set(codes.values())) == len(people)
    out = owner.export()
    owner.stop()
    for person in people:
        received = list(person.received())
        assert [url for url, _, _ in received if not is_here(url)] == []
        pages = [text for _, kind, text in received if "html" in kind and text]
        assert any(person.completion in page for page in pages)
        other = [code for code in codes.values() if code != person.completion]
        told = [
            (url, secret)
            for url, _, text in received
            for secret in (*secrets, *other)
            if secret in text or secret in url
        ]
        assert told == []
    return out


# --- rate

ASKED = {
    "item-4711": "I lie awake every night, and nobody knows.",
    "item-4712": "Since May I wake at three. È così ogni notte 😞",
}
TOLD = {
    "item-4711": {
        "larkspur-9b": "Café talk 👋🏽 helps.\r\nI hear how tired you are 😴, and I stay close.",
        "juniper-70b": "Perche\u0301 non dormi? <b>Go to bed earlier</b> & stop worrying.",
    },
    "item-4712": {
        "larkspur-9b": "Three o'clock is lonely 🌙. Who could you tell, già domani?",
        "juniper-70b": "Take 25 mg at night 💊 – that always works.",
    },
}
MARKED = {
    TOLD["item-4711"]["larkspur-9b"]: "how tired you are 😴",
    TOLD["item-4711"]["juniper-70b"]: "non dormi? <b>Go",
    TOLD["item-4712"]["larkspur-9b"]: "già domani",
    TOLD["item-4712"]["juniper-70b"]: "💊 – that always",
}
POINTS = {
    "overall": 5,
    "empathy": 5,
    "specificity": 5,
    "medical_advice": 1,
    "factual_consistency": 4,
    "toxicity": 5,
}
NOT_SURE = ("medical_advice", "factual_consistency")
RATE: dict[str, Any] = {
    "protocol": {
        "type": "rate",
        "instrument": "counselbench-eval",
        "raters_per_item": 2,
        "items_per_rater": 2,
    },
    "background": [
        {
            "id": "years",
            "label": words("Years", "Anni"),
            "wording": words("For how many years?", "Da quanti anni?"),
            "scale": {"type": "integer", "min": 0, "max": 60, "better": "neither"},
        },
        {
            "id": "role",
            "label": words("Role", "Ruolo"),
            "wording": words("What do you do?", "Che cosa fa?"),
            "scale": {
                "type": "choice",
                "options": [
                    {"id": "care", "label": words("I care", "Curo")},
                    {"id": "teach", "label": words("I teach", "Insegno")},
                ],
            },
        },
    ],
    "training": [
        {
            "id": "practice-4710",
            "turns": [{"role": "user", "text": "I failed my exam."}],
            "answer": "Study harder.",
            "expected": {"empathy": 1},
            "feedback": words("It gives an order.", "Dà un ordine."),
        }
    ],
    "closing": [
        {
            "id": "remarks",
            "label": words("Remarks", "Osservazioni"),
            "wording": words("What would you like to add?", "Che cosa vuole aggiungere?"),
            "scale": {"type": "text"},
        }
    ],
}


def unit_of(page: Any) -> Any:
    """Return the one answer that a page shows, once its script runs."""
    page.wait_for_selector(".unit.marking")
    return page.locator(".unit.marking")


def text_of(unit: Any) -> str:
    return str(unit.locator("[data-text]").evaluate("(element) => element.textContent"))


def rate(person: Person, *dimensions: str, page: Any = None, kind: str = "main") -> None:
    """Rate the answer on the page, by default whatever is open, and note it down."""
    page = page or person.page
    unit = unit_of(page)
    text = text_of(unit)
    notes = person.notes.get(kind, {})
    for dimension in dimensions or [d for d in POINTS if (text, d) not in notes]:
        top = POINTS[dimension]
        low = min(top, 1) if top > 1 else 0
        value = opinion(person.code, text, dimension, top + (dimension in NOT_SURE), low)
        answer(person, page, dimension, None if value > top else value, kind)


def answer(person: Person, page: Any, dimension: str, value: int | None, kind: str) -> None:
    """Answer one question about the answer on the page; None is "I am not sure"."""
    unit, text = unit_of(page), text_of(unit_of(page))
    question = unit.locator(f"fieldset[data-dimension={dimension}]")
    chosen = "status:not_sure" if value is None else str(value)
    question.locator(f"input[value='{chosen}']").check()
    reason, marks = None, ()
    if dimension == "overall" and kind == "main":
        reason = f"{person.code} says: perché sì 🌱\nand it stays."
        question.locator("textarea[name='overall.rationale']").fill(reason)
        if not question.locator(".chip").count():
            select(unit, MARKED[text])
            question.locator(".mark-here").click()
        expect(question.locator(".chip")).to_have_count(1)
        marks = (passage(text, MARKED[text]),)
    status = "ok" if value is not None else "not_sure"
    note = (None if value is None else float(value), status, None, marks, reason)
    person.note(kind, text, dimension, note)


def introduce(person: Person, years: int) -> None:
    """Answer the questions before the work, reloading the page half way, and practice."""
    page = person.page
    page.locator("[name=years]").fill(str(years))
    page.locator("[name=years]").blur()
    person.saved()
    page.reload()
    assert page.locator("[name=years]").input_value() == str(years)
    page.locator("[name=role][value=teach]").check()
    person.saved()
    person.shot("rate-questions")
    person.note("asked", person.code, "years", (float(years), "ok", None, (), None))
    person.note("asked", person.code, "role", (None, "ok", "teach", (), None))
    person.go_on()
    person.press("main button.primary")  # the warning
    rate(person, kind="known")
    person.saved()
    person.go_on()
    assert page.locator("main").inner_text().count(RATE["training"][0]["feedback"][person.language])
    person.press("main a.primary")


def remark(person: Person, said: str) -> None:
    """Answer the question after the work, and finish."""
    person.page.locator("[name=remarks]").fill(said)
    person.note("asked", person.code, "remarks", (None, "ok", said, (), None))
    person.go_on()
    person.finish()


def test_rate(open_study: Open, visit: Callable[..., Any]) -> None:
    owner, people = open_study(
        ("en", DESK), ("it", PHONE), write=lambda f: write_texts(f, ASKED, TOLD), **RATE
    )
    ada, bruna = people

    ada.arrive()
    ada.shot("rate-consent")
    ada.agree()
    introduce(ada, 12)
    # A reload in the middle
    rate(ada, "overall", "empathy")
    ada.saved()
    ada.page.reload()
    first = unit_of(ada.page)
    expect(first.locator("fieldset.answered")).to_have_count(2)
    assert first.locator(".chip q").inner_text() == MARKED[text_of(first)]
    rate(ada)
    ada.shot("rate-answer")
    ada.go_on()
    # Back, another opinion, and forth
    ada.page.go_back()
    other = 1 + int(ada.notes["main"][text_of(unit_of(ada.page)), "empathy"][0] or 0) % 5
    answer(ada, ada.page, "empathy", other, "main")
    ada.saved()
    ada.page.go_forward()
    # Two tabs, which answer different questions and one both
    rate(ada, "overall", "specificity")
    ada.saved()
    tab = ada.at.context.new_page()
    tab.goto(ada.page.url)
    rate(ada, "empathy", "toxicity", page=tab)
    answer(ada, tab, "specificity", 5, "main")
    saved(tab)
    tab.close()
    ada.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(ada.page.locator("fieldset.answered")).to_have_count(4)
    rate(ada)
    ada.saved()
    ada.go_on()

    bruna.arrive()
    bruna.agree()
    introduce(bruna, 0)
    # The network is lost; she closes the page, and comes back when it is there again
    bruna.at.context.set_offline(True)
    rate(bruna)
    bruna.page.wait_for_selector("[data-status][data-state=failing]")
    bruna.shot("rate-offline")
    bruna.page.close()
    bruna.at.context.set_offline(False)
    bruna.at.page = bruna.at.context.new_page()
    bruna.page.goto(bruna.link)
    expect(unit_of(bruna.page).locator("fieldset.answered")).to_have_count(6)
    bruna.saved()
    bruna.go_on()
    rate(bruna, "overall", "empathy")
    bruna.saved()
    bruna.leave()

    owner.stop()
    # In the night nothing is there, and what is answered on a page left open is kept
    rate(ada, "overall")
    ada.page.wait_for_selector("[data-status][data-state=failing]")
    owner.serve()

    ada.page.evaluate("dispatchEvent(new Event('online'))")
    ada.saved()
    rate(ada)
    ada.go_on()
    rate(ada)
    ada.go_on()
    remark(ada, "=1+1 is no formula here 🙂")
    ada.shot("rate-done")
    # The next day, on another device
    bruna.arrive()
    expect(unit_of(bruna.page).locator("fieldset.answered")).to_have_count(6)
    bruna.go_on()
    expect(unit_of(bruna.page).locator("fieldset.answered")).to_have_count(2)
    bruna.shot("rate-next-day")
    for _ in range(3):
        rate(bruna)
        bruna.saved()
        bruna.go_on()
    remark(bruna, "Più tempo, per favore: è bello così.")

    sources = [source for answers in TOLD.values() for source in answers]
    out = ended(owner, people, visit, *sources, *ASKED, "practice-4710")
    assert [r for _, _, text in bruna.received() for r in ["R001 says"] if r in text] == []
    texts = texts_of(out)
    assert sorted(texts.values()) == sorted(MARKED)
    assert differences(people, "main", exported(read(out, "ratings"), texts, texts)) == []
    practiced = dict(read(out, "known").select("unit_id", "text").iter_rows())
    assert differences(people, "known", exported(read(out, "known_ratings"), {}, practiced)) == []
    assert differences(people, "asked", exported(read(out, "questions"), {})) == []
    about = {r: json.loads(a) for r, a in read(out, "raters").select("rater", "attributes").rows()}
    assert {code: a["language"] for code, a in about.items()} == {"R001": "en", "R002": "it"}
    # What comes after reads it as it is
    said = json.loads(
        attunement(
            *("agreement", out / "ratings.parquet", "--dimension", "overall"),
            *("--replicates", "50", "--json"),
        )
    )
    assert said["results"]


# --- filter, choose, annotate

CONTEXTS = {
    "item-8801": "I lie awake every night.",
    "item-8802": "Nobody asks how I am. Non lo chiede nessuno.",
}
TURNS = {
    "item-8801": {
        "larkspur-9b": "That sounds tiring 😴. How long has it been, però?",
        "juniper-70b": "That sounds  tiring 😴. How long has it been, però?\n",
        "sorrel-2b": "Same.",
        "bracken-1b": "Try tea. It is what I do myself.",
    },
    "item-8802": {
        "larkspur-9b": "I ask you now: how are you?",
        "juniper-70b": "Nobody asks me either.",
        "sorrel-2b": "I see 🫂. Would you like to tell me more?",
        "bracken-1b": "Call somebody then.",
    },
}
KEPT = ["item-8801-larkspur-9b", "item-8801-bracken-1b", "item-8802-sorrel-2b"]
EQUAL = {"item-8801-larkspur-9b": ["item-8801-juniper-70b"]}
TURN_IDS = {
    text: f"{item}-{source}" for item, turns in TURNS.items() for source, text in turns.items()
}
ANNOTATED = {
    "usefulness": (1, 3),
    "fluency": (1, 3),
    "style_consistency": (0, 1),
    "emotional_tone": (1, 3),
    "dialogue_strategy": (1, 3),
    "role_consistency": (0, 1),
}
ACTS = {"question": words("Question", "Domandare"), "inform": words("Inform", "Informare")}


CHOSEN = {
    "R001": {"item-8801": KEPT[:1], "item-8802": KEPT[2:]},
    "R002": {"item-8801": KEPT[:2], "item-8802": []},
}


def credited(person: Person, response: str, dimension: str, note: Any) -> None:
    """Note an answer down for each response that has the same text."""
    for id in (response, *EQUAL.get(response, [])):
        person.note("main", id, dimension, note)


def decide(person: Person, row: Any) -> None:
    """Keep or eliminate an answer."""
    id = TURN_IDS[text_of(row)]
    row.locator(f"[name=keep][value='{int(id in KEPT)}']").check()
    credited(person, id, "keep", (float(id in KEPT), "ok", None, (), None))


def choose(person: Person) -> None:
    """Decide on what is undecided, choose, and go on."""
    page = person.page
    page.wait_for_selector("fieldset .digit, .tally:not(:empty)")
    rows = page.locator(".candidate").all()
    for row in rows:
        if not row.locator("[name=keep]:checked").count():
            decide(person, row)
    item = TURN_IDS[text_of(rows[0])].rsplit("-", 2)[0]
    wanted = CHOSEN[person.code][item]
    for row in rows:
        if TURN_IDS[text_of(row)] in wanted:
            place = row.get_attribute("data-place")
            page.locator(f".choosing [data-answer='{place}'] input").check()
    if not wanted:
        page.locator(".choosing [value='none:']").check()
    ids = sorted(id for w in wanted for id in (w, *EQUAL.get(w, [])))
    person.note("main", item, "choice", (float(len(wanted)), "ok", "|".join(ids), (), None))
    person.saved()
    person.shot(f"filter-{item}")
    person.go_on()


def annotate(person: Person, act: str | None = None) -> None:
    """Annotate the answer on the page; mark one act anew, or find those proposed right."""
    page, unit = person.page, unit_of(person.page)
    text = text_of(unit)
    id = TURN_IDS[text]
    acts = unit.locator("fieldset[data-dimension=dialogue_acts]")
    if act is not None:
        while acts.locator(".chip").count():
            acts.locator(".chip .remove").first.click()
        select(unit, text.split()[-1])
        acts.locator(".mark-here").click()
        page.locator(".mark-bar").get_by_role("button", name=ACTS[act][person.language]).click()
        expect(acts.locator(".chip")).to_have_count(1)
        marks = [passage(text, text.split()[-1], act)]
    else:
        marks = [
            passage(text, chip.locator("q").inner_text(), chip.locator("select").input_value())
            for chip in acts.locator(".chip").all()
        ]
        acts.locator("[data-right]").click()
    labels = "|".join(sorted(str(label) for _, _, label in marks))
    note = (float(len(marks)), "ok", labels, tuple(sorted(marks)), None)
    credited(person, id, "dialogue_acts", note)
    unit.locator("[name=emotions][value=sadness]").check()
    credited(person, id, "emotions", (1.0, "ok", "sadness", (), None))
    for dimension, (low, top) in ANNOTATED.items():
        value = opinion(person.code, text, dimension, top, low)
        unit.locator(f"[name={dimension}][value='{value}']").check()
        credited(person, id, dimension, (float(value), "ok", None, (), None))
    person.saved()


def test_filter_choose_annotate(open_study: Open, visit: Callable[..., Any]) -> None:
    protocol = {
        "type": "filter-choose-annotate",
        "instrument": "socio-emotional",
        "raters": 2,
        "raters_per_item": 2,
        "annotators_per_item": 2,
        "choose": 2,
    }
    owner, people = open_study(
        ("it", DESK),
        ("en", PHONE),
        write=lambda f: write_texts(f, CONTEXTS, TURNS),
        protocol=protocol,
    )
    alba, beth = people

    alba.arrive()
    alba.agree()
    alba.press("main button.primary")  # the warning
    # Two tabs, each of which decides on one, and a reload
    decide(alba, alba.page.locator(".candidate").nth(0))
    alba.saved()
    tab = alba.at.context.new_page()
    tab.goto(alba.page.url)
    decide(alba, tab.locator(".candidate").nth(1))
    saved(tab)
    tab.close()
    alba.page.reload()
    expect(alba.page.locator(".candidate [name=keep]:checked")).to_have_count(2)
    choose(alba)
    # Back, and forth again
    alba.page.go_back()
    assert alba.page.locator(".candidate [name=keep]:checked").count() >= 3
    alba.go_on()
    choose(alba)

    beth.arrive()
    beth.agree()
    beth.press("main button.primary")
    # The network is lost, and comes back
    beth.at.context.set_offline(True)
    decide(beth, beth.page.locator(".candidate").nth(0))
    beth.page.wait_for_selector("[data-status][data-state=failing]")
    beth.at.context.set_offline(False)
    beth.saved()
    beth.leave()
    owner.stop()
    owner.serve()
    # The next day, on another device
    beth.arrive()
    expect(beth.page.locator(".candidate [name=keep]:checked")).to_have_count(1)
    choose(beth)
    choose(beth)
    beth.shot("filter-waiting")

    attunement("study", "open-stage", owner.folder, "annotate")
    for person, act in ((alba, "question"), (beth, None)):
        person.page.goto(person.link)
        while not person.page.locator(".code").count():
            annotate(person, act)
            person.shot("annotate")
            person.go_on()
        person.finish()

    sources = [source for turns in TURNS.values() for source in turns]
    out = ended(owner, people, visit, *sources, *CONTEXTS)
    texts = texts_of(out)
    assert set(texts) == set(TURN_IDS.values())
    assert differences(people, "main", exported(read(out, "ratings"), texts)) == []
    said = json.loads(attunement("socemo", out, "--json", "--replicates", "0"))
    kept = {r["group"]["source"]: r["estimate"] for r in said["results"] if r["name"] == "filter"}
    # The first of two contexts for the first two sources, who said the same; and so on
    assert kept == {"larkspur-9b": 0.5, "juniper-70b": 0.5, "sorrel-2b": 0.5, "bracken-1b": 0.5}


# --- chat, then rate

BOT = "quiet-heron-7b"
SYSTEM = "SECRET PLAN: listen, and ask one thing."


def reply_to(request: llm.Request) -> str:
    """Return a reply that tells what it replies to, and how much was said before."""
    before = sum(m["role"] == "user" for m in request["messages"])
    return f"Ti ascolto 🫂 ({before}).\nYou said: «{llm.said(request)}» – perché?"


def turns(person: Person) -> Any:
    return person.page.locator("[data-messages] > li")


def say(person: Person, text: str) -> None:
    person.page.locator("#text").fill(text)
    person.page.locator("[data-send]").click()


def hear(person: Person, said: list[str]) -> None:
    """Wait for the whole reply to the last of what somebody has said, and hold all against it."""
    expect(turns(person)).to_have_count(2 * len(said))
    expect(turns(person).last).to_have_attribute("data-status", "done")
    shown = person.page.locator("[data-messages] .said").all_inner_texts()
    assert shown[::2] == said
    assert all(f"«{text}»" in reply for text, reply in zip(said, shown[1::2], strict=True))


def end(person: Person) -> None:
    """Finish the conversation and go to what comes next."""
    person.press("[data-finish]")
    person.page.locator("[data-ended]").wait_for()
    person.press("main button.primary")


def answer_about(person: Person, *dimensions: str) -> None:
    """Answer the questionnaire, by default all of it; what is about memory does not apply."""
    page = person.page
    page.locator("[data-open-instructions]").wait_for()
    for question in page.locator("fieldset.dimension").all():
        dimension = str(question.get_attribute("data-dimension"))
        if dimensions and dimension not in dimensions:
            continue
        value = opinion(person.code, "chat", dimension, 5)
        away = dimension in ("m1", "m2")
        question.locator(f"input[value='{'status:not_applicable' if away else value}']").check()
        note = (None if away else float(value), "not_applicable" if away else "ok", None, (), None)
        person.note("main", f"{person.code}:{BOT}", dimension, note)
    person.saved()


def test_chat_then_rate(open_study: Open, visit: Callable[..., Any]) -> None:
    pause = threading.Event()
    with llm.StubLLM(reply_to, pause=pause) as bot:
        chat_then_rate(open_study, visit, bot)


def chat_then_rate(open_study: Open, visit: Callable[..., Any], bot: llm.StubLLM) -> None:
    protocol = {
        "type": "chat-then-rate",
        "instrument": "ces-lcc",
        "bots": {BOT: {"model": "tiny-kestrel", "base_url": bot.base_url, "system": SYSTEM}},
        "participants": 2,
        "sessions": 2,
        "memory": "kept",
        "least_turns": 1,
        "scenario": words("Talk about your week.", "Parli della Sua settimana."),
    }
    owner, people = open_study(("it", PHONE), ("en", DESK), protocol=protocol)
    carla, dora = people

    carla.arrive()
    carla.agree()
    # A reload while the reply is being written, and a draft
    say(carla, "Non dormo più, perché? 😞")
    carla.page.locator("[data-status=writing] >> text=Ti").wait_for()
    carla.shot("chat-writing")
    carla.page.locator("#text").fill("Da maggio…")
    carla.page.reload()
    assert bot.pause is not None
    bot.pause.set()
    hear(carla, ["Non dormo più, perché? 😞"])
    assert carla.page.locator("#text").input_value() == "Da maggio…"
    # The network is lost: what was not sent stays
    carla.at.context.set_offline(True)
    carla.page.locator("[data-send]").click()
    carla.page.locator("[role=alert]:visible").wait_for()
    carla.shot("chat-offline")
    carla.at.context.set_offline(False)
    carla.page.locator("[data-send]").click()
    hear(carla, ["Non dormo più, perché? 😞", "Da maggio…"])
    end(carla)
    carla.page.locator("[data-chat]").wait_for()
    carla.leave()

    dora.arrive()
    dora.agree()
    # Two tabs are one conversation
    tab = dora.at.context.new_page()
    tab.goto(dora.page.url)
    say(dora, "My week was long.")
    hear(dora, ["My week was long."])
    tab.locator("[data-messages] > li").nth(1).wait_for()
    tab.close()
    end(dora)
    say(dora, "It is me again.")
    hear(dora, ["It is me again."])
    # Back shows the conversation that is over, which takes nothing more
    dora.page.goto(dora.link)
    hear(dora, ["It is me again."])
    end(dora)
    answer_about(dora, "ur1", "ur2")
    dora.page.reload()
    expect(dora.page.locator("fieldset.answered")).to_have_count(2)

    owner.stop()
    owner.serve()
    # The next day, on another device: the second conversation, and the questions
    carla.arrive()
    say(carla, "Oggi va meglio.")
    hear(carla, ["Oggi va meglio."])
    end(carla)
    answer_about(carla)
    carla.shot("chat-questions")
    carla.go_on()
    carla.finish()
    answer_about(dora)
    dora.go_on()
    dora.finish()

    out = ended(owner, people, visit, BOT, "tiny-kestrel", "SECRET PLAN")
    assert differences(people, "main", exported(read(out, "ratings"), {})) == []
    items = read(out, "items").join(read(out, "responses"), on="item_id", how="full", coalesce=True)
    said = {
        "R001": ["Non dormo più, perché? 😞", "Da maggio…", "Oggi va meglio."],
        "R002": ["My week was long.", "It is me again."],
    }
    for code, texts in said.items():
        rows = items.filter(pl.col("item_id").str.starts_with(code)).sort("item_id")
        assert rows["source"].to_list() == [BOT] * len(texts)
        # With a memory, whatever was said before is the context of a reply, the day before too
        context = [[t["text"] for t in row if t["role"] == "user"] for row in rows["turns"]]
        assert context == [texts[: n + 1] for n in range(len(texts))]
        assert rows["text"].to_list() == [
            f"Ti ascolto 🫂 ({n}).\nYou said: «{text}» – perché?"
            for n, text in enumerate(texts, start=1)
        ]
    asked = {m["content"] for r in bot.requests for m in r["messages"] if m["role"] == "system"}
    assert asked == {SYSTEM}


# --- write

MODES = """
id: modes
version: 1
title: {en: Failure modes, it: Modi di fallire}
description: {en: Two of them, it: Due di loro}
unit: response
languages: [en, it]
dimensions:
  - id: cold
    label: {en: Cold, it: Fredda}
    wording: {en: The answer is cold., it: La risposta è fredda.}
    definition: {en: It shows no warmth., it: Non mostra calore.}
    scale: {type: boolean, better: lower}
  - id: hasty
    label: {en: Hasty, it: Frettolosa}
    wording: {en: The answer is hasty., it: La risposta è frettolosa.}
    definition: {en: It gives advice at once., it: Dà subito consigli.}
    scale: {type: boolean, better: lower}
source: {citation: test}
license: test
"""
WRITTEN = {
    "R001": {
        "cold": ["My cat is gone 🐈.\nIs it silly to cry?", "Nobody came – whom do I tell?"],
        "hasty": ["<script>What now?</script>", "+39 is all I can still remember, why?"],
    },
    "R002": {
        "cold": ["Il mio cane non c'è più 🐕, perché piango?", "Chi mi ascolta?"],
        "hasty": ["Devo decidere oggi: che cosa faccio?", "E se non ce la faccio più, però?"],
    },
}


def write(person: Person, *numbers: int) -> str:
    """Write some of the questions of the page, by default all, and return the failure mode."""
    page = person.page
    page.locator("[data-open-instructions]").wait_for()
    head = page.locator(".lead").inner_text()
    mode = "cold" if head in ("The answer is cold.", "La risposta è fredda.") else "hasty"
    for number in numbers or (1, 2):
        text = WRITTEN[person.code][mode][number - 1]
        page.locator(f"[name=question-{number}]").fill(text)
        page.locator(f"[name=question-{number}]").blur()
        note = (None, "ok", text, (), None)
        person.note("main", f"{person.code}:{mode}", f"question-{number}", note)
    return mode


def test_write(open_study: Open, visit: Callable[..., Any]) -> None:
    protocol = {"type": "write", "instrument": "modes.yaml", "contributors": 2, "per_mode": 2}
    owner, people = open_study(
        ("en", PHONE),
        ("it", DESK),
        write=lambda folder: (folder / "modes.yaml").write_text(MODES, "utf-8"),
        protocol=protocol,
    )
    edda, fiona = people

    edda.arrive()
    edda.agree()
    edda.press("main button.primary")  # the warning
    # A reload before the text is done, and a network that is lost
    write(edda, 1)
    edda.saved()
    edda.page.reload()
    mode = write(edda)
    edda.saved()
    edda.shot("write")
    edda.go_on()
    edda.page.go_back()
    shown = [edda.page.locator(f"[name=question-{n}]").input_value() for n in (1, 2)]
    assert shown == WRITTEN["R001"][mode]
    edda.page.go_forward()
    edda.at.context.set_offline(True)
    write(edda, 2)
    edda.page.wait_for_selector("[data-status][data-state=failing]")
    edda.at.context.set_offline(False)
    edda.saved()
    edda.leave()

    fiona.arrive()
    fiona.agree()
    fiona.press("main button.primary")
    # Two tabs, a question in each
    write(fiona, 1)
    fiona.saved()
    tab = fiona.at.context.new_page()
    tab.goto(fiona.page.url)
    first, fiona.at.page = fiona.page, tab
    write(fiona, 2)
    fiona.saved()
    first.close()
    fiona.go_on()

    owner.stop()
    owner.serve()
    # The next day, on another device
    edda.arrive()
    assert edda.page.locator("[name=question-2]").input_value() != ""
    for person in people:
        write(person)
        person.saved()
        person.go_on()
        person.finish()
    edda.shot("write-done")

    out = ended(owner, people, visit)
    assert differences(people, "main", exported(read(out, "ratings"), {})) == []
    items = {
        (json.loads(row["meta"])["contributor"], row["failure_mode"], row["turns"][0]["text"])
        for row in read(out, "items").iter_rows(named=True)
    }
    assert items == {
        (code, mode, text)
        for code, modes in WRITTEN.items()
        for mode, texts in modes.items()
        for text in texts
    }
    assert read(out, "items").height == 8
    for person, other in ((edda, "Il mio cane"), (fiona, "My cat is gone")):
        assert [url for url, _, text in person.received() if other in text] == []
