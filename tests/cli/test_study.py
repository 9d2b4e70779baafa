"""``attunement study``: from a file to an export, as its owner types it."""

import contextlib
import csv
import hashlib
import io
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from attunement import tables
from attunement.cli import app
from stubs.study_files import BASE, study_text, write_tables

Command = Callable[..., "subprocess.CompletedProcess[str]"]
PROGRAM = [sys.executable, "-c", "from attunement.cli import main; main()", "study"]


def environment(**more: str) -> dict[str, str]:
    """The process's environment, where SQLite is the database."""
    return {k: v for k, v in os.environ.items() if k != "DATABASE_URL"} | more


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a study file and its tables."""
    write_tables(tmp_path)
    (tmp_path / "study.yaml").write_text(study_text(), encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study's folder that tests take copies of."""
    folder = tmp_path_factory.mktemp("made")
    write_tables(folder)
    (folder / "study.yaml").write_text(study_text(), encoding="utf-8")
    words = [*PROGRAM, "new", "study.yaml"]
    subprocess.run(words, cwd=folder, env=environment(), check=True, capture_output=True)
    return folder / "small"


@pytest.fixture
def small(made_once: Path, folder: Path) -> Path:
    """A study that is open and that nobody was invited to."""
    return shutil.copytree(made_once, folder / "small")


@pytest.fixture
def study(folder: Path) -> Command:
    """Run a command in a process of its own, as Django is set up once a process."""

    def run(*words: str, code: int = 0, **more: str) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            [*PROGRAM, *words],
            cwd=folder,
            env=environment(**more),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done

    return run


@contextlib.contextmanager
def served(
    folder: Path, *words: str, until: str = "Your pages"
) -> Iterator[tuple[str, "subprocess.Popen[str]", list[str]]]:
    """Serve a study until the block ends; gives its address, its process and what it printed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [*PROGRAM, "serve", *words, "--port", str(port)],
        cwd=folder,
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said: list[str] = []
    try:
        for line in process.stderr:
            said.append(line.strip())
            if until in line:
                break
        yield f"http://127.0.0.1:{port}", process, said
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def get(address: str) -> int:
    """Return the status of a page, asked for until the server listens."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(address, timeout=10) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code
        except (urllib.error.URLError, ConnectionError):
            continue
    raise AssertionError("nobody answers")


def links(table: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table)))


def test_an_example_is_printed_for_each_protocol_and_never_written_over(tmp_path: Path) -> None:
    for protocol in ("rate", "filter-choose-annotate", "chat-then-rate", "write", "delphi"):
        done = CliRunner().invoke(app, ["study", "example", protocol])
        assert f"type: {protocol}" in done.stdout
    words = ["study", "example", "rate", "--out", str(tmp_path / "new" / "study.yaml")]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert CliRunner().invoke(app, words).exit_code == 2
    assert CliRunner().invoke(app, ["study", "example", "ratings"]).exit_code == 2


@pytest.mark.slow
def test_a_check_says_how_many_people_are_needed_and_leaves_nothing(
    study: Command, folder: Path
) -> None:
    before = sorted(folder.iterdir())
    said = json.loads(study("check", "study.yaml", "--json").stdout)
    assert said["ok"]
    # 2 items with 2 raters each, at most 2 items a rater
    assert (said["design"]["participants"], said["design"]["raters_an_item"]) == (2, [2, 2])
    assert sorted(folder.iterdir()) == before


@pytest.mark.slow
def test_a_check_names_what_the_design_cannot_do(study: Command, folder: Path) -> None:
    protocol = {**BASE["protocol"], "raters": 1}
    (folder / "study.yaml").write_text(study_text(protocol=protocol), encoding="utf-8")
    said = study("check", "study.yaml", code=1).stdout
    assert "1 raters cannot give each item 2 different ones" in said


def test_what_is_wrong_is_told_and_nothing_is_made(folder: Path) -> None:
    (folder / "responses.parquet").unlink()
    for words in (["check"], ["new", "--out", str(folder / "made")]):
        done = CliRunner().invoke(app, ["study", *words, str(folder / "study.yaml")])
        assert done.exit_code == 1
        assert "responses.parquet: no such file" in done.output
    assert not (folder / "made").exists()


@pytest.mark.slow
def test_a_study_that_cannot_open_leaves_no_folder(study: Command, folder: Path) -> None:
    protocol = {**BASE["protocol"], "raters": 1}
    (folder / "study.yaml").write_text(study_text(protocol=protocol), encoding="utf-8")
    assert "1 raters cannot" in study("new", "study.yaml", code=2).stderr
    assert not (folder / "small").exists()


