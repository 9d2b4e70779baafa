"""A panel of sixteen goes through two rounds in the web app, and its scale is then used."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from attunement.delphi import decide, instrument_of, items_from, read_decisions, read_round
from attunement.instruments import load_instrument, parse_instrument
from stubs import panel_study
from studies import panel_filling
from studies.browser import pages
from studies.browser.panel import (
    AT_BROWSERS,
    COMMENT,
    OTHERS,
    REASON,
    do_first_round,
    do_second_round,
    download,
    others_do_theirs,
    settle,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LEFT = ["ur1", "ur3", "lq1", "lq2a", "lq2b", "lq3", "memory1"]
"""The items of the second round, all of which stay: no experts' flags are enough to drop ur3, as
its dimension would have fewer than two items."""


def test_a_panel_of_sixteen_goes_through_two_rounds_and_its_scale_runs_as_a_questionnaire(
    serve: Callable[..., Any], visit: Callable[..., Any]
) -> None:
    keys = panel_study.with_protocol(panel=16)
    del keys["items"]  # `serve` takes their number under this name
    study = serve(files=panel_study.write_draft, **keys)
    experts = {code: visit(**device) for code, device in AT_BROWSERS.items()}

    others = others_do_theirs(study.folder, "--owner")
    for code, person in experts.items():
        do_first_round(person, study.link(code), code)
    assert others.wait(120) == 0

    owner = visit()
    settle(owner, study)

    others = others_do_theirs(study.folder)
    for code, person in experts.items():
        do_second_round(person, study.link(code), code)
    assert others.wait(120) == 0

    text = download(owner, study)
    assert [d.id for d in parse_instrument(text, where="outcome").dimensions] == LEFT
    check_export(study.folder, text)
    check_use(serve, visit, text)


def check_export(folder: Path, text: str) -> None:
    """Export, and let the analysis decide again from the files: the same scale has to come out."""
    program = Path(sys.executable).with_name("attunement")
    out = folder / "out"
    subprocess.run([program, "study", "export", folder, "--out", out], check=True, timeout=120)
    first, second = (pl.read_csv(out / f"delphi_round{n}.csv") for n in (1, 2))
    assert (first["expert"].n_unique(), second["expert"].n_unique()) == (16, 16)
    assert (first["item"].n_unique(), second["item"].n_unique()) == (7, 7)
    assert second["translation"].drop_nulls().len() == 7 * 12  # twelve of sixteen are natives
    seen = {(r["expert"], r["item"]): r["relevance"] for r in second.iter_rows(named=True)}
    assert seen == {
        (code, item): panel_filling.relevance(code, item, 2)
        for code in (*AT_BROWSERS, *OTHERS)
        for item in LEFT
    }
    for number, left in ((1, load_instrument(out / "instrument-2.yaml")), (2, None)):
        items, _ = items_from(out / f"instrument-{number}.yaml")
        decided = decide(
            read_round(pl.read_csv(out / f"delphi_round{number}.csv"), number=number, items=items),
            minimum=2,
            owner=read_decisions(out / f"delphi_decisions{number}.yaml"),
        )
        wanted = left or parse_instrument(text, where="outcome")
        made = instrument_of(decided, base=load_instrument(out / f"instrument-{number}.yaml"))
        assert made.instrument.dimensions == wanted.dimensions
        assert made.instrument.subscales == wanted.subscales
    log = (out / "delphi_log1.md").read_text("utf-8")
    assert REASON in log
    assert COMMENT in log
    assert (out / "delphi_outcome.yaml").read_text("utf-8") == text


def check_use(serve: Callable[..., Any], visit: Callable[..., Any], text: str) -> None:
    """Serve another study with the instrument as it was downloaded, and fill it in."""

    def write(folder: Path) -> None:
        (folder / "scale.yaml").write_text(text, encoding="utf-8")

    protocol = {"type": "rate", "instrument": "scale.yaml", "raters_per_item": 1}
    study = serve(items=1, sources=("alpha",), files=write, protocol=protocol)
    person = visit()
    page = person.page
    pages.agree(page, study.link())
    assert page.get_by_role("heading", name="Memory").is_visible()
    given = {id: 1 + place % 5 for place, id in enumerate(LEFT)}
    for id, value in given.items():
        page.locator(f"input[name='{id}'][value='{value}']").check()
    person.shot("delphi-scale-in-use")
    pages.go_on(page)
    assert page.locator(".code").count() == 1
    assert {a["dimension"]: a["value"] for a in study.answers()} == given
