"""The page on a scale: what it says, and what it promises as a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from attunement.psychometrics import Answers, Report, from_items, from_matrix, read_answers, report
from attunement.report import write_scale_report
from stubs.report_files import linked, written

TRAITS = {t: tuple(f"{t}{i}" for i in range(1, 6)) for t in "ACENO"}
REVERSED = ["A1", "C4", "C5", "E1", "E2", "O2", "O5"]


def answered(n: int = 80, *, seed: int = 1) -> Answers:
    """Two subscales of three items on five points; ``b3`` has nothing to do with the others."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(3, 1, (2, n, 1))
    x = np.hstack([a.repeat(3, axis=1), b.repeat(2, axis=1)]) + rng.normal(0, 0.6, (n, 5))
    items = np.hstack([x, rng.uniform(1, 5, (n, 1))])
    scale = from_items(
        ["a1", "a2", "a3", "b1", "b2", "b3"],
        ends=(1, 5),
        subscales={"warmth": ("a1", "a2", "a3"), "<b>tone</b>": ("b1", "b2", "b3")},
    )
    return from_matrix(np.clip(np.rint(items), 1, 5), scale)


def write(folder: Path, answers: Answers, found: Report | None = None) -> str:
    page = write_scale_report(
        folder, found or report(answers, replicates=0), answers, replicates=20
    )
    return page.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("scale")
    return folder, write(folder, answered())


def test_the_page_is_well_formed_and_asks_for_nothing(
    made: tuple[Path, str], faults: Callable[[str], list[str]]
) -> None:
    assert faults(made[1]) == []


def test_every_table_is_a_csv_and_every_figure_an_svg_and_a_png(made: tuple[Path, str]) -> None:
    folder, html = made
    there = linked(html)
    assert written(folder).keys() == {"index.html", *there}
    assert {"figures/inter_item.svg", "figures/scree.png", "tables/table_3.csv"} <= there


def test_the_same_answers_give_the_same_bytes(made: tuple[Path, str], tmp_path: Path) -> None:
    write(tmp_path, answered())
    assert written(tmp_path) == written(made[0])


def test_it_says_which_item_makes_a_subscale_weak(made: tuple[Path, str]) -> None:
    text = made[1]
    assert "1 of 2 subscales reach an alpha of 0.7." in text
    assert "b3 does it" in text


def test_weak_items_are_marked_with_a_word_beside_their_bar(made: tuple[Path, str]) -> None:
    svg = (made[0] / "figures" / "item_total.svg").read_text(encoding="utf-8")
    assert len(re.findall(r">[−0-9.]+ (?:weak|negative)<", svg)) == 1


def test_every_figure_has_its_words(made: tuple[Path, str]) -> None:
    labels = re.findall(r'<svg[^>]* aria-label="([^"]*)"', made[1])
    assert len(labels) == 2 * 6  # six figures, each for the page and for the phone
    assert all(len(label) > 40 for label in labels)


def test_names_of_items_and_subscales_are_no_markup(made: tuple[Path, str]) -> None:
    assert "<b>tone</b>" not in made[1]
    assert "&lt;b&gt;tone&lt;/b&gt;" in made[1]


def test_it_says_what_it_is_not(made: tuple[Path, str]) -> None:
    text = made[1]
    assert "Not a clinical validation." in text
    assert "Not a license to deploy." in text


def test_few_respondents_are_warned_of_on_the_first_screen(made: tuple[Path, str]) -> None:
    assert "Few respondents." in made[1]


def test_a_constant_item_leaves_dashes_and_its_name_and_no_scree(tmp_path: Path) -> None:
    answers = answered(40)
    answers.values[:, 0] = 3.0
    html = write(tmp_path, answers)
    assert "everyone gave the same answer to a1" in html
    assert "There is no parallel analysis" in html
    assert not (tmp_path / "figures" / "scree.svg").exists()
    empty = pl.read_csv(tmp_path / "tables" / "coefficients.csv").filter(
        pl.col("scale") == "warmth", pl.col("statistic") == "omega_total"
    )
    assert empty["estimate"].to_list() == [None]


def test_answers_that_are_no_whole_numbers_have_no_bars_of_answers(tmp_path: Path) -> None:
    answers = answered(40)
    answers.values[0, 0] = 2.5
    write(tmp_path, answers)
    assert not (tmp_path / "figures" / "answers.svg").exists()
    assert (tmp_path / "figures" / "item_total.svg").exists()


@pytest.mark.shared
@pytest.mark.slow
def test_bfi_has_the_alphas_of_psych_in_the_paper_s_layout(shared: Path, tmp_path: Path) -> None:
    # Pairwise alphas of psych::alpha, to four decimals.
    known = {"A": 0.7030, "C": 0.7267, "E": 0.7617, "N": 0.8140, "O": 0.6002}
    scale = from_items(
        [i for items in TRAITS.values() for i in items],
        reverse=REVERSED,
        ends=(1, 6),
        subscales=TRAITS,
    )
    answers = read_answers(shared / "data" / "likert" / "bfi.csv", scale)
    html = write(tmp_path, answers, report(answers, by=list(TRAITS), replicates=0))
    rows = pl.read_csv(tmp_path / "tables" / "table_3.csv")
    found = dict(rows.select("dimension", "alpha").iter_rows())
    assert {k: round(v, 4) for k, v in found.items()} == known
    assert "O is weak" in html
    assert "O4 does it" in html
