"""The page about studies explains every key of a study file and names every file of an export."""

from collections.abc import Callable
from pathlib import Path

import pytest

from attunement.cli.study import app
from attunement.studies import config, config_delphi
from attunement.studies.export import export_study
from attunement.studies.models import Study

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "studies.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "part",
    [
        config.StudyFile,
        config.Consent,
        config.Known,
        config.Turn,
        config.Completion,
        config.Rate,
        config.FilterChooseAnnotate,
        config.ChatThenRate,
        config.Bot,
        config.Write,
        config_delphi.Delphi,
        config_delphi.PanelThresholds,
        config_delphi.PanelTranslation,
    ],
)
def test_every_key_is_explained(part: type[config.Strict]) -> None:
    assert [key for key in part.model_fields if f"`{key}`" not in PAGE] == []


def test_every_file_of_an_export_is_named(make_study: Callable[..., Study], tmp_path: Path) -> None:
    make_study()
    export_study(tmp_path / "out")
    names = {file.name for file in (tmp_path / "out").iterdir()}
    assert sorted(name for name in names if f"`{name}`" not in PAGE) == []


def test_every_command_is_shown() -> None:
    names = [command.name for command in app.registered_commands]
    said = [f"attunement study {name}" for name in names if name not in ("close", "open-stage")]
    assert [line for line in said if line not in PAGE] == []
