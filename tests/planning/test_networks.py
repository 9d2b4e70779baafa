"""Planners that are fine-tuned networks, tiny ones with random weights on invented dialogues."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attunement.errors import UserError
from attunement.models.hf_training import Fit
from attunement.planning import (
    DAILYDIALOG,
    LabelGroup,
    LabelSet,
    Order,
    Planner,
    Window,
    load_tagger,
    read_planner,
    train,
    write_planner,
)
from attunement.planning.encoder import EncoderPlanner
from attunement.planning.networks import Recipe
from attunement.planning.seq2seq import Seq2SeqPlanner
from attunement.planning.training import Material, paper_recipe, steps
from stubs.invented_turns import invented
from stubs.tiny_hf import no_datasets
from stubs.tiny_planners import save_bart, save_bert

pytestmark = pytest.mark.train

GIVEN = Material(tuple(invented(240, 1)), tuple(invented(60, 2)), ())
FITS = {
    "encoder": Fit(epochs=5, learning_rate=4e-3, batch_size=16),
    "seq2seq": Fit(epochs=5, learning_rate=8e-3, batch_size=16),
}


@pytest.fixture(autouse=True)
def _trainable(monkeypatch: pytest.MonkeyPatch) -> None:
    no_datasets(monkeypatch)


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("bases")
    return {"encoder": save_bert(place / "bert"), "seq2seq": save_bart(place / "bart")}


def made(kind: str, bases: dict[str, Path], **changes: object) -> Planner:
    recipe = Recipe(str(bases[kind]), FITS[kind])
    return train(kind, GIVEN, replace(Order(recipe=recipe), **changes))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def trained(bases: dict[str, Path]) -> dict[str, Planner]:
    with pytest.MonkeyPatch.context() as patch:
        no_datasets(patch)
        return {kind: made(kind, bases) for kind in FITS}


@pytest.mark.parametrize("kind", list(FITS))
def test_it_learns_what_follows_what_and_comes_back_from_its_folder(
    tmp_path: Path, trained: dict[str, Planner], kind: str
) -> None:
    planner = trained[kind]
    turns = invented(60, 3)
    contexts = [w.context for w in turns]
    done: list[int] = []
    plans = planner.plan(contexts, advance=done.append)
    assert sum(p.labels == w.target for p, w in zip(plans, turns, strict=True)) >= 57
    assert sum(done) == 60
    write_planner(planner, tmp_path / "m")
    back = read_planner(tmp_path / "m")
    assert isinstance(back, Planner)
    assert [p.labels for p in back.plan(contexts)] == [p.labels for p in plans]
    assert (back.kind, back.signature, back.context) == (kind, planner.signature, 3)
    assert f"plan-{kind}|base:" in back.signature
    names = {p.suffix for p in (tmp_path / "m").rglob("*") if p.is_file()}
    assert names <= {".json", ".safetensors"}


@pytest.mark.parametrize("kind", list(FITS))
def test_a_context_without_text_has_no_plan_and_nothing_asked_is_nothing_said(
    trained: dict[str, Planner], kind: str
) -> None:
    planner = trained[kind]
    plans = planner.plan([(), ("", " "), ("where is the cup ?",), ("你好 😀 unheard of",)])
    assert [p.status for p in plans[:3]] == ["not_applicable", "not_applicable", "ok"]
    assert plans[3].status in ("ok", "unparsed")
    assert planner.plan([]) == []


@pytest.mark.parametrize("kind", list(FITS))
def test_a_plan_does_not_depend_on_its_neighbors(trained: dict[str, Planner], kind: str) -> None:
    planner = trained[kind]
    contexts = [w.context for w in invented(20, 4)] + [("hello " * 200,)]
    together = planner.plan(contexts)
    assert [p.labels for p in together] == [planner.plan([c])[0].labels for c in contexts]


@pytest.mark.parametrize("kind", list(FITS))
def test_of_a_context_that_is_too_long_the_end_is_read(
    trained: dict[str, Planner], kind: str
) -> None:
    network = trained[kind].network  # type: ignore[attr-defined]
    short, long = network.token_ids(
        [("where is the cup ?",), ("hello " * 99, "where is the cup ?")]
    )
    assert len(long) == 64  # what the tiny networks take
    assert long[-6:] == short[-6:]
    assert long[0] == short[0]


def test_probabilities_are_the_network_s_own_sigmoid(trained: dict[str, Planner]) -> None:
    import torch

    planner = trained["encoder"]
    assert isinstance(planner, EncoderPlanner)
    network = planner.network
    text = "hello cup . [SEP] where is the boat ?"
    with torch.no_grad():
        logits = network.model(**network.tokenizer(text, return_tensors="pt")).logits
    found = planner.probabilities([("unread .", "x", "hello cup .", "where is the boat ?")[-2:]])
    np.testing.assert_allclose(found[0], logits.sigmoid()[0].numpy(), atol=1e-6)
    (plan,) = planner.plan([("hello cup .", "where is the boat ?")])
    assert dict(plan.scores) == pytest.approx(
        dict(zip(planner.names, found[0].tolist(), strict=True)), abs=1e-4
    )


def test_a_fixed_threshold_may_plan_nothing_and_a_tuned_one_plans_at_least_one(
    bases: dict[str, Path], trained: dict[str, Planner]
) -> None:
    tuned = trained["encoder"]
    assert isinstance(tuned, EncoderPlanner)
    fixed = made("encoder", bases, threshold=0.7)
    assert isinstance(fixed, EncoderPlanner)
    odd = [("alas of bike",), ("well well",)]
    contexts = [w.context for w in invented(20, 5)] + odd
    for plan, row in zip(fixed.plan(contexts), fixed.probabilities(contexts), strict=True):
        # The published rule: every label whose confidence reaches 0.7
        assert set(plan.labels) == {n for n, p in zip(fixed.names, row, strict=True) if p >= 0.7}
    assert all(plan.labels for plan in tuned.plan(contexts))
    assert "threshold:0.7" in fixed.signature
    assert "threshold:tuned" in tuned.signature


@pytest.mark.parametrize("kind", list(FITS))
def test_a_batch_is_in_main_memory_wherever_the_network_computes(
    bases: dict[str, Path], kind: str
) -> None:
    # The Trainer pins batches where there is a GPU, and only main memory can be pinned.
    from attunement.planning import encoder, seq2seq
    from attunement.planning.networks import Network

    turns = invented(3, 1)
    module = {"encoder": encoder, "seq2seq": seq2seq}[kind]
    network = Network.of(Recipe(str(bases[kind]), FITS[kind]), module.MODEL)
    names = ("inform", "question", "commissive", "sadness")
    rows = (
        encoder._rows(network, turns, names) if kind == "encoder" else seq2seq._rows(network, turns)
    )
    network.model.to("meta")
    batch = module._batch(network, rows)
    assert {part.device.type for part in batch.values()} == {"cpu"}
    assert set(batch) == {"input_ids", "attention_mask", "labels"}


def test_an_encoder_may_tag_the_turn_itself(tmp_path: Path, bases: dict[str, Path]) -> None:
    planner = made("encoder", bases, context=1, target="current")
    write_planner(planner, tmp_path / "m", target="current")
    tagger = load_tagger(tmp_path / "m")
    said = tagger.tag(["where is the cup ?", " "], after=["hello bike .", None])
    assert [t.status for t in said] == ["ok", "not_applicable"]
    assert "target:current" in tagger.signature


def test_labels_that_are_not_in_the_set_are_kept_and_what_names_none_is_unparsed() -> None:
    from attunement.planning.seq2seq import _read

    assert _read("inform, happy", DAILYDIALOG).labels == ("inform", "happy")
    assert _read("happiness, inform", DAILYDIALOG).labels == ("inform", "happiness")
    assert _read("none", DAILYDIALOG).status == "ok"
    assert [_read(text, DAILYDIALOG).status for text in ("", "happy", ",")] == ["unparsed"] * 3


def test_turns_without_labels_are_learned_as_such(bases: dict[str, Path]) -> None:
    labels = LabelSet("moods", (LabelGroup("mood", ("happiness", "sadness")),))
    turns = tuple(
        Window(f"d{i}", 1, (text,), target)
        for i in range(60)
        for text, target in [("the cup broke", ("sadness",)), ("hello boat", ())]
    )
    given = Material(turns, turns, ())
    for kind in FITS:
        recipe = Recipe(str(bases[kind]), FITS[kind])
        planner = train(kind, given, Order(labels=labels, recipe=recipe))
        plans = planner.plan([("the cup broke",), ("hello boat",)])
        assert [(p.status, p.labels) for p in plans] == [("ok", ("sadness",)), ("ok", ())]


@pytest.mark.parametrize("kind", list(FITS))
def test_training_that_was_interrupted_ends_as_if_it_had_not_been(
    tmp_path: Path, bases: dict[str, Path], trained: dict[str, Planner], kind: str
) -> None:
    place = tmp_path / "checkpoints"
    order = Order(recipe=Recipe(str(bases[kind]), FITS[kind], checkpoints=place))
    count = 0

    def stop(n: int) -> None:
        nonlocal count
        count += n
        if count == 40:  # in the third epoch of 15 steps each
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(kind, GIVEN, order, advance=stop)
    assert sorted(p.name for p in place.glob("checkpoint-*")) == ["checkpoint-15", "checkpoint-30"]
    done: list[int] = []
    planner = train(kind, GIVEN, order, advance=done.append)
    assert isinstance(planner, EncoderPlanner | Seq2SeqPlanner)
    assert planner.fitted is not None
    assert planner.fitted.resumed == 30
    assert sum(done) == steps(kind, GIVEN, order)
    whole = trained[kind]
    assert planner.signature == whole.signature
    weights, expected = (p.network.model.state_dict() for p in (planner, whole))  # type: ignore[attr-defined]
    assert all(bool((weights[name] == expected[name]).all()) for name in expected)


def test_a_checkpoint_of_another_training_is_refused(
    tmp_path: Path, bases: dict[str, Path]
) -> None:
    fit = Fit(epochs=1, learning_rate=1e-3, batch_size=16)
    order = Order(recipe=Recipe(str(bases["encoder"]), fit, checkpoints=tmp_path / "c"))
    train("encoder", GIVEN, order)
    assert order.recipe is not None
    other = replace(order.recipe, fit=replace(fit, seed=2))
    with pytest.raises(UserError, match="seed"):
        train("encoder", GIVEN, replace(order, recipe=other))
    train("encoder", GIVEN, replace(order, recipe=replace(other, resume=False)))


def test_the_paper_s_settings_are_the_defaults() -> None:
    """Table III: 10 epochs, 20 for "Bert Current", learning rate 3e-5, batches of 32."""
    for kind, target, epochs in [
        ("encoder", "next", 10), ("encoder", "current", 20), ("seq2seq", "next", 10),
    ]:  # fmt: skip
        fit = paper_recipe(kind, target).fit  # type: ignore[arg-type]
        assert (fit.epochs, fit.learning_rate, fit.batch_size) == (epochs, 3e-5, 32)
    from attunement.planning.encoder import paper_threshold

    # Appendix A: "0.7 for BERT Base and 0.5 for BERT Large"
    assert paper_threshold("google-bert/bert-base-uncased") == 0.7
    assert paper_threshold("google-bert/bert-large-uncased") == 0.5


def test_a_base_model_that_is_not_there_or_of_another_kind_is_said(
    tmp_path: Path, bases: dict[str, Path]
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for base in (str(empty), str(tmp_path / "absent")):
        with pytest.raises(UserError, match="base model cannot be loaded"):
            train("encoder", GIVEN, Order(recipe=Recipe(base, FITS["encoder"])))
    with pytest.raises(UserError, match="base model cannot be loaded"):
        train("seq2seq", GIVEN, Order(recipe=Recipe(str(bases["encoder"]), FITS["seq2seq"])))


def test_nothing_to_learn_from_is_refused(bases: dict[str, Path]) -> None:
    silent = (Window("d", 1, ("a",), ()),)
    for kind in FITS:
        recipe = Recipe(str(bases[kind]), FITS[kind])
        with pytest.raises(ValueError, match="training and validation"):
            train(kind, Material((), (), ()), Order(recipe=recipe))
        with pytest.raises(ValueError, match="no training turn has a label"):
            train(kind, Material(silent, silent, ()), Order(recipe=recipe))
    recipe = Recipe(str(bases["encoder"]), FITS["encoder"])
    with pytest.raises(ValueError, match="between 0 and 1"):
        train("encoder", GIVEN, Order(recipe=recipe, threshold=2.0))


@pytest.mark.parametrize("kind", list(FITS))
@pytest.mark.parametrize(
    "damage",
    ["no network", "no weights", "half the weights", "other weights", "no tokenizer", "code"],
)
def test_a_damaged_folder_is_refused_and_runs_nothing(
    tmp_path: Path, trained: dict[str, Planner], bases: dict[str, Path], kind: str, damage: str
) -> None:
    write_planner(trained[kind], tmp_path / "m")
    network = tmp_path / "m" / "network"
    weights = network / "model.safetensors"
    ran = tmp_path / "ran"
    if damage == "no network":
        shutil.rmtree(network)
    elif damage == "no weights":
        weights.unlink()
    elif damage == "half the weights":
        weights.write_bytes(weights.read_bytes()[: weights.stat().st_size // 2])
    elif damage == "other weights":
        other = {"encoder": "seq2seq", "seq2seq": "encoder"}[kind]
        shutil.copy(bases[other] / "model.safetensors", weights)
    elif damage == "no tokenizer":
        (network / "tokenizer.json").unlink()
    else:
        (network / "evil.py").write_text(
            f"open({str(ran)!r}, 'w').close()\nclass Evil: pass\n", encoding="utf-8"
        )
        config = json.loads((network / "config.json").read_text(encoding="utf-8"))
        auto = {"AutoConfig": "evil.Evil", "AutoModelForSequenceClassification": "evil.Evil"}
        config |= {"auto_map": auto, "model_type": "evil"}
        (network / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(UserError, match="cannot be read"):
        read_planner(tmp_path / "m")
    assert not ran.exists()


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("encoder", {"names": ["inform"], "thresholds": [0.5], "longest": 1, "shortest": 0}),
        ("encoder", {"thresholds": [0.5]}),
        ("encoder", {"names": ["inform", "?", "x", "y"]}),
        ("seq2seq", {"longest": 0}),
        ("seq2seq", {"context": "3"}),
        ("seq2seq", {"kind": "encoder"}),
    ],
)
def test_a_header_that_was_tampered_with_is_refused(
    tmp_path: Path, trained: dict[str, Planner], kind: str, changes: dict[str, object]
) -> None:
    write_planner(trained[kind], tmp_path / "m")
    file = tmp_path / "m" / "model.json"
    header = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**header, **changes}), encoding="utf-8")
    with pytest.raises(UserError, match="cannot be read"):
        read_planner(tmp_path / "m")
