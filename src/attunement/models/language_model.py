"""How much a text surprises a causal language model (extra ``train``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from attunement.errors import UserError
from attunement.models import hf_models
from attunement.models.hf_asking import batches, load

WINDOW = 1024
"""Tokens read at once, where the model can read so many: all that GPT-2 can."""

_NUMBERS_AT_ONCE = 2**27
"""Predictions (tokens times vocabulary) held at once, half a gigabyte."""


class Surprise(NamedTuple):
    """What a model says of a text.

    Parameters
    ----------
    nats
        The sum of -ln p over the tokens that were predicted.
    tokens
        How many were.

    """

    nats: float
    tokens: int


@runtime_checkable
class LanguageModel(Protocol):
    """Anything that says how probable a text is."""

    name: str
    """Which model, with its revision; it goes into the signature."""
    window: int
    """How many tokens it reads at once."""

    def surprises(self, texts: Sequence[str]) -> list[Surprise]:
        """Return how much each text surprises it."""


class HuggingFaceLanguageModel:
    """A causal language model from the hub, from a folder, or from a GGUF file in a folder.

    A text begins with the model's token for that, where it has one, so that its first word is
    predicted as well; else the first is read only. A text longer than the window is read in windows
    that overlap by half, and each token is predicted once, in the first window that has it.

    Parameters
    ----------
    model_id_or_path
        Such as ``gpt2``, or a folder with the saved model.
    revision
        Branch, tag or commit on the hub. Give a commit to be able to repeat the scores.
    gguf_file
        The name of the GGUF file in the folder.

    Raises
    ------
    UserError
        The extra is not installed, or the model cannot be loaded.

    """

    def __init__(
        self, model_id_or_path: str, revision: str | None = None, gguf_file: str | None = None
    ) -> None:
        options = {} if gguf_file is None else {"gguf_file": gguf_file}
        self._tokenizer, self._model, self.name = load(
            "AutoModelForCausalLM", model_id_or_path, revision=revision, **options
        )
        config = self._model.config
        start = self._tokenizer.bos_token_id
        self._start: list[int] = [] if start is None else [start]
        self.window: int = max(2, min(WINDOW, hf_models.window(self._model, self._tokenizer)))
        self._tokens_at_once = max(1, _NUMBERS_AT_ONCE // config.vocab_size)

    def surprises(self, texts: Sequence[str]) -> list[Surprise]:
        """Return how much each text surprises the model; no tokens for an empty one."""
        tokens = [self._tokens(text) for text in texts]
        windows = [(row, *part) for row, some in enumerate(tokens) for part in self._windows(some)]
        found = [0.0] * len(windows)
        by_place = [(place, window) for place, (_, window, _) in enumerate(windows)]
        for batch in batches(by_place, self._tokens_at_once):
            losses = self._losses([window for _, window in batch])
            for (place, _), loss in zip(batch, losses, strict=True):
                found[place] = sum(loss[windows[place][2] :])
        nats = [0.0] * len(texts)
        for (row, _, _), of_window in zip(windows, found, strict=True):
            nats[row] += of_window
        return [
            Surprise(total, max(0, len(some) - 1)) for total, some in zip(nats, tokens, strict=True)
        ]

    def _tokens(self, text: str) -> list[int]:
        if not text.strip():
            return []
        found = self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return [*self._start, *found]

    def _windows(self, tokens: list[int]) -> Iterator[tuple[list[int], int]]:
        """Yield overlapping windows, and how many of its predictions the one before had made."""
        if len(tokens) < 2:
            return
        step = self.window // 2
        shared = self.window - step
        for start in range(0, max(1, len(tokens) - shared), step):
            yield tokens[start : start + self.window], shared - 1 if start else 0

    def _losses(self, windows: list[list[int]]) -> list[list[float]]:
        """Return -ln p of each window's tokens after the first."""
        import torch

        longest = max(map(len, windows))
        # Causal attention never looks to the right, where the padding is.
        ids = torch.tensor([w + [0] * (longest - len(w)) for w in windows])
        ids = ids.to(self._model.device)
        mask = torch.tensor([[1] * len(w) + [0] * (longest - len(w)) for w in windows])
        with torch.inference_mode():
            logits = self._model(input_ids=ids, attention_mask=mask.to(ids.device)).logits
        return [
            _of_row(logits[row, : len(window) - 1], ids[row, 1 : len(window)])
            for row, window in enumerate(windows)
        ]


def _of_row(logits: Any, targets: Any) -> list[float]:
    """Return -ln p of each target, a few rows at a time: a copy of all would double the memory."""
    import torch

    found: list[float] = []
    for some, wanted in zip(logits.split(64), targets.split(64), strict=True):
        loss = torch.nn.functional.cross_entropy(some.float(), wanted, reduction="none")
        found += loss.double().tolist()
    return found


@contextmanager
def _read_once(where: str) -> Iterator[None]:
    """Let transformers share one reading of a GGUF file while the block runs.

    It reads the file for the tokenizer, the configuration and the weights, each time all of its
    262,144 tokens one by one, which is most of the minute that loading takes.
    """
    hf_models.libraries(where)
    try:
        import gguf
    except ImportError as error:
        raise UserError(
            f"reading this file needs gguf ({error}).",
            where=where,
            fix="Install it: pip install 'attunement[train]'.",
        ) from error

    reader = gguf.GGUFReader
    setattr(gguf, "GGUFReader", cache(reader))  # noqa: B010 - a class, to the type checker
    try:
        yield
    finally:
        setattr(gguf, "GGUFReader", reader)  # noqa: B010


@cache
def default_language_model() -> LanguageModel:
    """Return the embedded model (extra ``local``), read from its GGUF file and loaded once.

    Raises
    ------
    UserError
        Where an extra is not installed, or the weights cannot be written to the cache.

    """
    from attunement.models.local import MODEL_NAME, model_file

    file: Path = model_file()
    with _read_once(str(file)):
        model = HuggingFaceLanguageModel(str(file.parent), gguf_file=file.name)
    model.name = MODEL_NAME  # not the folder of this machine
    return model
