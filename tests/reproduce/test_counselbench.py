from pathlib import Path

import pytest

from attunement.errors import UserError
from attunement.reproduce import FILES, counselbench, reproduce
from attunement.reproduce.text import as_markdown, as_results, as_rows


def test_without_the_public_scores_nothing_is_invented() -> None:
    assert counselbench.reproduce() == []


@pytest.mark.shared
def test_table_1_comes_out_of_the_public_scores_to_two_decimals(shared: Path) -> None:
    rows = [r for r in reproduce("counselbench", shared) if r.where == "Table 1"]
    assert len(rows) == 24
    off = [r for r in rows if f"{r.computed:.2f}" != f"{r.published:.2f}"]
    assert [(r.row, r.column, f"{r.computed:.2f}") for r in off] == [
        ("human", "specificity", "3.30")
    ]
    assert "3.30" in off[0].note
    assert all(r.agrees and r.n == 100 and r.ci_low < r.computed < r.ci_high for r in rows)


@pytest.mark.shared
def test_no_alpha_of_the_public_scores_reaches_what_the_paper_states(shared: Path) -> None:
    rows = [r for r in reproduce("counselbench", shared) if r.where != "Table 1"]
    # Recorded in the project's design: by question and averaged, then pooled.
    assert [round(r.computed, 3) for r in rows] == [
        *(0.400, 0.441),
        *(0.429, 0.505),
        *(0.377, 0.436),
        *(0.161, 0.197),
        *(0.211, 0.259),
    ]
    assert not any(r.agrees for r in rows)
    assert all(r.ci_low < r.computed < r.ci_high < r.published for r in rows)
    assert {r.n for r in rows} == {99, 100, 400}
    assert all("for a study's size" in r.note for r in rows)


@pytest.mark.shared
def test_intervals_stand_in_every_form_of_the_comparison(shared: Path) -> None:
    rows = counselbench.reproduce(shared)
    assert all(r["ci_low"] is not None for r in as_rows(rows))
    assert all(r.reason is None and r.ci_low < r.ci_high for r in as_results("counselbench", rows))
    page = as_markdown("counselbench", counselbench.TITLE, rows)
    assert "| row | column | published | computed | 95 % | difference | n |" in page
    assert "| overall | by question | 0.700 | 0.400 | 0.353 to 0.450 |" in page


@pytest.mark.parametrize("paper", list(FILES))
def test_a_folder_without_the_file_is_told_what_to_contain(tmp_path: Path, paper: str) -> None:
    with pytest.raises(UserError) as error:
        reproduce(paper, tmp_path)
    assert FILES[paper][0].as_posix() in error.value.what
    assert "Put it there" in str(error.value.fix)
