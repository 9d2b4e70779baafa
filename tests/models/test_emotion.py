"""The emotion protocol, and the classifier that comes with the package."""

import io
import json
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from attunement.errors import UserError
from attunement.models.emotion import (
    WEIGHTS,
    EmbeddedEmotionModel,
    EmotionModel,
    EmotionWeights,
    default_emotion_model,
    ranked,
)

# The 28 labels in the order of the published labels file (Demszky et al. 2020).
LABELS = (
    "admiration amusement anger annoyance approval caring confusion curiosity desire "
    "disappointment disapproval disgust embarrassment excitement fear gratitude grief joy love "
    "nervousness optimism pride realization relief remorse sadness surprise neutral"
)
MODEL_CARD = Path(__file__).parents[2] / "docs" / "emotion-model.md"


@pytest.fixture(scope="module")
def model() -> EmotionModel:
    return default_emotion_model()


def test_the_embedded_model_keeps_the_protocol(model):
    assert isinstance(model, EmotionModel)
    assert " ".join(model.labels) == LABELS
    assert model.name == "goemotions-ngrams@1"
    assert default_emotion_model() is model


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Thank you so much, I really appreciate it!", "gratitude"),
        ("I am so sorry, I apologize for what I did.", "remorse"),
        ("I love you, I love this so much", "love"),
        ("I'm so scared and terrified", "fear"),
        ("hahaha that is hilarious 😂", "amusement"),
        ("I feel so sad and lonely, I have been crying all day", "sadness"),
        ("I wonder why, what do you think?", "curiosity"),
    ],
)
def test_plain_emotions_come_first(model, text, label):
    assert model.rank([text])[0][0][0] == label


def test_rank_is_what_the_probabilities_and_thresholds_say(model):
    texts = ["I love it, thanks!", "What do you mean? I am so confused."]
    chances = model.probabilities(texts)
    assert chances.shape == (2, 28)
    assert chances.dtype == np.float64
    assert ((chances > 0) & (chances < 1)).all()
    for row, ranking in zip(chances, model.rank(texts), strict=True):
        expected = {
            label: chance
            for label, chance, threshold in zip(model.labels, row, model.thresholds, strict=True)
            if chance >= threshold
        }
        assert dict(ranking) == expected
        assert [chance for _, chance in ranking] == sorted(expected.values(), reverse=True)


def test_ties_stay_equal_in_the_order_of_the_labels():
    chances = np.array([[0.5, 0.7, 0.5, 0.5], [0.1, 0.1, 0.1, 0.4], [np.nan] * 4])
    thresholds = np.array([0.5, 0.1, 0.2, 0.5])
    assert ranked(chances, ["a", "b", "c", "d"], thresholds) == [
        [("b", 0.7), ("a", 0.5), ("c", 0.5), ("d", 0.5)],
        [("b", 0.1)],
        [],
    ]


@pytest.mark.parametrize("text", ["", "  \n\t\u00a0", "مرحبا كيف حالك", "\0", "\ud800", "你好"])
def test_a_text_that_it_cannot_read_has_no_emotion_and_no_number(model, text):
    assert model.rank([text]) == [[]]
    assert np.isnan(model.probabilities([text])).all()


def test_no_texts(model):
    assert model.rank([]) == []
    assert model.probabilities([]).shape == (0, 28)


def test_foreign_script_around_a_text_takes_nothing_from_it(model):
    chances = model.probabilities(["مرحبا thank you so much مرحبا"])[0]
    assert model.labels[int(chances.argmax())] == "gratitude"


def test_case_quotation_marks_and_white_space_do_not_matter(model):
    first, second = model.probabilities(["I’m  SO\n\nsad…", "i'm so sad..."])
    np.testing.assert_array_equal(first, second)


def test_texts_beside_it_do_not_change_a_text(model):
    texts = ["I am so happy!", "", "سلام", "😂" * 50, "why? " * 300, "Thanks.", "a", "sad " * 7]
    alone = np.concatenate([model.probabilities([text]) for text in texts])
    np.testing.assert_array_equal(model.probabilities(texts), alone)
    np.testing.assert_array_equal(model.probabilities(texts[::-1]), alone[::-1])
    many = model.probabilities(texts * 400)
    np.testing.assert_array_equal(many, np.tile(alone, (400, 1)))


def test_a_text_of_one_megabyte_takes_bounded_memory(model):
    long = "I am so grateful for everything you did. " * 25_000
    tracemalloc.start()
    try:
        chances = model.probabilities([long])[0]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert ((chances > 0) & (chances < 1)).all()
    assert peak < 250e6


def test_memory_does_not_grow_with_the_number_of_texts(model):
    def peak(n: int) -> int:
        texts = ["You are not alone, and what you feel makes sense. " * 20] * n
        tracemalloc.start()
        try:
            model.probabilities(texts)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(4_000) < 1.2 * peak(1_000)


