"""``attunement respond train``: tiny models on invented dialogues without labels."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from attunement.cli import app
from attunement.respond.training import load_generator
from stubs import tiny_hf
from stubs.hub import serve

DIALOGUES = [
    ["hello how are you ?", "i am fine .", "and where is the cup ?", "over there !"],
    ["what is it ?", "i am sad .", "so sad ?"],
]


@pytest.fixture(autouse=True)
def only_transformers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.get_closest_marker("train"):
        tiny_hf.no_datasets(monkeypatch)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write(tmp_path / "data", DIALOGUES * 4, DIALOGUES)


@pytest.fixture
def gpt2(tmp_path: Path) -> Path:
    return tiny_hf.save_gpt2(tmp_path / "base" / "gpt2")


def write(folder: Path, train: list[list[str]], validation: list[list[str]]) -> Path:
    folder.mkdir()
    for name, dialogues in (("train", train), ("validation", validation)):
        frame = pl.DataFrame({"dialog": dialogues}, schema={"dialog": pl.List(pl.String)})
        frame.write_parquet(folder / f"{name}.parquet")
    return folder


def train(*words: object) -> Result:
    return CliRunner().invoke(app, ["respond", "train", *map(str, words)])


def said(result: Result) -> str:
    return " ".join(result.output.split())


COMMAND = [
    sys.executable,
    "-c",
    "import sys, torch; torch.set_num_threads(1); from attunement.cli import app;"
    "app(args=sys.argv[1:])",
]
FAST = ("--epochs", 40, "--learning-rate", 0.01, "--batch-size", 8, "--patience", 0)


@pytest.mark.train
@pytest.mark.parametrize("kind", ["causal", "seq2seq"])
def test_a_generator_is_trained_and_answers_what_it_learned(
    data: Path, tmp_path: Path, kind: str
) -> None:
    save = tiny_hf.save_gpt2 if kind == "causal" else tiny_hf.save_bart
    base = save(tmp_path / "base" / "tiny", positions=64)
    out = tmp_path / "model"
    order = ("--data", data, "--out", out, "--generator", kind, "--base-model", base, *FAST)
    result = train(*order)
    assert result.exit_code == 0, result.output
    assert f"{kind} from {base}: 40 epochs at most, learning rate 0.01" in said(result)
    assert "20 training and 5 validation exchanges" in said(result)
    generator = load_generator(out)
    assert generator.signature.startswith(f"respond-{kind}|base:{base}|context:3")
    first = [
        answers[0].text
        for answers in generator.answer([DIALOGUES[0][:1], DIALOGUES[0][:3], DIALOGUES[1][:2]], n=3)
    ]
    assert first == ["i am fine .", "over there !", "so sad ?"]
    about = json.loads((out / "model.json").read_text(encoding="utf-8"))["about"]
    assert about["epochs_trained"] == 40
    assert about["validation_losses"][-1] < 0.3
    assert sorted(p.name for p in tmp_path.iterdir()) == ["base", "data", "model"]
    again = train(*order)
    assert again.exit_code == 2
    assert "a generator is there already" in again.output


@pytest.mark.train
def test_the_same_seed_gives_the_same_generator(data: Path, tmp_path: Path, gpt2: Path) -> None:
    weights = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        words = ("--base-model", gpt2, "--epochs", 1, "--learning-rate", 0.01, "--seed", seed)
        result = train("--data", data, "--out", tmp_path / name, *words)
        assert result.exit_code == 0, result.output
        weights.append((tmp_path / name / "weights" / "model.safetensors").read_bytes())
    assert weights[0] == weights[1] != weights[2]


@pytest.mark.train
@pytest.mark.slow  # two processes that import torch
def test_a_killed_training_goes_on_with_the_same_command(
    data: Path, tmp_path: Path, gpt2: Path
) -> None:
    words = ["--data", data, "--base-model", gpt2, "--learning-rate", 0.01, "--batch-size", 2]
    order = ["respond", "train", *words, "--epochs", 40, "--patience", 0, "--out"]
    command = [*COMMAND, *map(str, order), str(tmp_path / "killed")]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    place = tmp_path / "killed.training"
    try:
        deadline = time.monotonic() + 100
        while not list(place.glob("checkpoint-*/trainer_state.json")):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert not (tmp_path / "killed").exists()
    other = train(*order[2:], tmp_path / "killed", "--seed", 2)
    assert other.exit_code == 2
    assert "seed 1" in other.output
    again = train(*order[2:], tmp_path / "killed")
    assert again.exit_code == 0, again.output
    assert "went on from step" in again.output
    assert not place.exists()
    whole = train(*order[2:], tmp_path / "whole")
    assert whole.exit_code == 0, whole.output
    one, two = (
        (tmp_path / name / "weights" / "model.safetensors").read_bytes()
        for name in ("killed", "whole")
    )
    assert one == two


@pytest.mark.train
@pytest.mark.slow  # two processes that import torch
def test_a_base_model_comes_from_the_hub_and_its_commit_is_kept(data: Path, tmp_path: Path) -> None:
    tiny_hf.save_gpt2(tmp_path / "hub" / "someone" / "DialoGPT-small")
    with serve(tmp_path / "hub") as hub:
        environment = hub.env(tmp_path / "cache")
        words = ["--data", data, "--out", tmp_path / "model", "--epochs", 1]
        for name, code in (("someone/DialoGPT-small", 0), ("someone/else", 2)):
            found = subprocess.run(
                [*COMMAND, "respond", "train", *map(str, words), "--base-model", name, "--force"],
                env=environment, capture_output=True, text=True, timeout=120, check=False,
            )  # fmt: skip
            assert found.returncode == code, found.stderr
            # Table IV: DialoGPT Small is trained in batches of 32.
            assert f"causal from {name}" in " ".join(found.stderr.split())
        assert "the base model cannot be loaded" in found.stderr
        signature = load_generator(tmp_path / "model").signature
        assert f"base:someone/DialoGPT-small@{hub.commit('someone/DialoGPT-small')}" in signature
        assert "batch_size:32" in signature


@pytest.mark.train
@pytest.mark.parametrize(
    ("dialogues", "words", "expected"),
    [
        ([], (), "no turn to learn an answer from"),
        ([[], ["hello"], ["", " ", "fine"]], (), "no turn to learn an answer from"),
        ([["hello", "fine", "what"]], ("--full-windows",), "more than 3 with --full-windows"),
        (DIALOGUES, ("--learning-rate", 0), "learning rate must be above 0"),
        (DIALOGUES, ("--learning-rate", 1e30, "--epochs", 1), "no number"),
        (DIALOGUES, ("--generator", "seq2seq"), "base model cannot be loaded"),
        (DIALOGUES, ("--generator", "casual"), "Did you mean 'causal'"),
    ],
)
def test_what_cannot_be_trained_is_said_and_nothing_is_written(
    tmp_path: Path, gpt2: Path, dialogues: list[list[str]], words: tuple[object, ...], expected: str
) -> None:
    data = write(tmp_path / "data", dialogues, DIALOGUES)
    result = train("--data", data, "--out", tmp_path / "out", "--base-model", gpt2, *words)
    assert result.exit_code == 2, result.output
    assert expected in said(result)
    assert not (tmp_path / "out").exists()


@pytest.mark.train
def test_turns_without_a_text_are_told_and_left_out(tmp_path: Path, gpt2: Path) -> None:
    data = write(tmp_path / "data", [["hello", "", "fine"], ["what", "sad"]], DIALOGUES)
    words = ("--base-model", gpt2, "--epochs", 1)
    result = train("--data", data, "--out", tmp_path / "out", *words)
    assert result.exit_code == 0, result.output
    assert "train: empty turn (1)" in said(result)
    assert "2 training and 5 validation exchanges" in said(result)


def test_without_the_extra_it_says_how_to_get_it(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    result = train("--data", data, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "pip install 'attunement[train]'" in result.output
