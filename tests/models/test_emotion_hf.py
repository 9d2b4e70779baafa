"""A Hugging Face classifier as an emotion model; a tiny one with random weights, made here."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from attunement.errors import UserError
from attunement.models.emotion import EmotionModel
from attunement.models.emotion_hf import HuggingFaceEmotionModel
from stubs.hub import serve

LABELS = ("joy", "sadness", "neutral")
WORDS = [
    "i",
    "am",
    "so",
    "happy",
    "sad",
    "and",
    "you",
    "are",
    "not",
    "very",
    "today",
    "it",
    "is",
    "a",
    "fine",
    "day",
]


def test_a_missing_extra_is_said_with_the_fix(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UserError, match=r"pip install 'attunement\[train\]'"):
        HuggingFaceEmotionModel("someone/model")


def save_tiny_model(folder: Path, **changes: object) -> Path:
    """Save a two-layer BERT with random weights and a vocabulary of single words."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder.mkdir(parents=True)
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    torch.manual_seed(5)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
        id2label=dict(enumerate(LABELS)),
        label2id={label: i for i, label in enumerate(LABELS)},
        initializer_range=1.0,
        **{"problem_type": "multi_label_classification", **changes},
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    vocab = {word: i for i, word in enumerate(vocabulary)}
    transformers.BertTokenizerFast(vocab=vocab, model_max_length=16).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture(scope="module")
def model(tiny) -> HuggingFaceEmotionModel:
    return HuggingFaceEmotionModel(str(tiny))


@pytest.mark.train
def test_probabilities_are_the_model_s_own_sigmoid(model, tiny):
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(str(tiny))
    reference = transformers.AutoModelForSequenceClassification.from_pretrained(str(tiny)).eval()
    texts = ["i am so happy", "you are sad and i am not", "it is a fine day today"]
    with torch.no_grad():
        expected = [
            reference(**tokenizer(text, return_tensors="pt")).logits.sigmoid()[0].numpy()
            for text in texts
        ]
    assert isinstance(model, EmotionModel)
    assert model.labels == LABELS
    np.testing.assert_allclose(model.probabilities(texts), expected, atol=1e-6)


@pytest.mark.train
def test_softmax_where_the_model_was_trained_for_one_label(tmp_path):
    folder = save_tiny_model(tmp_path / "one", problem_type="single_label_classification")
    chances = HuggingFaceEmotionModel(str(folder)).probabilities(["i am happy", "a sad day"])
    np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-6)


@pytest.mark.train
def test_a_long_text_is_the_mean_of_its_windows_weighted_by_tokens(model):
    # 16 positions less [CLS] and [SEP] leave 14 words a window: 14 + 14 + 2 words here.
    words = [WORDS[i * 7 % len(WORDS)] for i in range(30)]
    parts = [" ".join(words[:14]), " ".join(words[14:28]), " ".join(words[28:])]
    windows = model.probabilities(parts)
    expected = np.average(windows, axis=0, weights=[14, 14, 2])
    np.testing.assert_allclose(model.probabilities([" ".join(words)])[0], expected, atol=1e-6)


@pytest.mark.train
def test_texts_beside_it_do_not_change_a_text(model):
    texts = ["i am happy", " ".join(WORDS * 9), "", "sad", "😂 سلام", "day " * 3000]
    together = model.probabilities(texts)
    alone = np.concatenate([model.probabilities([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-6)
    assert np.isnan(together[2]).all()
    assert model.rank(["", " \n"]) == [[], []]
    assert model.probabilities([]).shape == (0, 3)


@pytest.mark.train
def test_thresholds(tiny):
    chances = HuggingFaceEmotionModel(str(tiny)).probabilities(["i am so happy"])[0]
    everything = HuggingFaceEmotionModel(str(tiny), thresholds=0.0).rank(["i am so happy"])[0]
    assert [label for label, _ in everything] == [LABELS[i] for i in np.argsort(-chances)]
    named = HuggingFaceEmotionModel(str(tiny), thresholds={"joy": 0.0, "sadness": 1.0})
    assert named.thresholds.tolist() == [0.0, 1.0, 0.5]
    default = HuggingFaceEmotionModel(str(tiny), thresholds=0.5)
    assert default.name == f"hf:{tiny}"
    assert named.name.startswith(f"{default.name}+thresholds-")
    with pytest.raises(UserError, match="'sadness'"):
        HuggingFaceEmotionModel(str(tiny), thresholds={"sadnes": 0.3})
    with pytest.raises(UserError, match="between 0 and 1"):
        HuggingFaceEmotionModel(str(tiny), thresholds=3)


@pytest.mark.train
def test_an_unknown_folder_is_a_clear_error(tmp_path):
    pytest.importorskip("torch")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="cannot be loaded"):
        HuggingFaceEmotionModel(str(tmp_path / "empty"))


CLIENT = """
import json, sys
from attunement.models.emotion_hf import HuggingFaceEmotionModel
model = HuggingFaceEmotionModel("someone/tiny", revision=sys.argv[1])
print(json.dumps([model.name, model.probabilities(["i am so happy"]).tolist()]))
"""


@pytest.mark.train
def test_a_model_comes_from_the_hub_at_a_revision(tiny, model, tmp_path):
    shutil.copytree(tiny, tmp_path / "hub" / "someone" / "tiny")
    with serve(tmp_path / "hub") as hub:
        # A child process, because huggingface_hub reads HF_ENDPOINT when it is imported.
        def load(revision: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [sys.executable, "-c", CLIENT, revision],
                env=hub.env(tmp_path / "cache"),
                capture_output=True,
                text=True,
                timeout=240,
            )

        commit = hub.commit("someone/tiny")
        found, missing = load(commit), load("v9")
    kept, gone = load(commit), load("v9")  # the hub is not there any more
    assert found.returncode == 0, found.stderr
    name, chances = json.loads(found.stdout)
    assert name == f"hf:someone/tiny@{commit}"
    np.testing.assert_allclose(chances, model.probabilities(["i am so happy"]), atol=1e-6)
    assert "UserError" in missing.stderr
    assert "cannot be loaded" in missing.stderr
    assert (kept.returncode, kept.stdout) == (0, found.stdout), kept.stderr
    assert "Retrying" not in kept.stderr
    assert "the hub does not answer, and no copy on this machine can be loaded: " in gone.stderr
