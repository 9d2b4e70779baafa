"""How much a text surprises a language model: tiny ones made here, and the embedded one."""

import math
import sys
from pathlib import Path
from typing import Any

import pytest

from attunement.errors import UserError
from attunement.models.language_model import (
    HuggingFaceLanguageModel,
    LanguageModel,
    default_language_model,
)
from stubs import tiny_models


def test_a_missing_extra_is_said_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UserError, match=r"pip install 'attunement\[train\]'"):
        HuggingFaceLanguageModel("gpt2")


@pytest.mark.train
def test_a_missing_reader_of_the_embedded_models_file_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr("attunement.models.local.model_file", lambda: Path("model.gguf"))
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(UserError, match="needs gguf"):
        default_language_model()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch").set_num_threads(1)
    return tiny_models.gpt2(tmp_path_factory.mktemp("tiny") / "gpt2")


@pytest.fixture(scope="module")
def model(folder: Path) -> HuggingFaceLanguageModel:
    return HuggingFaceLanguageModel(str(folder))


@pytest.fixture(scope="module")
def libraries(folder: Path) -> tuple[Any, Any]:
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder))
    return tokenizer, transformers.AutoModelForCausalLM.from_pretrained(str(folder)).eval()


def loss(libraries: tuple[Any, Any], tokens: list[int], ignored: int = 0) -> float:
    """Return the mean loss that transformers itself gives, but for the first tokens."""
    import torch

    ids = torch.tensor([tokens])
    labels = ids.clone()
    labels[0, :ignored] = -100
    with torch.no_grad():
        return float(libraries[1](input_ids=ids, labels=labels).loss)


@pytest.mark.train
def test_it_is_the_loss_of_transformers_with_a_token_for_the_beginning(
    model: HuggingFaceLanguageModel, libraries: tuple[Any, Any]
) -> None:
    assert isinstance(model, LanguageModel)
    texts = ["the cat is", "a", "it is 😂"]
    found = model.surprises(texts)
    for text, (nats, tokens) in zip(texts, found, strict=True):
        ids = libraries[0](text)["input_ids"]
        assert tokens == len(ids)
        assert nats / tokens == pytest.approx(loss(libraries, [0, *ids]), rel=1e-5)


@pytest.mark.train
def test_a_model_that_knows_nothing_has_the_perplexity_of_its_vocabulary(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    flat = HuggingFaceLanguageModel(str(tiny_models.gpt2(tmp_path / "flat", scale=0.0)))
    nats, tokens = flat.surprises(["the cat sat on the mat"])[0]
    assert math.exp(nats / tokens) == pytest.approx(1 + 256 + 7)


@pytest.mark.train
def test_a_long_text_is_read_in_windows_that_overlap_by_half(
    model: HuggingFaceLanguageModel, libraries: tuple[Any, Any]
) -> None:
    assert model.window == 24
    text = "the cat is at a mat, is it? he is"[:33]
    tokens = [0, *libraries[0](text * 2)["input_ids"]]
    assert 24 < len(tokens) <= 60
    expected, start, known = 0.0, 0, 1
    while True:
        window = tokens[start : start + 24]
        expected += loss(libraries, window, known) * (len(window) - known)
        if start + 24 >= len(tokens):
            break
        start, known = start + 12, 12
    ((nats, n),) = model.surprises([text * 2])
    assert n == len(tokens) - 1
    assert nats == pytest.approx(expected, rel=1e-5)


@pytest.mark.train
def test_texts_beside_it_do_not_change_a_text(model: HuggingFaceLanguageModel) -> None:
    texts = ["the cat", "", " \n", "a" * 300, "😂 سلام", "i"]
    together = model.surprises(texts)
    alone = [model.surprises([text])[0] for text in texts]
    for one, other in zip(together, alone, strict=True):
        assert one == (pytest.approx(other.nats, rel=1e-5), other.tokens)
    assert [s.tokens for s in together][1:3] == [0, 0]
    assert model.surprises([]) == []


@pytest.mark.train
def test_without_a_token_for_the_beginning_the_first_is_read_only(
    model: HuggingFaceLanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "_start", [])
    assert model.surprises(["a"]) == [(0.0, 0)]
    assert model.surprises(["ab"])[0].tokens == 1


@pytest.mark.train
def test_an_unknown_folder_is_a_clear_error(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    with pytest.raises(UserError, match="cannot be loaded"):
        HuggingFaceLanguageModel(str(tmp_path))


# By llama.cpp itself from the same file; llama_perplexity.py beside this file made them. It
# calculates with packed weights, so that the values agree to some percent only.
LLAMA = {
    "Thank you for telling me how you have been feeling this week.": 13.36,
    "The children played in the garden until it was time for dinner.": 16.63,
    "garden until dinner in it children time the for was played The.": 6345.80,
}


@pytest.mark.train
@pytest.mark.local
@pytest.mark.slow  # its file is unpacked to 1 GB
def test_the_embedded_model_says_what_llama_cpp_says() -> None:
    pytest.importorskip("torch").set_num_threads(1)
    pytest.importorskip("xllamacpp")
    model = default_language_model()
    assert model.name == "local/gemma-3-270m"
    found = model.surprises(list(LLAMA))
    assert [s.tokens for s in found] == [13] * 3
    assert [math.exp(s.nats / s.tokens) for s in found] == pytest.approx(
        list(LLAMA.values()), rel=0.1
    )
