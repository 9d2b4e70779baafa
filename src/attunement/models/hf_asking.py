"""Ask models of the Hugging Face hub about texts of any length (extra ``train``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attunement.models.hf_models import commit, libraries, local_only, not_loaded, quiet

_NO_LIMIT = 1_000_000


def load(
    auto: str, name: str, *, revision: str | None = None, **options: Any
) -> tuple[Any, Any, str]:
    """Return tokenizer, model on its device and ready to be asked, and the model's name.

    Parameters
    ----------
    auto
        The class of `transformers` that loads it, such as ``AutoModel``.
    name
        On the hub, or a folder.
    revision
        Branch, tag or commit on the hub.
    options
        Of both, such as ``gguf_file``.

    Raises
    ------
    UserError
        The extra is not installed, or the model cannot be loaded.

    """
    torch, transformers = libraries(name)
    here = local_only(name)
    how = {"revision": revision, **here, **options}
    try:
        with quiet():
            tokenizer = transformers.AutoTokenizer.from_pretrained(name, **how)
            model = getattr(transformers, auto).from_pretrained(name, **how)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise not_loaded("the model", name, error, here) from error
    at = commit(model, revision)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return tokenizer, model.eval().to(device), f"hf:{name}" + (f"@{at}" if at else "")


def special_tokens(tokenizer: Any) -> tuple[list[int], list[int]]:
    """Return the ids that the tokenizer puts before and after a text, such as [CLS] and [SEP]."""
    bare = tokenizer("a", add_special_tokens=False)["input_ids"]
    full = tokenizer("a")["input_ids"]
    for at in range(len(full) - len(bare) + 1):
        if full[at : at + len(bare)] == bare:
            return list(full[:at]), list(full[at + len(bare) :])
    return [], []


def limit(tokenizer: Any, config: Any) -> int:
    """Return how many tokens, special ones counted, the model takes at once."""
    most = int(min(tokenizer.model_max_length, _NO_LIMIT))
    positions = getattr(config, "max_position_embeddings", None) or _NO_LIMIT
    if most == _NO_LIMIT:
        # RoBERTa's position embeddings hold two rows that no token uses, and nothing says so.
        most = min(512, positions - 2)
    return int(min(most, positions))


def inputs(tokenizer: Any, model: Any, ids: list[list[int]]) -> dict[str, Any]:
    """Return token ids as a model reads them, padded and where it computes.

    Rows must be of one length where the tokenizer has no token to pad with.
    """
    import torch

    if tokenizer.pad_token_id is None:
        found = {"input_ids": torch.tensor(ids)}
    else:
        found = dict(tokenizer.pad({"input_ids": ids}, return_tensors="pt"))
    return {name: part.to(model.device) for name, part in found.items()}


def batches(
    windows: list[tuple[int, list[int]]], tokens_at_once: int
) -> Iterable[list[tuple[int, list[int]]]]:
    """Yield batches of windows of similar length, so that little is padding."""
    batch: list[tuple[int, list[int]]] = []
    for item in sorted(windows, key=lambda item: len(item[1])):
        # The new window is the longest of its batch: all are padded to it.
        if batch and (len(batch) + 1) * (len(item[1]) + 2) > tokens_at_once:
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch
