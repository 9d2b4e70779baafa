import base64
import hashlib
import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from attunement.report import write_report
from attunement.report.page import Page

VOID = {"meta", "link", "br", "hr", "img", "input", "path", "rect", "use"}


class Reader(HTMLParser):
    """Collects elements with their attributes, and checks that what opens is closed."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.text: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {k: v or "" for k, v in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {k: v or "" for k, v in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def all(self, *tags: str) -> Iterator[dict[str, str]]:
        return (attrs for tag, attrs in self.found if tag in tags)


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the figures out, where a test is about words: drawing them takes seconds."""
    monkeypatch.setattr("attunement.report.figures.draw_all", lambda *_: {})


def make(folder: Path, study: Any, **changes: Any) -> tuple[Path, str]:
    given = {
        "analysis": study.analysis,
        "items": study.items,
        "responses": study.responses,
        "ratings": study.ratings,
        "manifest": study.manifest,
        **changes,
    }
    page = write_report(folder, **given)
    return page, page.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def made(small: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    return make(tmp_path_factory.mktemp("report"), small)


@pytest.fixture(scope="module")
def page(made: tuple[Path, str]) -> Reader:
    return Reader(made[1])


def test_the_page_is_well_formed(page: Reader) -> None:
    assert (page.wrong, page.open) == ([], [])


def test_the_page_asks_for_nothing_from_anywhere(page: Reader, made: tuple[Path, str]) -> None:
    asked = [
        a.get("src") or a.get("href") or "" for t, a in page.found if t in ("img", "link", "script")
    ]
    assert [u for u in asked if u and not u.startswith("data:,")] == []
    assert list(page.all("iframe", "object", "embed", "form", "base", "video", "audio")) == []
    assert "@import" not in made[1]
    assert not re.search(r"url\((?!#)", made[1])


def test_the_policy_allows_just_the_page_s_own_style_and_script(made: tuple[Path, str]) -> None:
    html = made[1]
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
    assert policy is not None
    rules = policy.group(1).replace("&#39;", "'")
    assert rules.startswith("default-src 'none'")
    assert "unsafe" not in rules
    for tag in ("style", "script"):
        (inner,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in rules


def test_no_element_has_an_inline_style_or_handler(page: Reader) -> None:
    keys = {k for _, attrs in page.found for k in attrs}
    assert {k for k in keys if k == "style" or k.startswith("on")} == set()


def test_every_link_leads_to_a_file_or_a_place_in_the_page(
    page: Reader, made: tuple[Path, str]
) -> None:
    ids = [a["id"] for _, a in page.found if "id" in a]
    assert len(ids) == len(set(ids))
    for href in (a["href"] for a in page.all("a")):
        if href.startswith("#"):
            assert href[1:] in ids, href
        else:
            assert (made[0].parent / href).is_file(), href


def test_every_table_is_a_csv_file_and_every_figure_svg_and_png(made: tuple[Path, str]) -> None:
    folder = made[0].parent
    assert len(list((folder / "tables").glob("*.csv"))) == 17
    assert len(list((folder / "figures").glob("*.svg"))) == 7
    assert len(list((folder / "figures").glob("*.png"))) == 7
    assert not list(folder.rglob(".*"))


def test_a_csv_file_has_full_precision_and_leaves_missing_numbers_empty(
    made: tuple[Path, str], small: Any
) -> None:
    path = made[0].parent / "tables" / "profile.csv"
    written = pl.read_csv(path)
    assert written["estimate"].to_list() == small.analysis.profile["estimate"].to_list()
    assert "NaN" not in path.read_text(encoding="utf-8")


def test_headings_go_down_one_level_at_a_time(page: Reader) -> None:
    levels = [int(tag[1]) for tag, _ in page.found if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))


def test_there_are_landmarks_a_language_and_a_way_past_the_navigation(page: Reader) -> None:
    tags = [tag for tag, _ in page.found]
    assert all(tags.count(t) == 1 for t in ("header", "main", "nav", "footer", "h1"))
    assert next(page.all("html"))["lang"] == "en"
    assert next(page.all("a")) == {"class": "skip", "href": "#results"}


def test_every_table_has_a_caption_and_heads_with_a_scope(page: Reader) -> None:
    tags = [tag for tag, _ in page.found]
    assert tags.count("table") == tags.count("caption") > 10
    assert {a.get("scope") for a in page.all("th")} == {"row", "col"}


def test_what_scrolls_can_be_reached_by_the_keyboard_and_has_a_name(page: Reader) -> None:
    scrolling = [a for _, a in page.found if "scroll" in a.get("class", "").split()]
    assert scrolling
    assert all(a["tabindex"] == "0" and a["role"] == "region" for a in scrolling)
    assert all(a["aria-label"] for a in scrolling)


def test_every_figure_says_in_words_what_it_shows(page: Reader) -> None:
    assert all(a["role"] == "img" and len(a["aria-label"]) > 40 for a in page.all("svg"))


def test_the_first_screen_has_the_two_sentences_and_the_picture(
    made: tuple[Path, str], small: Any
) -> None:
    text = "".join(Reader(made[1].split("<nav")[0]).text)
    for sentence in small.analysis.summary:
        assert sentence in text
    assert 'id="overview"' in made[1].split("<nav")[0]


@pytest.mark.usefixtures("undrawn")
def test_demonstration_scores_are_announced_on_the_first_screen(
    made: tuple[Path, str], small: Any, tmp_path: Path
) -> None:
    assert "Demonstration quality." in made[1].split("<nav")[0]
    real = small.ratings.with_columns(pl.col("rater").str.replace("judge:local", "judge:other"))
    from attunement.analysis import analyze

    analysis = analyze(small.items, small.responses, real, replicates=100)
    _, html = make(tmp_path, small, analysis=analysis, ratings=real)
    assert "Demonstration quality." not in html


@pytest.mark.usefixtures("undrawn")
def test_the_bundled_sample_is_announced_as_illustration(small: Any, tmp_path: Path) -> None:
    marked = small.items.with_columns(meta=pl.lit(json.dumps({"illustration": True})))
    by_items = make(tmp_path / "a", small, items=marked)[1]
    by_manifest = make(tmp_path / "b", small, manifest={"sample": True})[1]
    for html in (by_items, by_manifest):
        assert "Illustration." in html.split("<nav")[0]


def test_the_page_says_what_it_is_not_and_where_help_is(page: Reader) -> None:
    text = " ".join("".join(page.text).split())
    assert "Not a clinical validation." in text
    assert "Not a license to deploy." in text
    assert "local emergency number" in text
    for line in ("findahelpline.com", "988", "116 123", "02 2327 2327", "check locally"):
        assert line in text


def test_the_methods_paragraph_can_be_copied(made: tuple[Path, str], small: Any) -> None:
    part = re.search(r'<p id="methods-text"[^>]*>(.*?)</p>', made[1], flags=re.DOTALL)
    assert part is not None
    assert "".join(Reader(part.group(1)).text) == small.analysis.methods.strip()
    assert 'data-copy="methods-text"' in made[1]


def test_the_manifest_is_shown_without_secrets(page: Reader) -> None:
    text = "".join(page.text)
    assert '"name": "A small study"' in text
    assert "THE_KEY" in text
    assert "s3cret" not in text


@pytest.mark.usefixtures("undrawn")
def test_credentials_in_an_address_are_not_shown(small: Any, tmp_path: Path) -> None:
    manifest = {"base_url": "http://ann:pa55@host.example/v1"}
    _, html = make(tmp_path, small, manifest=manifest)
    assert "host.example/v1" in html
    assert "pa55" not in html


def test_the_same_input_gives_the_same_bytes(
    made: tuple[Path, str], small: Any, tmp_path: Path
) -> None:
    first = made[0].parent
    make(tmp_path, small)
    written = sorted(p.relative_to(first) for p in first.rglob("*") if p.is_file())
    assert [p for p in written if (first / p).read_bytes() != (tmp_path / p).read_bytes()] == []


def test_no_number_is_printed_as_nan_or_none(page: Reader) -> None:
    cells = " ".join("".join(page.text).split())
    assert not re.search(r"\b(nan|None|null|inf)\b", cells)


HOSTILE = (
    "</style></script><script>alert(1)</script><img src=x onerror=alert(1)> {{ 7*7 }} "
    '"quoted" \u202eesrever\u202c \x00 מה שלומך 👩‍👧'
)


def test_hostile_text_stays_text_wherever_it_stands(
    study: Callable[..., Any], tmp_path: Path
) -> None:
    one = study(sources=[HOSTILE, "plain"], topics=1, per_topic=6)
    responses = one.responses.with_columns(text=pl.lit(HOSTILE) + pl.col("text"))
    items = one.items.with_columns(topic=pl.lit(HOSTILE))
    ratings = one.ratings.with_columns(
        rationale=pl.when(pl.col("status") != "ok").then(pl.lit(HOSTILE))
    )
    from attunement.analysis import analyze

    analysis = analyze(items, responses, ratings, replicates=100)
    page, html = make(
        tmp_path,
        one,
        analysis=analysis,
        items=items,
        responses=responses,
        ratings=ratings,
        title=HOSTILE,
        manifest={"name": HOSTILE, "versions": {HOSTILE: HOSTILE}},
    )
    found = Reader(html)
    assert (found.wrong, found.open) == ([], [])
    assert len(list(found.all("script"))) == len(list(found.all("style"))) == 1
    assert list(found.all("img")) == []
    assert "{{ 7*7 }}" in "".join(found.text)
    assert "\u202e" not in html
    assert "\x00" not in html
    assert "מה שלומך" in html
    assert page.stat().st_size < 2_000_000


@pytest.mark.usefixtures("undrawn")
def test_an_answer_of_a_megabyte_is_cut_and_says_so(
    study: Callable[..., Any], tmp_path: Path
) -> None:
    one = study(sources=["long"], topics=1, per_topic=6)
    long = pl.when(pl.col("source") == "long").then(pl.lit("word " * 200_000))
    responses = one.responses.with_columns(text=long.otherwise(pl.col("text")))
    page, html = make(tmp_path, one, responses=responses)
    assert "the whole text has 1,000,000 characters" in html
    assert page.stat().st_size < 500_000


@pytest.mark.usefixtures("undrawn")
def test_an_empty_answer_is_shown_as_having_no_text(
    study: Callable[..., Any], tmp_path: Path
) -> None:
    one = study(sources=["empty"], topics=1, per_topic=6)
    blank = pl.when(pl.col("source") == "empty").then(pl.lit(""))
    responses = one.responses.with_columns(text=blank.otherwise(pl.col("text")))
    _, html = make(tmp_path, one, responses=responses)
    assert "(no text)" in html


@pytest.mark.usefixtures("undrawn")
def test_a_study_without_topics_or_manifest_has_a_page_without_them(
    study: Callable[..., Any], tmp_path: Path
) -> None:
    one = study(topics=1, per_topic=6)
    items = one.items.with_columns(topic=pl.lit(None, pl.String))
    from attunement.analysis import analyze

    analysis = analyze(items, one.responses, one.ratings, replicates=100)
    _, html = make(tmp_path, one, analysis=analysis, items=items, manifest=None)
    assert 'id="by-topic"' not in html
    assert "There is no manifest" in html
    found = Reader(html)
    assert (found.wrong, found.open) == ([], [])


@pytest.mark.slow
def test_ten_sources_and_thirty_topics_stay_a_page_of_sane_size(
    study: Callable[..., Any], tmp_path: Path
) -> None:
    page, html = make(tmp_path, study(sources=10, topics=30, per_topic=2))
    assert page.stat().st_size < 3_000_000
    assert "22 more topics" in html
    tests = pl.read_csv(page.parent / "tables" / "between_topics.csv")
    assert tests["topic_a"].n_unique() == 29


def test_what_the_template_receives_is_documented() -> None:
    assert Page.__doc__ is not None
    assert [f.name for f in fields(Page) if f.name not in Page.__doc__] == []


def test_the_template_uses_every_field_of_the_page() -> None:
    from importlib.resources import files

    text = (files("attunement.report") / "templates" / "page.html.j2").read_text(encoding="utf-8")
    assert [f.name for f in fields(Page) if f"page.{f.name}" not in text] == []
