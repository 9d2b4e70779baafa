"""The examples: valid files, one for each protocol, that run on the bundled sample."""

from collections.abc import Callable
from pathlib import Path

import pytest

from attunement.errors import UserError
from attunement.studies.checking import check_files
from attunement.studies.demo import PROTOCOLS, example, write_tables
from attunement.studies.models import Assignment
from attunement.studies.opening import make_study as open_study


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], Path]:
    def write(protocol: str) -> Path:
        (tmp_path / "study.yaml").write_text(example(protocol), encoding="utf-8")
        write_tables(tmp_path)
        return tmp_path / "study.yaml"

    return write


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_example_has_nothing_wrong_and_opens(
    db: None, file: Callable[[str], Path], protocol: str
) -> None:
    path = file(protocol)
    found = check_files(path)
    # The tables lie there for every protocol, and only two use them
    assert found.problems == []
    assert found.study is not None
    assert found.study.protocol.type == protocol
    study = open_study(path.read_text("utf-8"), path.parent, demo=True)
    assert study.demo
    assert Assignment.objects.filter(kind="main").exists()


def test_a_protocol_that_does_not_exist_is_refused_with_the_nearest() -> None:
    with pytest.raises(UserError, match="no protocol 'rates'") as caught:
        example("rates")
    assert caught.value.fix == "Did you mean 'rate'?"
