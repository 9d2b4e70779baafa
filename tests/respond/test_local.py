"""From questions to chosen answers with the embedded model, nothing replaced."""

from pathlib import Path

import polars as pl
import pytest

from attunement import datasets
from attunement.inspect_bridge import LOCAL, ModelSpec
from attunement.models.local import local_server
from attunement.planning import DAILYDIALOG, ConstantPlanner, load_tagger
from attunement.respond import plans, record
from attunement.respond.candidates import contexts_of
from attunement.respond.planned import respond
from attunement.respond.presets import preset
from attunement.respond.sources import Model
from attunement.runs import Run

pytestmark = [pytest.mark.slow, pytest.mark.local]


@pytest.fixture(scope="module", autouse=True)
def stopped_afterwards():
    pytest.importorskip("xllamacpp")
    with local_server():
        yield


@pytest.mark.parametrize(("numbered", "count"), [(False, 1), (True, 2)])
def test_ten_candidates_are_made_tagged_and_one_is_chosen(
    numbered: bool, count: int, tmp_path: Path
) -> None:
    items = datasets.load("sample").items.head(count)
    planner = ConstantPlanner(DAILYDIALOG, ("question", "sadness"))
    spec = ModelSpec("tiny", LOCAL)
    source = Model(spec, preset("none"), numbered=numbered, journal_folder=tmp_path / "calls")
    found = respond(
        items,
        source,
        "rerank",
        name="tiny-planned",
        plans=plans.predicted(planner, contexts_of(items)),
        tagger=load_tagger("embedded"),
    )
    said = record.account(found)
    assert (said.items, said.candidates, said.unanswered) == (count, 10 * count, 0)
    assert said.statuses.get("ok", 0) >= 9 * count  # the last of a numbered reply may be cut off
    assert said.identical < 5 * count  # within one reply the model repeats itself
    chosen, first, difference = record.results(record.candidates_table(found))
    assert chosen.estimate >= first.estimate
    assert difference.estimate == pytest.approx(chosen.estimate - first.estimate)
    run = Run(tmp_path)
    record.write(run, found)
    answers = run.read("responses")
    assert answers.filter(pl.col("text") == "").height == 0
    assert answers["model"].to_list() == ["local/gemma-3-270m"] * count
