"""The script that trains the embedded emotion classifier, on a data set of a few lines."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from attunement.models.emotion import EmbeddedEmotionModel, EmotionWeights

SCRIPT = Path(__file__).parents[2] / "scripts" / "train_emotion.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("train_emotion", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def write_data(folder: Path) -> Path:
    (folder / "labels.txt").write_text("joy\nfear\n", encoding="utf-8")
    glad, scared = "I am so glad today", "I am scared of it"
    for split in ("train", "dev", "test"):
        rows = [f"{glad} {split} {i}\t0\tg{i}\n{scared} {split} {i}\t1\ts{i}\n" for i in range(20)]
        (folder / f"{split}.tsv").write_text("".join(rows), encoding="utf-8")
    return folder


def test_it_writes_a_working_model_and_the_same_bytes_again(script, tmp_path, monkeypatch, capsys):
    data = write_data(tmp_path)
    for name in ("a.npz", "b.npz"):
        arguments = ["--data", str(data), "--out", str(tmp_path / name), "--min-df", "2"]
        monkeypatch.setattr(sys, "argv", ["train_emotion.py", *arguments])
        assert script.main() == 0
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    model = EmbeddedEmotionModel(EmotionWeights.read(tmp_path / "a.npz"))
    assert [[label for label, _ in found] for found in model.rank(["so glad", "scared"])] == [
        ["joy"],
        ["fear"],
    ]
    printed = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["macro-F1", "1.0000", "1.000-1.000"] in printed


def test_a_line_separator_inside_a_comment_ends_no_row(script, tmp_path):
    (tmp_path / "x.tsv").write_text("one\u2028two\t0,1\ta\nthree\t1\tb\n", encoding="utf-8")
    split = script.read_split(tmp_path / "x.tsv", 2)
    assert split.texts == ["one\u2028two", "three"]
    assert split.labels.tolist() == [[1, 1], [0, 1]]


def test_duplicates_are_merged_with_all_their_labels_and_held_out_texts_left_out(script):
    split = script.Split(["Oh no", "oh  NO", "in test", "other"], np.eye(4, dtype=np.int8))
    merged = script.merge_duplicates(split, {"in test"})
    assert merged.texts == ["Oh no", "other"]
    assert merged.labels.tolist() == [[1, 1, 0, 0], [0, 0, 0, 1]]


def test_thresholds_give_the_highest_f1(script):
    # By hand: F1 is 2/3 below 0.8, 4/5 below 0.6 (two texts tie), 2/3 below 0.3, 4/7 below 0.1.
    chances = np.array([[0.8], [0.6], [0.6], [0.3], [0.1]])
    labels = np.array([[1], [1], [0], [0], [0]], dtype=np.int8)
    assert script.tune(chances, labels).tolist() == [0.45]


def test_f1_agrees_with_scikit_learn_and_counts_weights(script):
    from sklearn.metrics import f1_score

    rng = np.random.default_rng(3)
    predicted = rng.random((50, 3)) < 0.4
    labels = (rng.random((50, 3)) < 0.4).astype(np.int8)
    weights = rng.integers(0, 3, (2, 50)).astype(float)
    scores = script.f1_scores(predicted, labels, weights)
    for row, weight in zip(scores, weights, strict=True):
        for column in range(3):
            expected = f1_score(labels[:, column], predicted[:, column], sample_weight=weight)
            assert row[column] == pytest.approx(expected, abs=1e-12)


def test_quantized_coefficients_are_close(script):
    coefficients = np.random.default_rng(4).normal(size=(200, 3))
    quantized, scale = script.quantize(coefficients)
    share = quantized / 127.0
    restored = np.sign(share) * share**2 * scale
    # Half a step of the square root: the error is at most (|w| * max)**0.5 / 127 and a little.
    bound = np.sqrt(np.abs(coefficients) * scale) / 127 + scale / 127**2
    assert (np.abs(restored - coefficients) <= bound).all()
