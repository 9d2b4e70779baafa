"""The preview is one file that asks for nothing."""

import re

import pytest

from attunement.errors import UserError
from attunement.instruments import list_instruments, load_instrument
from attunement.instruments.preview import JudgeCall, ShownJudge, preview


@pytest.mark.parametrize("name", list_instruments())
def test_the_page_holds_every_language_and_loads_nothing(name: str) -> None:
    instrument = load_instrument(name)
    page = preview(instrument)
    for language in instrument.languages:
        assert f'<details class="language" lang="{language}"' in page
    assert page.count('<details class="language"') == len(instrument.languages)
    assert "<script" not in page
    assert not re.search(r"\b(src|action)=|url\(|@import|<link", page)
    assert set(re.findall(r'href="([^"]*)"', page)) <= {instrument.source.url}
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids))


def test_one_language_can_be_shown_first_or_alone() -> None:
    instrument = load_instrument("ces-lcc")
    page = preview(instrument, languages=["it"])
    assert '<html lang="it">' in page
    assert "Il chatbot capisce" in page
    assert "The chatbot consistently" not in page
    with pytest.raises(UserError, match="no texts in 'fr'"):
        preview(instrument, languages=["fr"])


def test_the_judge_stands_beside_and_is_only_text() -> None:
    call = JudgeCall("overall", (("user", "<b>Rate</b>"),), '{"a": 1}')
    page = preview(load_instrument("counselbench-eval"), judge=ShownJudge("en", (call,)))
    assert "&lt;b&gt;Rate&lt;/b&gt;" in page
    assert "What a judge is asked" in page
    assert "What a judge is asked" not in preview(load_instrument("counselbench-eval"))
