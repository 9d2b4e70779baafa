"""Tiny networks with random weights, made on the spot: what training and reading need of a model.

A word is a token, so that nothing has to be downloaded; they learn invented dialogues in seconds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stubs import tiny_hf

_SENTENCE = (
    "where is the cup boat lamp book bike over there please bring it ? ! . , of course hello i "
    "like oh well broke alas inform question directive commissive anger disgust fear happiness "
    "sadness surprise none"
)
WORDS = _SENTENCE.split()


def save_bert(folder: Path, *, seed: int = 5, **changes: Any) -> Path:
    """Save a two-layer BERT."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    tokenizer = tiny_hf.tokenizer(
        WORDS, around=("[CLS]", "[SEP]"), longest=64,
        pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]",
    )  # fmt: skip
    torch.manual_seed(seed)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=66,
        hidden_dropout_prob=0.05,
        initializer_range=0.3,
        **changes,
    )
    transformers.BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def save_bart(folder: Path, *, seed: int = 5) -> Path:
    """Save a BART of one layer a side."""
    return tiny_hf.save_bart(
        folder, words=WORDS, longest=64, seed=seed, max_position_embeddings=66, d_model=32,
        encoder_layers=1, decoder_layers=1, encoder_ffn_dim=64, decoder_ffn_dim=64,
        dropout=0.05, init_std=0.2, forced_bos_token_id=None,
    )  # fmt: skip
