"""Tiny networks with random weights, made on the spot: what training and reading need of a model.

A word is a token, so that nothing has to be downloaded; they learn invented dialogues in seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

_SENTENCE = (
    "where is the cup boat lamp book bike over there please bring it ? ! . , of course hello i "
    "like oh well broke alas inform question directive commissive anger disgust fear happiness "
    "sadness surprise none"
)
WORDS = _SENTENCE.split()


def _tokenizer(special: Sequence[str], kind: str) -> Any:
    """Return a tokenizer of words; ``special`` are padding, unknown, begin, end and mask."""
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    vocab = {word: i for i, word in enumerate([*special, *dict.fromkeys(WORDS)])}
    pad, unknown, begin, end, mask = special
    made = Tokenizer(models.WordLevel(vocab, unk_token=unknown))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()]
    )
    made.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}", special_tokens=[(begin, vocab[begin]), (end, vocab[end])]
    )
    roles = {"bert": ("cls_token", "sep_token"), "bart": ("bos_token", "eos_token")}[kind]
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        model_max_length=64,
        pad_token=pad,
        unk_token=unknown,
        mask_token=mask,
        **dict(zip(roles, (begin, end), strict=True)),
    )


def save_bert(folder: Path, *, seed: int = 5, **changes: Any) -> Path:
    """Save a two-layer BERT."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    tokenizer = _tokenizer(("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"), "bert")
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
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    tokenizer = _tokenizer(("<pad>", "<unk>", "<s>", "</s>", "<mask>"), "bart")
    torch.manual_seed(seed)
    config = transformers.BartConfig(
        vocab_size=len(tokenizer),
        d_model=32,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_position_embeddings=66,
        dropout=0.05,
        init_std=0.2,
        pad_token_id=0,
        bos_token_id=2,
        eos_token_id=3,
        decoder_start_token_id=3,
        forced_bos_token_id=None,
        forced_eos_token_id=None,
    )
    transformers.BartForConditionalGeneration(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
