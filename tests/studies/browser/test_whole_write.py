"""Write questions, from invitation to export, as an owner and two people do."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest

from studies.browser.notes import differences, exported
from studies.browser.people import DESK, PHONE, Person, ended, read

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Open = Callable[..., Any]

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
    for person, other in ((edda, "R002"), (fiona, "R001")):
        got = "".join(unescape(text) for _, _, text in person.received())
        theirs = [text for texts in WRITTEN[other].values() for text in texts]
        assert [text for text in theirs if text in got] == []
