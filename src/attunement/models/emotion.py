"""Which emotions a text shows: the protocol, and the classifier that comes with the package.

The embedded classifier knows the 27 emotions of GoEmotions and "neutral" (Demszky et al. 2020,
"GoEmotions: A Dataset of Fine-Grained Emotions", ACL, doi:10.18653/v1/2020.acl-main.372). It is a
logistic regression for each label over word and character n-grams; ``scripts/train_emotion.py``
trains it and docs/emotion-model.md says how good it is.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from attunement.errors import UserError
from attunement.models._ngrams import NGrams, NGramVectors

_ARRAYS = {
    "keys": np.uint64,
    "idf": np.float16,
    "weights": np.int8,
    "scale": np.float32,
    "intercept": np.float32,
}
_UNREADABLE = (
    OSError, EOFError, ValueError, KeyError, TypeError, RuntimeError, zipfile.BadZipFile, zlib.error
)  # fmt: skip
_REINSTALL = "Install the package again, or make the file with scripts/train_emotion.py."

WEIGHTS = Path(__file__).parent / "weights" / "goemotions-ngrams.npz"
FORMAT = "attunement-emotion-ngrams@1"

_CHARACTERS_AT_ONCE = 400_000


@runtime_checkable
class EmotionModel(Protocol):
    """Anything that says which emotions a text shows.

    Attributes
    ----------
    name
        Identifies the model and its version in a signature.
    labels
        The emotions it can tell, in a fixed order.

    """

    name: str
    labels: tuple[str, ...]

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the probability of each label, shape (texts, labels), in 0..1.

        A text in which the model can read nothing has NaN in its whole row.
        """
        ...

    def rank(self, texts: Sequence[str]) -> list[list[tuple[str, float]]]:
        """Return each text's labels at or above their thresholds, the most probable first.

        Equal probabilities stay equal and follow each other in the order of ``labels``. A text may
        have no labels.
        """
        ...


def ranked(
    probabilities: NDArray[np.float64], labels: Sequence[str], thresholds: NDArray[np.float64]
) -> list[list[tuple[str, float]]]:
    """Return for each row the labels at or above their thresholds, by descending probability.

    Parameters
    ----------
    probabilities
        Shape (texts, labels), in 0..1; NaN is below every threshold.
    labels, thresholds
        One for each column. Among equal probabilities the earlier column comes first.

    >>> ranked(np.array([[0.2, 0.9, 0.2]]), ["joy", "love", "fear"], np.array([0.1, 0.5, 0.2]))
    [[('love', 0.9), ('joy', 0.2), ('fear', 0.2)]]

    """
    order = np.argsort(-probabilities, axis=1, kind="stable")
    kept = probabilities >= thresholds
    return [
        [(labels[j], float(row[j])) for j in columns if keep[j]]
        for row, columns, keep in zip(probabilities, order, kept, strict=True)
    ]


