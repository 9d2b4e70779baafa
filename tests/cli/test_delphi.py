"""``attunement delphi analyze`` on a raw table of two rounds."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from attunement.cli import app
from attunement.instruments import load_instrument

# Twelve experts, four items of one dimension. A4 fails on agreement (6 of 12); A2 has 12 flags.
WORDS = ["It understands me.", "It gets what I say.", "It asks when unsure.", "It is funny."]


def table(path: Path) -> Path:
    rows = ["round,expert,item,dimension,item_en,relevance,rank,redundant_with,comment"]
    for number in (1, 2):
        for e in range(12):
            given = (5, 4, 4, 5 if e % 2 else 2)
            if number == 1 and e == 0:
                given = (4, 4, 4, 2)  # one of 48 ratings changes
            for i, value in enumerate(given):
                flag = "A1" if i == 1 and number == 2 else ""
                rank = (1, 4, 2, 3)[i] if number == 2 else ""
                said = "Not in distress." if i == 3 and e == 0 else ""
                rows.append(f"{number},e{e},A{i + 1},A,{WORDS[i]},{value},{rank},{flag},{said}")
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["delphi", "analyze", *map(str, words)])


def test_the_table_says_what_stays_and_how_far_the_panel_moved(tmp_path: Path) -> None:
    result = run(table(tmp_path / "panel.csv"), "--replicates", "0")
    assert result.exit_code == 0, result.output
    assert "drop: % Agree Relevance" in result.output
    # The minimum brings A2 back
    assert "Of 4 items 3 stay and 1 goes; the refined scale has 3 items." in result.output
    assert "97.92 % of 48 ratings are unchanged" in result.output
    assert "no validation" in " ".join(result.output.split())


def test_json_has_every_statistic_and_every_reason(tmp_path: Path) -> None:
    result = run(
        table(tmp_path / "panel.csv"), "--json", "--minimum", "0", "--thresholds", "redundancy=3"
    )
    said = json.loads(result.stdout)
    assert [d["action"] for d in said["decisions"]] == ["keep", "drop", "keep", "drop"]
    assert said["decisions"][1]["reasons"][0]["rule"] == "redundancy"
    assert said["decisions"][1]["overlaps"] == {"A1": 12}
    assert said["decisions"][3]["comments"] == ["Not in distress."]
    assert [o["priority"] for o in said["outcome"]] == [1, 2]
    names = {r["name"] for r in said["results"]}
    assert {"agreement", "mean", "iqr", "borda_points", "redundancy_flags", "unchanged"} <= names
    assert said["thresholds"]["redundancy"] == 3


def test_the_outcome_can_be_used_at_once_and_is_not_written_over(tmp_path: Path) -> None:
    file, out = table(tmp_path / "panel.csv"), tmp_path / "out"
    first = run(file, "--out", out, "--name", "understands", "--replicates", "0")
    assert first.exit_code == 0, first.output
    assert len(load_instrument(out / "instrument.yaml").dimensions) == 3
    checked = CliRunner().invoke(app, ["instruments", "check", str(out / "instrument.yaml")])
    assert checked.exit_code == 0, checked.output
    assert "Round 2: decisions" in (out / "decisions.md").read_text(encoding="utf-8")
    assert run(file, "--out", out).exit_code == 2
    assert run(file, "--out", out, "--force", "--replicates", "0").exit_code == 0


def test_the_owners_file_is_laid_over(tmp_path: Path) -> None:
    owner = tmp_path / "owner.yaml"
    owner.write_text("- {action: keep, item: A4, reason: We want it.}", encoding="utf-8")
    result = run(table(tmp_path / "panel.csv"), "--decisions", owner, "--json", "--replicates", "0")
    last = json.loads(result.stdout)["decisions"][3]
    assert (last["action"], last["by"], last["by_rule"]) == ("keep", "owner", "drop")


def test_the_table_says_what_the_owner_did_to_an_item(tmp_path: Path) -> None:
    owner = tmp_path / "owner.yaml"
    owner.write_text(
        "- {action: modify, item: A1, reason: Plainer., into: [{wording: {en: It hears me.}}]}",
        encoding="utf-8",
    )
    file = table(tmp_path / "panel.csv")
    result = run(file, "--decisions", owner, "--replicates", "0")
    assert "A1    100.00 5.00 (0.00) 0.00 12     0     48 modify, priority 1" in result.output


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--thresholds", "agrement=75"], "did you mean 'agreement'"),
        (["--thresholds", "agreement=175"], "no number for agreement"),
        (["--thresholds", "iqr=1,iqr=2"], "twice"),
        (["--scale", "five"], "no scale"),
        (["--agree", "9"], "lowest value that agrees"),
        (["--weights", "cubic"], "unknown"),
        (["--ci-level", "2"], "between 0 and 1"),
        (["--round", "5"], "no round 5"),
    ],
)
def test_a_wrong_option_is_named(tmp_path: Path, words: list[str], says: str) -> None:
    result = run(table(tmp_path / "panel.csv"), *words)
    assert result.exit_code == 2
    assert says in " ".join(result.output.split())
    assert "Traceback" not in result.output


PRINTED = "round,dimension,item,item_en,relevance_agree_pct,relevance_mean,relevance_iqr\n"


def test_a_summarized_round_before_is_compared_as_far_as_it_goes(tmp_path: Path) -> None:
    lines = [f"1,A,A{i + 1},{words},75,4.0,1" for i, words in enumerate(WORDS)]
    earlier = tmp_path / "printed.csv"
    earlier.write_text(PRINTED + "\n".join(lines), encoding="utf-8")
    page = tmp_path / "page"
    result = run(
        *(table(tmp_path / "panel.csv"), "--previous", earlier, "--replicates", "0"),
        *("--report", page),
    )
    assert result.exit_code == 0, result.output
    said = " ".join(result.output.split())
    assert "How far single experts moved is not known, as round 1 is summarized" in said
    assert "A4 75 → 50" in (page / "index.html").read_text(encoding="utf-8")  # 6 of 12 in round 2


def test_the_earlier_round_of_a_table_that_has_both_is_the_one_before(tmp_path: Path) -> None:
    both = table(tmp_path / "panel.csv")
    result = run(both, "--previous", both, "--replicates", "0")
    assert "97.92 % of 48 ratings are unchanged" in result.output


def test_a_first_round_has_none_before_it(tmp_path: Path) -> None:
    both = table(tmp_path / "panel.csv")
    result = run(both, "--round", "1", "--previous", both)
    assert result.exit_code == 2
    assert "--round 2" in result.output


def test_no_instrument_of_an_earlier_analysis_stays_behind(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    assert run(table(tmp_path / "panel.csv"), "--out", folder).exit_code == 0
    bare = tmp_path / "bare.csv"
    bare.write_text("expert,item,relevance\ne1,A1,5\ne2,A1,4\n", encoding="utf-8")
    result = run(bare, "--out", folder, "--force")
    assert "No instrument was written" in result.output
    assert not (folder / "instrument.yaml").exists()
    assert "2 experts rated, fewer than 10" in " ".join(result.output.split())
