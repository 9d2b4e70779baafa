"""Vectors of tokens, compared as by BERTScore; the values are those of the package bert-score.

``bert_score_values.py`` beside this file made them.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

from attunement.errors import UserError
from attunement.models.token_embeddings import HuggingFaceTokenModel, TokenModel
from attunement.raters.metrics.bert_score import greedy_match
from stubs import tiny_models

PAIRS = [
    ("the cat sat on the mat", "the cat was on the mat"),
    ("i hear how hard this week has been", "you are sad and it is not fine today"),
    ("i am so happy.", "i am so happy."),
    ("it", "a day"),
    (" no one is sad ", "and you are"),
]
LAYER = 2
# Precision, recall and F of each pair by bert-score 0.3.13 on transformers 4.57.1, torch 2.13.0
PUBLISHED = {
    "bert": [
        (0.879414, 0.845222, 0.861979),
        (0.473319, 0.562687, 0.514149),
        (1.0, 1.0, 1.0),
        (0.726149, 0.689829, 0.707523),
        (-0.182832, -0.247546, -0.210324),
    ],
    "roberta": [
        (0.837616, 0.825221, 0.831373),
        (0.832454, 0.771284, 0.800703),
        (1.0, 1.0, 1.0),
        (0.770534, 0.781714, 0.776084),
        (0.822753, 0.613803, 0.703082),
    ],
}


def test_a_missing_extra_is_said_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UserError, match=r"pip install 'attunement\[train\]'"):
        HuggingFaceTokenModel("roberta-large")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch").set_num_threads(1)
    root = tmp_path_factory.mktemp("tiny")
    tiny_models.bert(root / "bert")
    tiny_models.roberta(root / "roberta")
    return root


@pytest.fixture(scope="module")
def model(folder: Path) -> HuggingFaceTokenModel:
    return HuggingFaceTokenModel(str(folder / "bert"), layer=LAYER)


@pytest.mark.train
@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_scores_are_those_of_the_package_bert_score(folder: Path, kind: str) -> None:
    model = HuggingFaceTokenModel(str(folder / kind), layer=LAYER)
    assert isinstance(model, TokenModel)
    answers, others = (model.embed(list(texts)) for texts in zip(*PAIRS, strict=True))
    found = [greedy_match(a, b) for a, b in zip(answers, others, strict=True)]
    np.testing.assert_allclose(found, PUBLISHED[kind], atol=2e-6)


@pytest.mark.train
def test_vectors_have_length_one_and_what_is_put_around_a_text_does_not_count(
    model: HuggingFaceTokenModel,
) -> None:
    (found,) = model.embed(["i am sad"])
    np.testing.assert_allclose(np.linalg.norm(found.vectors, axis=1), 1, rtol=1e-6)
    assert found.counted.tolist() == [False, True, True, True, False]


@pytest.mark.train
def test_texts_beside_it_do_not_change_a_text(model: HuggingFaceTokenModel) -> None:
    texts = ["i am happy", " ".join(tiny_models.WORDS * 4), "", "😂 سلام", "day " * 12_500]
    together = model.embed(texts)
    for text, found in zip(texts, together, strict=True):
        (alone,) = model.embed([text])
        np.testing.assert_allclose(found.vectors, alone.vectors, atol=2e-5)
    assert [int(v.counted.sum()) for v in together] == [3, 4 * len(tiny_models.WORDS), 0, 2, 12_500]
    assert model.embed([]) == []


@pytest.mark.train
def test_a_long_text_is_read_in_windows_to_its_end(model: HuggingFaceTokenModel) -> None:
    assert model.window == tiny_models.POSITIONS - 2
    words = [tiny_models.WORDS[i * 7 % 30] for i in range(50)]
    (whole,) = model.embed([" ".join(words)])
    parts = model.embed([" ".join(words[i : i + model.window]) for i in range(0, 50, model.window)])
    expected = np.concatenate([part.vectors for part in parts])
    np.testing.assert_allclose(whole.vectors, expected, atol=2e-5)


@pytest.mark.train
def test_the_layer_has_to_be_known_or_said(folder: Path) -> None:
    with pytest.raises(UserError, match="which layer"):
        HuggingFaceTokenModel(str(folder / "bert"))
    with pytest.raises(UserError, match="no layer 4"):
        HuggingFaceTokenModel(str(folder / "bert"), layer=4)
    assert HuggingFaceTokenModel(str(folder / "bert"), layer=3).name.endswith("+layer-3")


@pytest.mark.train
def test_an_unknown_folder_is_a_clear_error(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    with pytest.raises(UserError, match="cannot be loaded"):
        HuggingFaceTokenModel(str(tmp_path), layer=1)