@dataclass(frozen=True)
class EmotionWeights:
    """What the weights file holds.

    Parameters
    ----------
    header
        ``format``, ``name``, ``labels``, ``alphabet``, ``words``, ``chars`` and ``thresholds``;
        anything else in it is for people to read.
    keys
        The n-grams' keys, ascending, shape (n-grams,), uint64.
    idf
        Inverse document frequency of each n-gram, shape (n-grams,), float16.
    weights
        Quantized coefficients, shape (n-grams, labels), int8: a coefficient is
        ``scale * sign(w) * (w / 127) ** 2``.
    scale, intercept
        For each label, shape (labels,), float32.

    """

    header: dict[str, Any]
    keys: NDArray[np.uint64]
    idf: NDArray[np.float16]
    weights: NDArray[np.int8]
    scale: NDArray[np.float32]
    intercept: NDArray[np.float32]

    def write(self, path: Path) -> None:
        """Write the weights as one .npz file; the same weights give the same bytes."""
        header = json.dumps(self.header, ensure_ascii=False, sort_keys=True, indent=1)
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        np.savez_compressed(
            path,
            allow_pickle=False,
            header=np.frombuffer(header.encode("utf-8"), dtype=np.uint8),
            **arrays,
        )

    @classmethod
    def read(cls, path: Path) -> EmotionWeights:
        """Read a weights file; nothing in it is executed.

        Raises
        ------
        UserError
            The file is missing, damaged or of another format.

        """
        try:
            # Opened here, because NumPy leaves a file open that turns out not to be a zip archive.
            with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                header = json.loads(file["header"].tobytes().decode("utf-8"))
                read = cls(header, **{name: file[name] for name in _ARRAYS})
            read._check()
        except FileNotFoundError as error:
            raise UserError(
                "The emotion model's weights are missing.", where=str(path), fix=_REINSTALL
            ) from error
        except _UNREADABLE as error:
            raise UserError(
                f"The emotion model's weights cannot be read ({type(error).__name__}: {error}).",
                where=str(path),
                fix=_REINSTALL,
            ) from error
        return read

    def _check(self) -> None:
        """Raise ValueError where the parts do not fit each other."""
        found = self.header.get("format") if isinstance(self.header, dict) else None
        if found != FORMAT:
            raise ValueError(f"the format is {found!r}, not {FORMAT!r}")
        columns, labels = len(self.keys), len(self.header["labels"])
        shapes = {
            "keys": (columns,), "idf": (columns,), "weights": (columns, labels),
            "scale": (labels,), "intercept": (labels,),
        }  # fmt: skip
        for name, dtype in _ARRAYS.items():
            array = getattr(self, name)
            if array.shape != shapes[name] or array.dtype != dtype:
                raise ValueError(f"{name} is {array.dtype}{array.shape}")
        if len(self.header["thresholds"]) != labels:
            raise ValueError("the thresholds are not one for each label")
        if (self.keys[1:] <= self.keys[:-1]).any():
            raise ValueError("the keys are not ascending")

    def coefficients(self) -> NDArray[np.float32]:
        """Return the coefficients, shape (n-grams, labels), float32."""
        share = self.weights.astype(np.float32) / 127
        return np.asarray(np.sign(share) * share**2 * self.scale, dtype=np.float32)


class EmbeddedEmotionModel:
    """The classifier that comes with the package: n-grams and a logistic regression a label.

    It reads English. A text is read as a whole, however long it is. The same text gives the same
    numbers whatever stands beside it in a batch, and memory does not grow with the number of texts
    beyond the numbers returned.

    Parameters
    ----------
    weights
        What `EmotionWeights.read` returned.

    """

    def __init__(self, weights: EmotionWeights) -> None:
        header = weights.header
        self.name: str = header["name"]
        self.labels: tuple[str, ...] = tuple(header["labels"])
        self.thresholds: NDArray[np.float64] = np.array(header["thresholds"], dtype=np.float64)
        ngrams = NGrams(header["alphabet"], header["words"], tuple(header["chars"]))
        self._vectors = NGramVectors(ngrams, weights.keys, weights.idf)
        self._coefficients = weights.coefficients()
        self._intercept = weights.intercept.astype(np.float64)

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the probability of each label, shape (texts, labels), in 0..1.

        A text with no known n-gram (empty, or in another script) has NaN in its whole row.
        """
        answer = np.full((len(texts), len(self.labels)), np.nan)
        for start, stop in _spans(texts):
            vectors = self._vectors.transform(texts[start:stop])
            known = np.diff(vectors.indptr) > 0
            logits = (vectors @ self._coefficients).astype(np.float64) + self._intercept
            answer[start:stop][known] = expit(logits[known])
        return answer

    def rank(self, texts: Sequence[str]) -> list[list[tuple[str, float]]]:
        """Return each text's labels at or above their thresholds, the most probable first."""
        return ranked(self.probabilities(texts), self.labels, self.thresholds)


@cache
def default_emotion_model() -> EmotionModel:
    """Return the embedded classifier, read from its file at the first call.

    Raises
    ------
    UserError
        The weights are missing or damaged.

    """
    return EmbeddedEmotionModel(EmotionWeights.read(WEIGHTS))


def _spans(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield start and stop of batches with a bounded number of characters (or one text)."""
    start = size = 0
    for i, text in enumerate(texts):
        if i > start and size + len(text) > _CHARACTERS_AT_ONCE:
            yield start, i
            start, size = i, 0
        # Empty texts take room too: a row of numbers each.
        size += len(text) + 30
    if start < len(texts):
        yield start, len(texts)
