"""Tiny Hugging Face models with random weights, whose tokens are whole words, made on the spot."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

_SENTENCE = (
    "hello how are you i am fine sad so and what is it a good day where the cup over there . ! ?"
)
WORDS = _SENTENCE.split(" ")


def no_datasets(patch: pytest.MonkeyPatch) -> None:
    """Keep transformers from taking ``tests/datasets`` for the package ``datasets``."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from transformers.utils import import_utils

    torch.set_num_threads(1)
    patch.setitem(sys.modules, "datasets", None)
    import_utils.is_datasets_available.cache_clear()


def tokenizer(**special: str):  # type: ignore[no-untyped-def]
    """Return a tokenizer of `WORDS`; ``special`` names its special tokens."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    vocabulary = dict.fromkeys([*special.values(), "[UNK]", *WORDS])
    core = Tokenizer(models.WordLevel({w: i for i, w in enumerate(vocabulary)}, unk_token="[UNK]"))
    core.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=core, unk_token="[UNK]", **special)


def save_gpt2(folder: Path, *, positions: int = 32, seed: int = 5) -> Path:
    """Save a GPT-2 of two layers; as GPT-2's own, its tokenizer has no padding token."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    words = tokenizer(bos_token="<end>", eos_token="<end>")
    torch.manual_seed(seed)
    config = GPT2Config(
        vocab_size=len(words), n_positions=positions, n_embd=16, n_layer=2, n_head=2,
        bos_token_id=words.eos_token_id, eos_token_id=words.eos_token_id, initializer_range=0.3,
    )  # fmt: skip
    GPT2LMHeadModel(config).save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def save_bart(folder: Path, *, positions: int = 32, seed: int = 5) -> Path:
    """Save a BART of two layers, whose tokenizer puts ``<s>`` before and ``</s>`` after a text."""
    import torch
    from tokenizers.processors import TemplateProcessing
    from transformers import BartConfig, BartForConditionalGeneration

    words = tokenizer(bos_token="<s>", pad_token="<pad>", eos_token="</s>", sep_token="</s>")
    ids = [(name, words.convert_tokens_to_ids(name)) for name in ("<s>", "</s>")]
    words.backend_tokenizer.post_processor = TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=ids
    )
    torch.manual_seed(seed)
    config = BartConfig(
        vocab_size=len(words), max_position_embeddings=positions, d_model=16,
        encoder_layers=2, decoder_layers=2, encoder_attention_heads=2, decoder_attention_heads=2,
        encoder_ffn_dim=32, decoder_ffn_dim=32, init_std=0.3,
        bos_token_id=0, pad_token_id=1, eos_token_id=2, decoder_start_token_id=2,
        forced_eos_token_id=None,
    )  # fmt: skip
    BartForConditionalGeneration(config).save_pretrained(folder)
    words.save_pretrained(folder)
    return folder
