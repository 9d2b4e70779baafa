"""What a database refuses is said in words, not in a traceback."""

import pytest
import typer
from django.db import OperationalError

from attunement.cli._study_folder import friendly


def test_a_full_disk_is_a_message(capsys: pytest.CaptureFixture[str]) -> None:
    @friendly
    def command() -> None:
        raise OperationalError("database or disk is full")

    with pytest.raises(typer.Exit) as ended:
        command()
    assert ended.value.exit_code == 2
    assert "the database refuses: database or disk is full" in capsys.readouterr().err


def test_a_fault_of_the_program_stays_one() -> None:
    @friendly
    def command() -> None:
        raise RuntimeError("ours")

    with pytest.raises(RuntimeError, match="ours"):
        command()
