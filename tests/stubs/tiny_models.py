"""Tiny Hugging Face models, made on the spot, whose weights are the same with every release.

The weights come from NumPy's legacy generator, whose stream is frozen, and the tokenizers' files
are written by hand: values that another package gave for these models stay true.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

_SENTENCES = (
    "i am so happy sad and you are not very today it is a fine day the cat sat on mat was no one "
    "hear how hard this week has been for your family"
)
WORDS = _SENTENCES.split(" ")
POSITIONS = 24
_SIZE = {
    "hidden_size": 16,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "intermediate_size": 32,
}


def bert(folder: Path) -> Path:
    """Save a BERT whose vocabulary is `WORDS`."""
    import transformers

    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", *dict.fromkeys(WORDS)]
    folder.mkdir(parents=True)
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    _config(folder, "BertTokenizer", do_lower_case=True)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary), max_position_embeddings=POSITIONS, **_SIZE
    )
    return _save(transformers.BertModel(config), folder)


def roberta(folder: Path) -> Path:
    """Save a RoBERTa that reads bytes, and a few pairs of them with and without a space."""
    import transformers

    special = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "<mask>": 4}
    size = _byte_pairs(folder, special)
    most = 3 * POSITIONS  # a token is a byte or two
    _config(folder, "RobertaTokenizer", model_max_length=most)
    config = transformers.RobertaConfig(
        vocab_size=size,
        max_position_embeddings=most + 2,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        **_SIZE,
    )
    return _save(transformers.RobertaModel(config), folder)


def gpt2(folder: Path, *, scale: float = 1.0) -> Path:
    """Save a GPT-2 that reads bytes; with ``scale`` 0 it thinks all of its tokens alike."""
    import transformers

    size = _byte_pairs(folder, {"<|endoftext|>": 0})
    _config(folder, "GPT2Tokenizer")
    config = transformers.GPT2Config(
        vocab_size=size,
        n_positions=POSITIONS,
        n_embd=16,
        n_layer=2,
        n_head=2,
        bos_token_id=0,
        eos_token_id=0,
    )
    return _save(transformers.GPT2LMHeadModel(config), folder, scale=scale)


def _byte_pairs(folder: Path, special: dict[str, int]) -> int:
    """Write vocabulary and merges of a tokenizer of bytes; return how many tokens it has."""
    from tokenizers.pre_tokenizers import ByteLevel

    merges = [("Ġ", "t"), ("h", "e"), ("Ġt", "he"), ("a", "t"), ("Ġ", "i"), ("Ġ", "a"), ("i", "s")]
    vocabulary = {**special}
    for token in [*sorted(ByteLevel.alphabet()), *(a + b for a, b in merges)]:
        vocabulary[token] = len(vocabulary)
    folder.mkdir(parents=True)
    (folder / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    lines = "\n".join(f"{a} {b}" for a, b in merges)
    (folder / "merges.txt").write_text(f"#version: 0.2\n{lines}\n", encoding="utf-8")
    return len(vocabulary)


def _config(folder: Path, kind: str, **more: Any) -> None:
    said = {"tokenizer_class": kind, "model_max_length": POSITIONS, **more}
    (folder / "tokenizer_config.json").write_text(json.dumps(said), encoding="utf-8")


def _save(model: Any, folder: Path, *, scale: float = 1.0) -> Path:
    import torch

    draw = np.random.RandomState(11)  # the stream that no release changes
    with torch.no_grad():
        for name, weight in sorted(model.named_parameters()):
            if weight.dim() > 1:
                weight.copy_(torch.from_numpy(draw.normal(0, scale, tuple(weight.shape))))
            else:  # biases, and what scales a normed layer
                weight.fill_(float(name.endswith("weight")))
    model.save_pretrained(folder)
    return folder