def test_another_process_gives_the_same_numbers(model):
    code = (
        "import sys; from attunement.models.emotion import default_emotion_model as m;"
        "sys.stdout.write(m().probabilities(['I am glad, but why now? 😀']).tobytes().hex())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    here = model.probabilities(["I am glad, but why now? 😀"])
    assert run.stdout == here.tobytes().hex()


def small_weights(**changes: object) -> EmotionWeights:
    header = {
        "format": "attunement-emotion-ngrams@1",
        "name": "small@1",
        "labels": ["joy", "fear"],
        "thresholds": [0.5, 0.5],
        "alphabet": "abc",
        "words": 1,
        "chars": [2, 2],
    }
    parts = {
        "header": header,
        # Symbols: space 2, then a 3, b 4, c 5, ten bits each: "ab" and "bc".
        "keys": np.array([(3 << 10) | 4, (4 << 10) | 5], dtype=np.uint64),
        "idf": np.array([1, 2], dtype=np.float16),
        "weights": np.array([[127, 0], [0, -127]], dtype=np.int8),
        "scale": np.array([2, 3], dtype=np.float32),
        "intercept": np.array([0, 1], dtype=np.float32),
    }
    return EmotionWeights(**{**parts, **changes})


def test_the_formula_on_a_small_model(tmp_path):
    small_weights().write(tmp_path / "w.npz")
    model = EmbeddedEmotionModel(EmotionWeights.read(tmp_path / "w.npz"))
    # "ab" twice and "bc" once: (1 + ln 2) * 1 and 1 * 2, divided by their length.
    vector = np.array([1 + np.log(2), 2]) / np.hypot(1 + np.log(2), 2)
    logits = np.array([2 * vector[0], 1 - 3 * vector[1]])
    expected = 1 / (1 + np.exp(-logits))
    np.testing.assert_allclose(model.probabilities(["ab abc"])[0], expected, rtol=1e-6)


def test_the_same_weights_give_the_same_bytes(tmp_path):
    small_weights().write(tmp_path / "a.npz")
    small_weights().write(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flip(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes(b ^ 255 for b in content[middle : middle + 64]) + content[-500:]


def pickled(content: bytes) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, header=np.array([{"format": "x"}], dtype=object), allow_pickle=True)
    return buffer.getvalue()


@pytest.mark.parametrize("damage", [cut, flip, pickled, lambda c: b"", lambda c: b"not a zip file"])
def test_a_damaged_file_is_a_clear_error(tmp_path, damage):
    path = tmp_path / "weights.npz"
    path.write_bytes(damage(WEIGHTS.read_bytes()))
    with pytest.raises(UserError, match=r"cannot be read.*Install the package again") as error:
        EmotionWeights.read(path)
    assert error.value.where == str(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"header": {**small_weights().header, "format": "other@9"}},
        {"header": {"format": "attunement-emotion-ngrams@1"}},
        {"header": {**small_weights().header, "thresholds": [0.5]}},
        {"header": ["a", "list"]},
        {"keys": np.array([9, 3], dtype=np.uint64)},
        {"weights": np.zeros((2, 3), dtype=np.int8)},
        {"idf": np.array([1, 2], dtype=np.float64)},
    ],
)
def test_parts_that_do_not_fit_are_a_clear_error(tmp_path, changes):
    small_weights(**changes).write(tmp_path / "w.npz")
    with pytest.raises(UserError, match="cannot be read"):
        EmotionWeights.read(tmp_path / "w.npz")


def test_a_missing_file_is_a_clear_error(tmp_path):
    with pytest.raises(UserError, match="missing"):
        EmotionWeights.read(tmp_path / "none.npz")


def test_the_shipped_file_is_small_safe_and_attributed():
    folder = WEIGHTS.parent
    assert sum(path.stat().st_size for path in folder.iterdir()) < 5_000_000
    with zipfile.ZipFile(WEIGHTS) as file:
        header = json.loads(file.read("header.npy").split(b"\n", 1)[1])
    assert "CC BY 4.0" in header["attribution"]
    assert "Demszky" in (folder / "ATTRIBUTION.md").read_text(encoding="utf-8")


@pytest.mark.shared
def test_macro_f1_on_the_test_split_is_what_the_model_card_says(model, shared):
    from sklearn.metrics import f1_score

    rows = (shared / "data" / "goemotions" / "test.tsv").read_text(encoding="utf-8")
    texts, truth = [], []
    for row in rows.removesuffix("\n").split("\n"):
        text, numbers, _ = row.split("\t")
        texts.append(text)
        truth.append(np.isin(np.arange(28), [int(n) for n in numbers.split(",")]))
    predicted = np.zeros((len(texts), 28), dtype=bool)
    for i, ranking in enumerate(model.rank(texts)):
        predicted[i, [model.labels.index(label) for label, _ in ranking]] = True
    score = f1_score(np.array(truth), predicted, average="macro", zero_division=0)
    assert f"| **macro-F1** | 5,427 | **{score:.3f}** |" in MODEL_CARD.read_text(encoding="utf-8")
    # Published for BERT: Demszky et al. 2020, Table 4.
    assert score > 0.46
