"""How much faster the four text metrics are than the plain loop, and whether they agree with it.

The plain loop is what the paper's pseudocode becomes when written down: TextBlob, NumPy's polyfit
and ``readability``, one text at a time. Both run in one process, one after the other, so that the
ratio does not depend on the machine. Run with ``--data DIR`` on CounselChat.

    python benchmarks/text_metrics.py [--data DIR] [--rows N]
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import readability
import sentencex
import simplemma
from textblob import TextBlob
from texts import pairs

from attunement.raters.metrics import Variant, score
from attunement.raters.metrics.fluff import FLUFF
from attunement.text import words

TARGET = 5.0
METRICS = ("sentiment_change", "sentiment_slope", "simplicity", "recycling")
Row = list[float | None]


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def polarity(text: str) -> float:
    return float(TextBlob(text).sentiment.polarity)


def plain_paper(question: str, answer: str) -> Row:
    before, after = polarity(question), polarity(answer)
    if abs(before) < 1e-9:
        change = 0.5 if abs(after) < 1e-9 else float(after > 0)
    else:
        change = sigmoid((after - before) / abs(before))
    values = [polarity(piece) for piece in answer.split(".")]
    slope = sigmoid(np.polyfit(range(len(values)), values, 1)[0]) if len(values) > 1 else 0.5
    ease = None
    if len(answer.split()) > 100:
        ease = readability.getmeasures(answer, lang="en")["readability grades"]["Kincaid"]
    asked = set(question.lower().split())
    content = [w for w in answer.lower().split() if w not in FLUFF]
    recycled = sum(w in asked for w in content) / len(content) if content else 0.0
    return [change, slope, ease, recycled]


def plain_standard(question: str, answer: str) -> Row:
    change = polarity(answer) - polarity(question)
    sentences = [" ".join(s.split()) for s in sentencex.segment("en", answer) if s.strip()]
    values = [polarity(s) for s in sentences]
    slope = None
    if len(values) > 1:
        slope = float(np.polyfit(np.linspace(0, 1, len(values)), values, 1)[0])
    ease = None
    if len(answer.split()) > 100:
        grades = readability.getmeasures("\n".join(sentences), lang="en")["readability grades"]
        ease = grades["FleschReadingEase"]
    asked = set(lemmas(question))
    content = lemmas(answer)
    recycled = sum(w in asked for w in content) / len(content) if content and asked else None
    return [change, slope, ease, recycled]


def lemmas(text: str) -> list[str]:
    both = [(w, simplemma.lemmatize(w, lang="en").lower()) for w in words(text)]
    return [lemma for w, lemma in both if w not in FLUFF and lemma not in FLUFF]


def compare(
    texts: list[tuple[str, str]], variant: Variant, plain: Callable[[str, str], Row]
) -> tuple[float, float]:
    """Return how many times faster `score` is than the plain loop, and the largest difference."""
    frame = pl.DataFrame(
        {
            "item_id": [str(i) for i in range(len(texts))],
            "source": "benchmark",
            "text": [answer for _, answer in texts],
            "question": [question for question, _ in texts],
        }
    )
    start = time.process_time()
    expected = [plain(question, answer) for question, answer in texts]
    slow = time.process_time() - start
    start = time.process_time()
    ratings = score(frame, metrics=METRICS, variant=variant)
    fast = time.process_time() - start
    found = ratings["value"].to_list()
    apart = max(
        (
            abs(a - b)
            for a, b in zip(found, (v for row in expected for v in row), strict=True)
            if a is not None and b is not None
        ),
        default=math.nan,
    )
    rows = len(texts)
    print(
        f"{variant:9} plain loop {slow:6.2f} s ({rows / slow:5.0f}/s), "
        f"attunement {fast:6.2f} s ({rows / fast:5.0f}/s): {slow / fast:.1f} times as fast, "
        f"largest difference {apart:.1e}"
    )
    return slow / fast, apart


def main() -> int:
    """Run both variants; exit code 1 where the target is missed or the values differ."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, help="folder that holds counsel-chat/")
    parser.add_argument("--rows", type=int, help="how many answers")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")  # polyfit on one repeated value
    texts = pairs(asked.data, asked.rows)
    # Dictionaries and lexicons are loaded before either is timed.
    polarity("warm")
    simplemma.lemmatize("warmed", lang="en")
    score(pl.DataFrame({"item_id": ["0"], "source": "x", "text": ["a."], "question": ["b"]}))
    words_each = sum(len(a.split()) for _, a in texts) / len(texts)
    print(f"{len(texts)} answers of {words_each:.0f} words on average, one process")
    results = [
        compare(texts, "paper", plain_paper),
        compare(texts, "standard", plain_standard),
    ]
    return int(any(ratio < TARGET or not apart < 1e-9 for ratio, apart in results))


if __name__ == "__main__":
    raise SystemExit(main())
