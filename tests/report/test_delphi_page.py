"""The page on a Delphi round: what it says, and what it promises as a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from attunement.delphi import Drawing, OwnerDecision, decide, read_round
from attunement.report import write_delphi_report
from stubs.report_files import linked, written

# Twelve experts, four items of one dimension. A4 fails on agreement (6 of 12); A2 has 12 flags.
WORDS = ["It understands me.", "It gets <i>what</i> I say.", "It asks when unsure.", "It is funny."]


def panel(number: int) -> pl.DataFrame:
    rows = []
    for e in range(12):
        given = (5, 4, 4, 5 if e % 2 else 2)
        if number == 1 and e < 2:
            given = (3, 4, 4, 2)
        for i, value in enumerate(given):
            row = {
                "round": number, "expert": f"e{e}", "item": f"A{i + 1}", "dimension": "A",
                "item_en": WORDS[i], "relevance": value,
                "comment": "Not in distress." if i == 3 and e == 0 else "",
            }  # fmt: skip
            if number == 2:
                row |= {"rank": (1, 4, 2, 3)[i], "redundant_with": "A1" if i == 1 else ""}
            rows.append(row)
    return pl.DataFrame(rows)


def write(folder: Path, number: int = 2, owner: tuple[OwnerDecision, ...] = ()) -> str:
    quick = Drawing(replicates=0)
    first, second = (read_round(panel(n), "panel", drawing=quick) for n in (1, 2))
    outcome = decide(second if number == 2 else first, owner=owner)
    page = write_delphi_report(folder, outcome, before=first if number == 2 else None)
    return page.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("delphi")
    return folder, write(folder)


def test_the_page_is_well_formed_and_asks_for_nothing(
    made: tuple[Path, str], faults: Callable[[str], list[str]]
) -> None:
    assert faults(made[1]) == []


def test_every_table_is_a_csv_and_every_figure_an_svg_and_a_png(made: tuple[Path, str]) -> None:
    folder, html = made
    there = linked(html)
    assert written(folder).keys() == {"index.html", *there}
    names = ("decided", "thresholds", "ratings", "priorities", "redundancy", "change")
    assert {f"figures/{n}.svg" for n in names} <= there


def test_the_same_round_gives_the_same_bytes(made: tuple[Path, str], tmp_path: Path) -> None:
    write(tmp_path)
    assert written(tmp_path) == written(made[0])


def test_it_says_what_stays_and_gives_each_decision_its_reason(made: tuple[Path, str]) -> None:
    html = made[1]
    assert "3 of 4 items stay" in html
    assert "agreement 50.00 % is below 75 %" in html
    assert "12 flags of redundancy, more than 3" in html
    assert "% Agree Relevance" in html


def test_the_ratings_are_shares_of_those_who_rated(made: tuple[Path, str]) -> None:
    # Of A4 half the experts said 5, and half 2.
    assert "A4 50 0 0 50 0" in made[1]


def test_agreement_of_both_rounds_stands_side_by_side(made: tuple[Path, str]) -> None:
    # A1: 10 of 12 agreed, then all.
    assert "A1 83 → 100" in made[1]


def test_what_overlaps_is_named(made: tuple[Path, str]) -> None:
    rows = pl.read_csv(made[0] / "tables" / "overlaps.csv").rows()
    assert rows == [("A2", "A1", 12)]


def test_comments_are_folded_under_their_item_and_markup_is_text(made: tuple[Path, str]) -> None:
    html = made[1]
    assert '<li dir="auto">Not in distress.</li>' in html
    assert "<i>what</i>" not in html
    assert "e11" not in html  # nobody is named


def test_it_says_what_it_is_not(made: tuple[Path, str]) -> None:
    assert "Not a clinical validation." in made[1]
    assert "takes people who used a chatbot" in made[1]


def test_a_first_round_has_neither_change_nor_flags(tmp_path: Path) -> None:
    html = write(tmp_path, number=1)
    assert "Change between rounds" not in html
    assert not (tmp_path / "figures" / "redundancy.svg").exists()
    assert (tmp_path / "figures" / "ratings.svg").exists()


def test_where_the_owner_departs_from_the_thresholds_is_said(tmp_path: Path) -> None:
    owner = OwnerDecision(action="keep", item="A4", reason="The clinicians want it.")
    html = write(tmp_path, owner=(owner,))
    assert "A4: the thresholds say drop, the owner says keep:" in html
    assert "The clinicians want it." in html


@pytest.mark.shared
def test_the_published_second_round_keeps_its_27_items(shared: Path, tmp_path: Path) -> None:
    # Bolpagni and Gabrielli (2025), Table 2 and Appendix B.2.
    frame = pl.read_csv(shared / "published" / "ces_lcc_round2.csv", infer_schema=False)
    outcome = decide(read_round(frame, "round 2", number=2))
    html = write_delphi_report(tmp_path, outcome).read_text(encoding="utf-8")
    assert "27 of 34 items stay" in html
    assert "Summarized." in html
    assert "Over all items the mean is 4.59." in html
    assert not (tmp_path / "figures" / "ratings.svg").exists()
    left = pl.read_csv(tmp_path / "tables" / "refined.csv")
    assert left.group_by("dimension").len()["len"].to_list() == [3] * 9
