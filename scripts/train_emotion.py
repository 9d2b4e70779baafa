"""Train the embedded emotion classifier on GoEmotions and write its weights.

    python scripts/train_emotion.py --data GOEMOTIONS_DIR --out goemotions-ngrams.npz

The folder holds train.tsv, dev.tsv and test.tsv (text, comma-joined label numbers, id) and
labels.txt, as the authors publish them. The features and the format of the file are the package's
own (`attunement.models.emotion`); here is only what training adds: a logistic regression for each
label, quantized coefficients, and thresholds tuned on the development split with the quantized
coefficients. The test split is read once, at the end, to measure what the written file does.

Nothing is random but the bootstrap; the same data and library versions give the same file.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from attunement.models._ngrams import MAX_ALPHABET, NGrams, NGramVectors, normalize
from attunement.models.emotion import FORMAT, EmbeddedEmotionModel, EmotionWeights

Floats = NDArray[np.float64]
Labels = NDArray[np.int8]

NAME = "goemotions-ngrams@1"
WORDS = 2
CHARS = (2, 5)
ATTRIBUTION = (
    "Trained on GoEmotions (Demszky, Movshovitz-Attias, Ko, Cowen, Nemade and Ravi 2020, ACL, "
    "doi:10.18653/v1/2020.acl-main.372), CC BY 4.0, https://github.com/google-research/"
    "google-research/tree/master/goemotions"
)
PUBLISHED_BERT = 0.46
_TEXTS_AT_ONCE = 4_000


@dataclass(frozen=True)
class Split:
    """Texts and their labels, shape (texts, labels), 0 or 1."""

    texts: list[str]
    labels: Labels


def read_split(path: Path, labels: int) -> Split:
    """Read one of the published files."""
    # Only a line feed ends a row: some comments hold other line separators.
    rows = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    texts, chosen = [], np.zeros((len(rows), labels), dtype=np.int8)
    for i, row in enumerate(rows):
        text, numbers, _ = row.split("\t")
        texts.append(text)
        chosen[i, [int(number) for number in numbers.split(",")]] = 1
    return Split(texts, chosen)


def merge_duplicates(split: Split, without: set[str]) -> Split:
    """Keep each text once, with all the labels it was given, and none of ``without``.

    Texts count as the same where the features are: after `normalize`. What stands in the
    development or the test split as well is left out of training.
    """
    first: dict[str, int] = {}
    labels = split.labels.copy()
    for i, text in enumerate(split.texts):
        key = normalize(text)
        if key in without:
            continue
        at = first.setdefault(key, i)
        labels[at] |= split.labels[i]
    kept = list(first.values())
    return Split([split.texts[i] for i in kept], labels[kept])


def alphabet(texts: list[str], least: int) -> str:
    """Return the characters that at least ``least`` texts have, in code point order."""
    counts = Counter(char for text in texts for char in set(normalize(text)) - {" ", "\0"})
    return "".join(sorted(char for char, n in counts.most_common(MAX_ALPHABET) if n >= least))


def document_frequencies(
    ngrams: NGrams, texts: list[str], least: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the keys of the n-grams that ``least`` texts have, and how many texts have each."""
    keys, counts = [], []
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        for rows, found in ngrams.keys(texts[start : start + _TEXTS_AT_ONCE]):
            order = np.lexsort((rows, found))
            rows, found = rows[order], found[order]
            new = np.ones(len(rows), dtype=bool)
            new[1:] = (found[1:] != found[:-1]) | (rows[1:] != rows[:-1])
            unique, count = np.unique(found[new], return_counts=True)
            keys.append(unique)
            counts.append(count)
    every, place = np.unique(np.concatenate(keys), return_inverse=True)
    total = np.zeros(len(every), dtype=np.int64)
    np.add.at(total, place, np.concatenate(counts))
    kept = total >= least
    return every[kept], total[kept]


def fit(vectors: Any, labels: Labels, strength: float, jobs: int) -> tuple[Floats, Floats]:
    """Return coefficients, shape (n-grams, labels), and intercepts, one regression a label."""

    def one(column: int) -> tuple[Floats, float]:
        model = LogisticRegression(C=strength, solver="liblinear", tol=1e-2)
        model.fit(vectors, labels[:, column])
        return model.coef_[0], float(model.intercept_[0])

    # liblinear lets go of the interpreter's lock, so threads share the matrix and both cores.
    with ThreadPoolExecutor(jobs) as pool:
        fitted = list(pool.map(one, range(labels.shape[1])))
    return np.stack([coef for coef, _ in fitted], axis=1), np.array([b for _, b in fitted])


