"""Backup and restore: everything comes back, nothing damaged or strange is let in."""

import hashlib
import json
import sqlite3
import stat
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.db import connection

from attunement.errors import UserError
from attunement.studies import backup
from attunement.studies.folder import DATABASE, SECRET, STUDY
from attunement.studies.models import Answer, Participant, Study
from attunement.studies.opening import make_study as open_study
from attunement.studies.withdrawal import erase
from stubs.study_answers import answer_all
from stubs.study_files import study_text, write_tables

pytestmark = pytest.mark.django_db(transaction=True)


sqlite_only = pytest.mark.skipif(
    connection.vendor != "sqlite",
    reason="of PostgreSQL a backup has rows, and no database file to look into",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a study whose database is the test's."""
    write_tables(tmp_path)
    made = tmp_path / "study"
    made.mkdir()
    (made / SECRET).write_text("not so secret", encoding="utf-8")
    (made / STUDY).write_text(study_text(), encoding="utf-8")
    open_study(study_text(), tmp_path)
    answer_all()
    return made


@pytest.fixture
def made(folder: Path, tmp_path: Path) -> Path:
    backup.back_up(folder, tmp_path / "backup.zip")
    return tmp_path / "backup.zip"


def rewritten(
    file: Path, change: Callable[[dict[str, bytes]], None], method: int = zipfile.ZIP_STORED
) -> Path:
    """Return the backup with its parts changed."""
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    other = file.with_name("other.zip")
    with zipfile.ZipFile(other, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return other


@sqlite_only
def test_a_restored_database_holds_every_row(made: Path, tmp_path: Path) -> None:
    backup.unpack(made, tmp_path / "new")
    with closing(sqlite3.connect(tmp_path / "new" / DATABASE)) as database:
        for model in (Answer, Participant, Study):
            (rows,) = database.execute(f"SELECT COUNT(*) FROM {model._meta.db_table}").fetchone()
            assert rows == model.objects.count() > 0
    assert (tmp_path / "new" / SECRET).read_text() == "not so secret"
    assert (tmp_path / "new" / STUDY).read_text() == study_text()


def test_only_its_owner_can_read_a_backup_and_what_comes_of_it(made: Path, tmp_path: Path) -> None:
    backup.unpack(made, tmp_path / "new")
    for file in (made, *(tmp_path / "new").iterdir()):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@sqlite_only
def test_what_was_erased_is_not_left_in_a_backup(folder: Path, tmp_path: Path) -> None:
    Answer.objects.update(rationale="a sentence that only this person wrote")
    for person in Participant.objects.all():
        erase(person, by="owner")
    backup.back_up(folder, tmp_path / "after.zip")
    with zipfile.ZipFile(tmp_path / "after.zip") as archive:
        assert b"only this person wrote" not in archive.read(DATABASE)


def test_data_of_another_database_are_loaded_into_an_empty_one(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.core.management import call_command

    monkeypatch.setattr(connection, "vendor", "other")
    backup.back_up(folder, tmp_path / "data.zip")
    monkeypatch.undo()
    before = [list(m.objects.order_by("pk").values()) for m in (Answer, Participant, Study)]
    backup.unpack(tmp_path / "data.zip", tmp_path / "new")
    with pytest.raises(UserError, match="holds a study already"):
        backup.load_data(tmp_path / "new")
    call_command("flush", interactive=False, verbosity=0)
    backup.load_data(tmp_path / "new")
    after = [list(m.objects.order_by("pk").values()) for m in (Answer, Participant, Study)]
    assert after == before
    assert not (tmp_path / "new" / backup.DATA).exists()


def test_names_that_lead_elsewhere_are_refused(made: Path, tmp_path: Path) -> None:
    for name in ("../escaped", "/tmp/escaped", "sub/../../escaped", "extra.txt"):

        def add(parts: dict[str, bytes], name: str = name) -> None:
            about = json.loads(parts[backup.ABOUT])
            parts[name] = b"x"
            about["parts"][name] = (
                "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"  # of "x"
            )
            parts[backup.ABOUT] = json.dumps(about).encode()

        with pytest.raises(UserError, match="a file that no backup has"):
            backup.unpack(rewritten(made, add), tmp_path / "new")
    assert not (tmp_path / "escaped").exists()
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("name", "size"), [(SECRET, 2_000), (STUDY, 6_000_000), (DATABASE, 30_000_000)]
)
def test_a_part_that_is_made_to_fill_a_disk_is_not_unpacked(
    made: Path, tmp_path: Path, name: str, size: int
) -> None:
    def swell(parts: dict[str, bytes]) -> None:
        about = json.loads(parts[backup.ABOUT])
        parts.pop(backup.DATA, None)
        about["parts"].pop(backup.DATA, None)
        parts[name] = b"\0" * size
        about["parts"][name] = hashlib.sha256(parts[name]).hexdigest()
        parts[backup.ABOUT] = json.dumps(about).encode()

    with pytest.raises(UserError, match=f"{size:,} bytes large"):
        backup.unpack(rewritten(made, swell, zipfile.ZIP_DEFLATED), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_disk_without_room_is_not_begun_on(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup.shutil, "disk_usage", lambda folder: SimpleNamespace(free=9))
    with pytest.raises(UserError, match="9 are free"):
        backup.unpack(made, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_part_that_was_changed_is_found(made: Path, tmp_path: Path) -> None:
    def change(parts: dict[str, bytes]) -> None:
        parts[SECRET] = b"another"

    with pytest.raises(UserError, match=r"secret.key is not what was written"):
        backup.unpack(rewritten(made, change), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_part_that_is_missing_is_found(made: Path, tmp_path: Path) -> None:
    def drop(parts: dict[str, bytes]) -> None:
        about = json.loads(parts[backup.ABOUT])
        del parts[SECRET], about["parts"][SECRET]
        parts[backup.ABOUT] = json.dumps(about).encode()

    with pytest.raises(UserError, match="a part is missing"):
        backup.unpack(rewritten(made, drop), tmp_path / "new")


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x05\x06" + b"\0" * 18])
def test_a_file_that_is_no_backup_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "b.zip").write_bytes(content)
    with pytest.raises(UserError, match="not a whole backup"):
        backup.check_backup(tmp_path / "b.zip")


def test_a_truncated_backup_is_refused(made: Path) -> None:
    made.write_bytes(made.read_bytes()[:-200])
    with pytest.raises(UserError, match="not a whole backup"):
        backup.check_backup(made)


def test_nothing_is_written_over(made: Path, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="a file already"):
        backup.back_up(folder, made)
    with pytest.raises(UserError, match="not empty"):
        backup.unpack(made, folder)
