"""A model's folder: what may be written over, and what may not."""

from pathlib import Path

import pytest

from attunement.errors import UserError
from attunement.models import folder


def written(place: Path) -> Path:
    folder.write(place, {"format": "thing@1"}, lambda new: (new / "weights").mkdir())
    return place


def refuse(place: Path, format: str = "thing@1", *, force: bool = True) -> None:
    folder.refuse(place, format, "thing", parts=("weights",), force=force)


def test_a_model_is_written_over_only_with_force(tmp_path: Path) -> None:
    place = written(tmp_path / "m")
    with pytest.raises(UserError, match="a thing is there already") as told:
        refuse(place, force=False)
    assert "--force" in str(told.value)
    refuse(place)


def test_what_else_lies_in_a_models_folder_is_never_written_over(tmp_path: Path) -> None:
    place = written(tmp_path / "m")
    (place / "letter.txt").write_text("mine", encoding="utf-8")
    for force in (False, True):
        with pytest.raises(UserError, match=r"letter\.txt") as told:
            refuse(place, force=force)
        assert "--force" not in str(told.value)


def test_a_model_of_another_kind_is_never_written_over(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no thing is there"):
        refuse(written(tmp_path / "m"), "other@1")


@pytest.mark.parametrize("what", ["file", "link to nowhere"])
def test_what_is_no_folder_is_never_written_over(tmp_path: Path, what: str) -> None:
    place = tmp_path / "m"
    if what == "file":
        place.write_text("mine", encoding="utf-8")
    else:
        place.symlink_to(tmp_path / "gone")
    with pytest.raises(UserError, match="no thing is there"):
        refuse(place)


def test_the_folder_above_may_not_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match="is no folder"):
        refuse(tmp_path / "file" / "m")
