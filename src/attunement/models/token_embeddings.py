"""A vector for each token of a text, in its context: what BERTScore compares (extra ``train``)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from attunement.errors import UserError
from attunement.models.hf_asking import batches, inputs, limit, load, special_tokens

DEFAULT = "roberta-large"
"""What the package bert-score, and with it *evaluate*, takes for English."""

LAYERS = {
    "roberta-large": 17,
    "roberta-base": 10,
    "bert-base-uncased": 9,
    "bert-large-uncased": 18,
    "bert-base-multilingual-cased": 9,
    "distilbert-base-uncased": 5,
    "distilroberta-base": 5,
    "xlm-roberta-base": 9,
    "xlm-roberta-large": 17,
    "microsoft/deberta-xlarge-mnli": 40,
}
"""The layer whose vectors agree best with people, as the package bert-score has them (WMT16)."""

_TOKENS_AT_ONCE = 8_192
_SPACED = ("RobertaTokenizer", "GPT2Tokenizer")


class TokenVectors(NamedTuple):
    """The tokens of one text.

    Parameters
    ----------
    vectors
        Shape (tokens, dimensions), each of length 1; no rows where the text has no tokens.
    counted
        Shape (tokens,): False for what the model puts around a text, such as [CLS].

    """

    vectors: NDArray[np.float32]
    counted: NDArray[np.bool_]


@runtime_checkable
class TokenModel(Protocol):
    """Anything that gives a vector for each token of a text."""

    name: str
    """Which model, with revision and layer; it goes into the signature."""
    window: int
    """How many tokens it reads at once."""

    def embed(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Return the vectors of each text's tokens, in its order."""


class HuggingFaceTokenModel:
    """One layer of an encoder from the hub or from a folder.

    A text that is longer than the model's window is cut into windows that do not overlap, so that
    no part of a long answer is ignored; the package bert-score drops what is beyond.

    Parameters
    ----------
    model_id_or_path
        Such as ``roberta-large``, or a folder with the saved model.
    layer
        0 for the embeddings, 1 for the first layer and so on; by default that of `LAYERS`.
    revision
        Branch, tag or commit on the hub. Give a commit to be able to repeat the scores.

    Raises
    ------
    UserError
        The extra is not installed, the model cannot be loaded, or it is not known which layer.

    """

    def __init__(
        self, model_id_or_path: str, layer: int | None = None, revision: str | None = None
    ) -> None:
        self._tokenizer, self._model, name = load("AutoModel", model_id_or_path, revision=revision)
        config = self._model.config
        self._layer = _layer(layer, model_id_or_path, config.num_hidden_layers)
        self.name: str = f"{name}+layer-{self._layer}"
        self._before, self._after = special_tokens(self._tokenizer)
        special = len(self._before) + len(self._after)
        self.window: int = max(1, limit(self._tokenizer, config) - special)
        self._tokens_at_once = _TOKENS_AT_ONCE if self._tokenizer.pad_token_id is not None else 0
        # A word at the beginning is read as one inside a text, as the package bert-score does.
        names = {kind.__name__ for kind in type(self._tokenizer).__mro__}
        self._space = " " if names & set(_SPACED) else ""

    def embed(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Return the vectors of each text's tokens, in its order; none for white space."""
        windows = [(row, w) for row, text in enumerate(texts) for w in self._windows(text)]
        by_place = [(place, window) for place, (_, window) in enumerate(windows)]
        found: dict[int, TokenVectors] = {}
        for batch in batches(by_place, self._tokens_at_once):
            vectors = self._forward([window for _, window in batch])
            for (place, window), some in zip(batch, vectors, strict=True):
                found[place] = TokenVectors(some, self._counted(len(window)))
        by_text: list[list[TokenVectors]] = [[] for _ in texts]
        for place, (row, _) in enumerate(windows):
            by_text[row].append(found[place])
        return [self._joined(parts) for parts in by_text]

    def _windows(self, text: str) -> list[list[int]]:
        stripped = text.strip()
        if not stripped:
            return []
        ids = self._tokenizer(self._space + stripped, add_special_tokens=False, verbose=False)
        tokens: list[int] = ids["input_ids"]
        return [tokens[i : i + self.window] for i in range(0, len(tokens), self.window)]

    def _counted(self, tokens: int) -> NDArray[np.bool_]:
        counted = np.ones(len(self._before) + tokens + len(self._after), dtype=np.bool_)
        counted[: len(self._before)] = False
        counted[len(self._before) + tokens :] = False
        return counted

    def _joined(self, parts: Sequence[TokenVectors]) -> TokenVectors:
        if not parts:
            width = self._model.config.hidden_size
            return TokenVectors(np.empty((0, width), np.float32), np.empty(0, np.bool_))
        return TokenVectors(
            np.concatenate([part.vectors for part in parts]),
            np.concatenate([part.counted for part in parts]),
        )

    def _forward(self, windows: list[list[int]]) -> list[NDArray[np.float32]]:
        import torch

        ids = [self._before + window + self._after for window in windows]
        encoded = inputs(self._tokenizer, self._model, ids)
        with torch.inference_mode():
            states = self._model(**encoded, output_hidden_states=True).hidden_states[self._layer]
            vectors = torch.nn.functional.normalize(states.float(), dim=-1).cpu().numpy()
        return [vectors[row, : len(tokens)] for row, tokens in enumerate(ids)]


def _layer(layer: int | None, name: str, layers: int) -> int:
    chosen = LAYERS.get(name) if layer is None else layer
    if chosen is None:
        raise UserError(
            "it is not known which layer of this model BERTScore should take.",
            where=name,
            fix=f"Say which, 0 to {layers}, with --bert-layer.",
        )
    if not 0 <= chosen <= layers:
        raise UserError(
            f"the model has no layer {chosen}.", where=name, fix=f"Give one from 0 to {layers}."
        )
    return chosen


@cache
def default_token_model() -> TokenModel:
    """Return RoBERTa large, loaded once."""
    return HuggingFaceTokenModel(DEFAULT)
