"""Any text-classification model of the Hugging Face hub as an emotion model (extra ``train``)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from attunement.errors import UserError, nearest
from attunement.models.emotion import ranked
from attunement.models.hf_asking import batches, inputs, limit, load, special_tokens

DEFAULT_THRESHOLD = 0.5
_TOKENS_AT_ONCE = 16_384
_TEXTS_AT_ONCE = 1_024


class HuggingFaceEmotionModel:
    """A sequence classifier from the hub or from a folder.

    The labels are the model's own. Probabilities are a sigmoid for each label, or a softmax where
    the model's configuration says it was trained for one label a text.

    A text that is longer than the model's window is cut into windows that do not overlap, and its
    probability is the mean over them, each weighted by its tokens: no part of a long answer is
    ignored. Probabilities of the same text may differ in the seventh decimal with the texts beside
    it, because the order of additions depends on the batch.

    Parameters
    ----------
    model_id_or_path
        Such as ``SamLowe/roberta-base-go_emotions``, or a folder with the saved model.
    thresholds
        One probability in 0..1 for all labels, or one for each label by name (0.5 for a label
        that is not named). None is 0.5 for all.
    revision
        Branch, tag or commit on the hub. Give a commit to be able to repeat the scores.

    Raises
    ------
    UserError
        The extra is not installed, the model cannot be loaded, or a threshold names no label.

    """

    def __init__(
        self,
        model_id_or_path: str,
        thresholds: float | Mapping[str, float] | None = None,
        revision: str | None = None,
    ) -> None:
        self._tokenizer, self._model, self.name = load(
            "AutoModelForSequenceClassification", model_id_or_path, revision=revision
        )
        config = self._model.config
        self.labels: tuple[str, ...] = tuple(config.id2label[i] for i in range(config.num_labels))
        self.thresholds: NDArray[np.float64] = _thresholds(
            thresholds, self.labels, model_id_or_path
        )
        if (self.thresholds != DEFAULT_THRESHOLD).any():
            # Other thresholds give other emotions: a signature has to tell them apart.
            digest = hashlib.sha256(self.thresholds.tobytes()).hexdigest()
            self.name += f"+thresholds-{digest[:8]}"
        self._one_label = config.problem_type == "single_label_classification"
        self._before, self._after = special_tokens(self._tokenizer)
        special = len(self._before) + len(self._after)
        self._window = max(1, limit(self._tokenizer, config) - special)
        # Without a padding token only windows of one length could share a batch.
        self._tokens_at_once = _TOKENS_AT_ONCE if self._tokenizer.pad_token_id is not None else 0

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the probability of each label, shape (texts, labels), in 0..1.

        A text with nothing but white space has NaN in its whole row.
        """
        parts = [
            self._some(texts[start : start + _TEXTS_AT_ONCE])
            for start in range(0, len(texts), _TEXTS_AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.empty((0, len(self.labels)))

    def rank(self, texts: Sequence[str]) -> list[list[tuple[str, float]]]:
        """Return each text's labels at or above their thresholds, the most probable first."""
        return ranked(self.probabilities(texts), self.labels, self.thresholds)

    def _some(self, texts: Sequence[str]) -> NDArray[np.float64]:
        windows = [
            (row, window)
            for row, text in enumerate(texts)
            if text.strip()
            for window in self._windows(text)
        ]
        sums = np.zeros((len(texts), len(self.labels)))
        tokens = np.zeros(len(texts))
        for batch in batches(windows, self._tokens_at_once):
            scores = self._forward([window for _, window in batch])
            # One by one, so that the sum over a text always has the same order.
            for (row, window), score in zip(batch, scores, strict=True):
                sums[row] += len(window) * score
                tokens[row] += len(window)
        return np.divide(
            sums, tokens[:, None], out=np.full_like(sums, np.nan), where=tokens[:, None] > 0
        )

    def _windows(self, text: str) -> list[list[int]]:
        """Return the token ids of a text in windows of equal length, the last one shorter."""
        ids = self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return [ids[i : i + self._window] for i in range(0, len(ids), self._window)]

    def _forward(self, windows: list[list[int]]) -> NDArray[np.float64]:
        import torch

        ids = [self._before + window + self._after for window in windows]
        encoded = inputs(self._tokenizer, self._model, ids)
        with torch.inference_mode():
            logits = self._model(**encoded).logits.double()
        chances = logits.softmax(-1) if self._one_label else logits.sigmoid()
        answer: NDArray[np.float64] = chances.cpu().numpy()
        return answer


def _thresholds(
    given: float | Mapping[str, float] | None, labels: Sequence[str], where: str
) -> NDArray[np.float64]:
    if given is None:
        given = DEFAULT_THRESHOLD
    if not isinstance(given, Mapping):
        given = dict.fromkeys(labels, float(given))
    for label, value in given.items():
        if label not in labels:
            close = nearest(label, list(labels))
            raise UserError(
                f"There is a threshold for {label!r}, which is not a label of the model.",
                where=where,
                fix=f"Did you mean {close!r}?" if close else f"Its labels: {', '.join(labels)}.",
            )
        if not 0 <= value <= 1:
            raise UserError(
                f"The threshold for {label!r} is {value}.",
                where=where,
                fix="Give a probability between 0 and 1.",
            )
    return np.array([given.get(label, DEFAULT_THRESHOLD) for label in labels], dtype=np.float64)