def test_the_study_file_itself_is_never_replaced(folder: Path) -> None:
    before = (folder / "study.yaml").read_text(encoding="utf-8")
    words = ["study", "new", str(folder / "study.yaml"), "--out", str(folder)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert "there is a study.yaml already" in done.output
    assert (folder / "study.yaml").read_text(encoding="utf-8") == before


@pytest.mark.slow
def test_from_a_file_to_an_export_while_the_study_is_served(study: Command, folder: Path) -> None:
    made = study("new", "study.yaml")
    assert made.stdout.startswith("owner's password: ")
    assert stat.S_IMODE((folder / "small" / "study.sqlite3").stat().st_mode) == 0o600
    with served(folder, "small") as (address, process, _):
        table = study("invite", "small", "-n", "1", "--base-url", address).stdout
        (invited,) = links(table)
        assert invited["code"] == "R001"
        assert get(invited["link"]) == 200
        assert get(f"{address}/r/{'x' * 32}/") == 404
        said = json.loads(study("status", "small", "--json").stdout)["status"]
        assert (said["participants"]["started"], said["participants"]["not invited"]) == (1, 1)
        study("backup", "small", "--out", "backup.zip")
        study("export", "small", "--out", "out", "--csv")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
    ratings = pl.read_parquet(folder / "out" / "ratings.parquet")
    assert ratings.schema == tables.empty("ratings").schema
    study("restore", "backup.zip", "--out", "again")
    assert links(study("invite", "again", "--again", "--base-url", address).stdout) == [invited]
    study("close", "again")
    assert "closed already" in study("close", "again", code=2).stderr


@pytest.mark.slow
def test_the_demonstration_is_one_command_with_one_login(tmp_path: Path) -> None:
    with served(tmp_path, "--demo", until="as R003") as (_, _, said):
        (once,) = [line.split(": ")[1] for line in said if line.startswith("Log in once")]
        taking = [line.split(": ")[1] for line in said if line.startswith("Take part")]
        assert len(taking) == 3
        assert {get(link) for link in taking} == {200}
        assert get(once) == 200
        assert get(once) == 404


@pytest.mark.slow
def test_wrong_links_are_counted_by_whom_the_proxy_speaks_for(small: Path, folder: Path) -> None:
    def status(base: str, address: str) -> int:
        headers = {
            "Host": "study.example.org",
            "X-Forwarded-Proto": "https",
            "X-Forwarded-For": address,
        }
        request = urllib.request.Request(f"{base}/r/{'x' * 32}/", headers=headers)
        try:
            return int(urllib.request.urlopen(request, timeout=30).status)
        except urllib.error.HTTPError as error:
            return error.code

    with served(folder, "small", "--base-url", "https://study.example.org") as (base, _, _):
        get(base)
        assert {status(base, "192.0.2.1") for _ in range(30)} == {404, 429}
        assert status(base, "192.0.2.2") == 404


@pytest.mark.slow
def test_demonstrations_of_all_protocols_end_together(tmp_path: Path) -> None:
    with served(tmp_path, "--demo", "--protocol", "all", until="Your pages") as (_, process, _):
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
        assert process.stderr is not None
        process.stderr.read()  # ends when no process is left that could write to it


@pytest.mark.slow
def test_addresses_are_invited_and_are_no_formulas(
    study: Command, small: Path, folder: Path
) -> None:
    listed = "=cmd@example.org\nmara@example.org\nmara@example.org\n"
    (folder / "people.txt").write_text(listed, encoding="utf-8")
    words = ("--addresses", "people.txt", "--base-url", "https://study.example.org")
    said = study("invite", "small", *words, "--out", "links.csv").stderr
    assert "mara@example.org stands more than once" in said
    assert stat.S_IMODE((folder / "links.csv").stat().st_mode) == 0o600
    rows = links((folder / "links.csv").read_text(encoding="utf-8"))
    assert [row["address"] for row in rows] == ["'=cmd@example.org", "mara@example.org"]
    assert all(row["link"].startswith("https://study.example.org/r/") for row in rows)
    assert "no place is free" in study("invite", "small", code=2).stderr


@pytest.mark.slow
def test_an_owner_s_password_of_one_s_own_is_not_printed(study: Command, folder: Path) -> None:
    (folder / "secret.txt").write_text("12345\n", encoding="utf-8")
    words = ("new", "study.yaml", "--password-file", "secret.txt")
    assert "too short" in study(*words, code=2).stderr
    (folder / "secret.txt").write_text("a-long-quiet-river\n", encoding="utf-8")
    done = study(*words)
    assert "a-long-quiet-river" not in done.stdout + done.stderr
    assert "password" not in done.stdout
    assert "Log in as 'owner' with the password of your file" in done.stderr


@pytest.mark.slow
def test_a_lost_password_is_replaced(study: Command, small: Path, folder: Path) -> None:
    drawn = study("password", "small").stdout
    assert drawn.startswith("owner's password: ")
    (folder / "new.txt").write_text("12345\n", encoding="utf-8")
    assert "too short" in study("password", "small", "--password-file", "new.txt", code=2).stderr


@pytest.mark.slow
def test_what_is_not_there_is_told_with_what_to_do(
    study: Command, small: Path, folder: Path
) -> None:
    assert "there is no study here" in study("status", "nowhere", code=2).stderr
    assert "no study is named" in study("serve", code=2).stderr
    assert "there is a study already" in study("new", "study.yaml", code=2).stderr
    assert "'rate'" in study("open-stage", "small", "rates", code=2).stderr
    for address in ("study.example.org", "https://example.org/path", "ftp://example.org"):
        said = study("serve", "small", "--base-url", address, code=2).stderr
        assert "is not the address of a server" in said
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert "cannot serve" in study("serve", "small", "--port", port, code=2).stderr
    (folder / "small" / "study.sqlite3").unlink()
    assert "the study's database is not there" in study("status", "small", code=2).stderr
    assert not (folder / "small" / "study.sqlite3").exists()


@pytest.mark.slow
def test_a_server_open_to_others_without_https_is_warned_of(small: Path, folder: Path) -> None:
    with served(folder, "small", "--host", "0.0.0.0") as (_, _, said):
        assert len([line for line in said if line.startswith("Warning: ")]) == 2
    with served(folder, "small", "--base-url", "https://study.example.org") as (_, _, said):
        assert said[0].startswith("Serving small on https://study.example.org")


@pytest.mark.slow
def test_an_archive_that_leads_elsewhere_is_refused(study: Command, folder: Path) -> None:
    with zipfile.ZipFile(folder / "bad.zip", "w") as archive:
        archive.writestr("../escaped", "x")
    assert "not a whole backup" in study("restore", "bad.zip", "--out", "new", code=2).stderr
    assert not (folder / "new").exists()


@pytest.mark.slow
def test_a_backup_of_nothing_is_no_study(study: Command, folder: Path) -> None:
    empty = hashlib.sha256(b"").hexdigest()
    about = {"attunement_backup": 1, "parts": {"secret.key": empty, "study.sqlite3": empty}}
    with zipfile.ZipFile(folder / "bad.zip", "w") as archive:
        for name in about["parts"]:
            archive.writestr(name, "")
        archive.writestr("backup.json", json.dumps(about))
    study("restore", "bad.zip", "--out", "new", code=2)
    assert not (folder / "new").exists()


def test_reasons_become_the_items_of_a_coding_study(tmp_path: Path) -> None:
    write_tables(tmp_path)
    rated = pl.DataFrame(
        {
            "unit": ["response"] * 2,
            "unit_id": ["q0-alpha", "q1-beta"],
            "item_id": ["q0", "q1"],
            "source": ["alpha", "beta"],
            "rater": ["R001", "R002"],
            "rater_kind": ["human"] * 2,
            "instrument": ["small@1"] * 2,
            "dimension": ["overall"] * 2,
            "status": ["ok"] * 2,
            "value": [1.0, 2.0],
            "rationale": ["=1+1", "It listens."],
        }
    )
    tables.write_table(rated, tmp_path / "ratings.parquet", "ratings")
    words = ["study", "texts", str(tmp_path), "--dimensions", "overall", "--out"]
    assert CliRunner().invoke(app, [*words, str(tmp_path / "codes")]).exit_code == 0
    assert pl.read_parquet(tmp_path / "codes" / "items.parquet").height == 2
    said = pl.read_parquet(tmp_path / "codes" / "responses.parquet")["text"]
    assert set(said) == {"=1+1", "It listens."}
    key = tmp_path / "codes" / "key.csv"
    assert set(pl.read_csv(key)["rater"]) == {"R001", "R002"}
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert CliRunner().invoke(app, [*words, str(tmp_path / "codes")]).exit_code == 2