def quantize(coefficients: Floats) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return one byte a coefficient and a scale for each label, as `EmotionWeights` reads them.

    Steps grow with the coefficient (the square root is rounded): most coefficients are small.
    """
    scale = np.abs(coefficients).max(axis=0)
    share = np.sqrt(np.abs(coefficients) / scale)
    return (np.sign(coefficients) * np.rint(share * 127)).astype(np.int8), scale.astype(np.float32)


def tune(probabilities: Floats, labels: Labels) -> Floats:
    """Return for each label the threshold with the highest F1, shape (labels,)."""
    thresholds = []
    for column in range(labels.shape[1]):
        order = np.argsort(-probabilities[:, column], kind="stable")
        chance, truth = probabilities[order, column], labels[order, column]
        f1 = 2 * np.cumsum(truth) / (np.arange(1, len(order) + 1) + truth.sum())
        # Equal probabilities fall on the same side, so only the last of them can be the border.
        f1[:-1][chance[:-1] == chance[1:]] = -1
        best = int(np.argmax(f1))
        # Half way to the next probability: the border is no text's own value.
        below = chance[best + 1] if best + 1 < len(order) else 0.0
        thresholds.append(round(float((chance[best] + below) / 2), 6))
    return np.array(thresholds)


def f1_scores(predicted: NDArray[np.bool_], labels: Labels, weights: Floats) -> Floats:
    """Return F1 for each weighting of the texts and each label, shape (weightings, labels).

    ``weights`` has shape (weightings, texts). F1 is 0 where a label is neither there nor predicted.
    """
    hits = weights @ (predicted & (labels == 1)).astype(np.float64)
    sizes = weights @ (predicted.astype(np.float64) + labels)
    scores: Floats = np.divide(2 * hits, sizes, out=np.zeros_like(hits), where=sizes > 0)
    return scores


def report(name: str, model: EmbeddedEmotionModel, split: Split, seed: int) -> float:
    """Print F1 for each label and the mean, with 95% bootstrap intervals over texts."""
    n = len(split.texts)
    predicted = np.nan_to_num(model.probabilities(split.texts)) >= model.thresholds
    f1 = f1_scores(predicted, split.labels, np.ones((1, n)))[0]
    draws = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=2_000)
    spread = f1_scores(predicted, split.labels, draws.astype(np.float64))
    low, high = np.percentile(spread, [2.5, 97.5], axis=0)
    print(f"\n{name}: {n} texts\n{'label':<16}{'n':>6}{'F1':>8}{'95% interval':>16}")
    for j, label in enumerate(model.labels):
        count = int(split.labels[:, j].sum())
        print(f"{label:<16}{count:>6}{f1[j]:>8.3f}{low[j]:>9.3f}-{high[j]:.3f}")
    low, high = np.percentile(spread.mean(axis=1), [2.5, 97.5])
    print(f"{'macro-F1':<16}{'':>6}{f1.mean():>8.4f}{low:>9.3f}-{high:.3f}")
    return float(f1.mean())


def main() -> int:
    """Train, write, read back, measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the GoEmotions files")
    parser.add_argument("--out", type=Path, required=True, help="the .npz file to write")
    parser.add_argument("--c", type=float, default=1.0, help="inverse regularization strength")
    parser.add_argument("--min-df", type=int, default=5, help="texts that an n-gram must occur in")
    parser.add_argument("--seed", type=int, default=1, help="seed of the bootstrap")
    parser.add_argument("--jobs", type=int, default=1, help="labels trained at the same time")
    args = parser.parse_args()

    began = time.monotonic()
    names = (args.data / "labels.txt").read_text(encoding="utf-8").split()
    raw, dev, test = (read_split(args.data / f"{s}.tsv", len(names)) for s in SPLITS)
    held_out = {normalize(text) for split in (dev, test) for text in split.texts}
    train = merge_duplicates(raw, held_out)
    print(
        f"train: {len(raw.texts)} texts, {len(train.texts)} without duplicates and held-out texts"
    )

    ngrams = NGrams(alphabet(train.texts, args.min_df), WORDS, CHARS)
    keys, counts = document_frequencies(ngrams, train.texts, args.min_df)
    idf = (np.log((1 + len(train.texts)) / (1 + counts)) + 1).astype(np.float16)
    print(f"{len(keys)} n-grams over {len(ngrams.alphabet)} characters")
    vectors = NGramVectors(ngrams, keys, idf).transform(train.texts)
    coefficients, intercept = fit(vectors, train.labels, args.c, args.jobs)
    weights, scale = quantize(coefficients)

    header: dict[str, Any] = {
        "format": FORMAT,
        "name": NAME,
        "labels": names,
        "thresholds": [0.5] * len(names),
        "alphabet": ngrams.alphabet,
        "words": WORDS,
        "chars": list(CHARS),
        "attribution": ATTRIBUTION,
        "training": {
            "c": args.c,
            "min_df": args.min_df,
            "texts": len(train.texts),
            "scikit-learn": sklearn.__version__,
            "sha256": {
                s: hashlib.sha256((args.data / f"{s}.tsv").read_bytes()).hexdigest() for s in SPLITS
            },
        },
    }
    untuned = EmotionWeights(header, keys, idf, weights, scale, intercept.astype(np.float32))
    chances = EmbeddedEmotionModel(untuned).probabilities(dev.texts)
    header["thresholds"] = tune(np.nan_to_num(chances), dev.labels).tolist()
    untuned.write(args.out)
    print(
        f"trained in {time.monotonic() - began:.0f} s; {args.out}: {args.out.stat().st_size} bytes"
    )

    model = EmbeddedEmotionModel(EmotionWeights.read(args.out))
    report("dev (thresholds tuned on it)", model, dev, args.seed)
    report(f"test (BERT as published: {PUBLISHED_BERT})", model, test, args.seed)
    return 0


SPLITS = ("train", "dev", "test")

if __name__ == "__main__":
    sys.exit(main())
