"""Tiny Hugging Face models with random weights, whose tokens are whole words, made on the spot."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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


def tokenizer(
    words: Sequence[str] = WORDS,
    *,
    around: tuple[str, str] | None = None,
    longest: int | None = None,
    **special: str,
) -> Any:
    """Return a tokenizer of words; ``special`` names its special tokens.

    ``around`` are the tokens before and after a text, ``longest`` is how many it may have.
    """
    from tokenizers import Tokenizer, models, pre_tokenizers
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    known = dict.fromkeys([*special.values(), "[UNK]", *words])
    place = {word: i for i, word in enumerate(known)}
    core = Tokenizer(models.WordLevel(place, unk_token="[UNK]"))
    core.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()]
    )
    if around is not None:
        begin, end = around
        core.post_processor = TemplateProcessing(
            single=f"{begin} $A {end}",
            pair=f"{begin} $A {end} {end} $B {end}",
            special_tokens=[(token, place[token]) for token in around],
        )
    more = {} if longest is None else {"model_max_length": longest}
    return PreTrainedTokenizerFast(tokenizer_object=core, unk_token="[UNK]", **more, **special)


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


def save_bart(
    folder: Path,
    *,
    words: Sequence[str] = WORDS,
    longest: int | None = None,
    seed: int = 5,
    **changes: Any,
) -> Path:
    """Save a BART of two layers, whose tokenizer puts ``<s>`` before and ``</s>`` after a text."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration

    made = tokenizer(
        words, around=("<s>", "</s>"), longest=longest,
        bos_token="<s>", pad_token="<pad>", eos_token="</s>", sep_token="</s>",
    )  # fmt: skip
    torch.manual_seed(seed)
    usual = {
        "max_position_embeddings": 32, "d_model": 16, "encoder_layers": 2, "decoder_layers": 2,
        "encoder_attention_heads": 2, "decoder_attention_heads": 2,
        "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "init_std": 0.3,
        "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2,
        "forced_eos_token_id": None,
    }  # fmt: skip
    config = BartConfig(vocab_size=len(made), **{**usual, **changes})
    BartForConditionalGeneration(config).save_pretrained(folder)
    made.save_pretrained(folder)
    return folder
