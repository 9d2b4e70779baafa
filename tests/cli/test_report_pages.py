"""``--report`` of the commands on scales and on Delphi rounds."""

import json
import random
from pathlib import Path

from typer.testing import CliRunner, Result

from attunement.cli import app


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


def answers(path: Path) -> Path:
    draw = random.Random(2)
    rows = ["id,a,b,c"]
    for i in range(30):
        level = draw.randint(2, 4)
        rows.append(",".join([f"r{i}", *(str(level + draw.choice((-1, 0, 1))) for _ in range(3))]))
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def panel(path: Path) -> Path:
    rows = ["expert,item,relevance"]
    rows += [f"e{e},A{i},{5 if i < 3 or e % 2 else 1}" for e in range(10) for i in range(4)]
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def test_reliability_writes_a_page_and_prints_where(tmp_path: Path) -> None:
    folder = tmp_path / "page"
    result = run(
        *("reliability", answers(tmp_path / "a.csv"), "--items", "a,b,c", "--ends", "1,5"),
        *("--replicates", "0", "--report", folder),
    )
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1] == str(folder / "index.html")
    assert (folder / "figures" / "item_total.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "tables" / "table_3.csv").is_file()


def test_delphi_writes_a_page_and_json_names_it(tmp_path: Path) -> None:
    folder = tmp_path / "page"
    result = run(
        *("delphi", "analyze", panel(tmp_path / "p.csv"), "--replicates", "0"),
        *("--report", folder, "--json"),
    )
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["report"] == str(folder / "index.html")
    assert "3 of 4 items stay" in (folder / "index.html").read_text(encoding="utf-8")


def test_without_the_option_nothing_is_drawn(tmp_path: Path) -> None:
    table = panel(tmp_path / "p.csv")
    said = json.loads(run("delphi", "analyze", table, "--replicates", "0", "--json").stdout)
    assert "report" not in said
    assert list(tmp_path.iterdir()) == [table]
