"""A study of the wanted size with invented answers and values, and the analysis of it."""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import numpy as np
import polars as pl
import pytest

from attunement import tables
from attunement.analysis import Analysis, analyze

METRICS = [
    "emotion_consistency",
    "sentiment_change",
    "sentiment_slope",
    "simplicity",
    "recycling",
    "agreeability",
    "active_listening",
]
SCALE = dict(zip(METRICS, (0.5, 0.3, 0.5, 60.0, 0.1, 6.5, 7.0), strict=True))
TOPICS = [
    "depression",
    "anxiety",
    "relationships",
    "intimacy",
    "parenting",
    "grief and loss",
    "anger management",
    "substance abuse and addiction",
]


@dataclass
class Study:
    """Tables and the analysis of them."""

    analysis: Analysis
    items: pl.DataFrame
    responses: pl.DataFrame
    ratings: pl.DataFrame
    manifest: dict[str, Any] = field(default_factory=dict)


@pytest.fixture(scope="session")
def small() -> Study:
    """Three sources, six topics, 24 questions, two other therapists' answers a question."""
    return build()


@pytest.fixture
def study() -> Callable[..., Study]:
    """Return the builder of studies."""
    return build


def build(
    *,
    sources: list[str] | int = 3,
    topics: int = 6,
    per_topic: int = 4,
    therapists: bool = True,
    seed: int = 1,
) -> Study:
    """Return a study of this size; its numbers mean nothing but have the right ranges."""
    rng = np.random.default_rng(seed)
    named = ["attuned", "verbose", "cold"] if sources == 3 else None
    if isinstance(sources, int):
        sources = named or [f"model-{chr(97 + i)}-{7 + i}b-instruct" for i in range(sources)]
    names = [*TOPICS, *(f"topic {i}" for i in range(100))][:topics]
    items, responses, ratings = _tables(rng, sources, names, per_topic, therapists)
    analysis = analyze(items, responses, ratings, replicates=100)
    return Study(analysis, items, responses, ratings, _manifest())


def _tables(
    rng: np.random.Generator,
    sources: list[str],
    topics: list[str],
    per_topic: int,
    therapists: bool,
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    items, responses, ratings = [], [], []
    shift = {s: 0.25 * i for i, s in enumerate(sources)}
    for topic, k in itertools.product(topics, range(per_topic)):
        item = f"{topic}-{k}"
        said = f"I do not know what to do about {topic}. Nothing that I try changes anything ({k})."
        items.append({"item_id": item, "topic": topic, "turns": [{"role": "user", "text": said}]})
        everyone = [("reference", 0), *((s, 0) for s in sources)]
        everyone += [("therapist", 0), ("therapist", 1)] if therapists else []
        for source, candidate in everyone:
            text = f"That sounds heavy. You have carried {topic} for a while. " * (2 + k)
            response = f"{item}/{source}/{candidate}"
            responses.append(
                {
                    "response_id": response,
                    "item_id": item,
                    "source": source,
                    "candidate": candidate,
                    "text": text,
                    "latency_s": 1.5,
                    "tokens_out": 80,
                    "cost_usd": 0.0004,
                }
            )
            for metric in METRICS:
                short = metric == "simplicity" and k == 0
                own = metric == "emotion_consistency" and source == "reference"
                judge = metric in ("agreeability", "active_listening")
                value = SCALE[metric] * (1 + shift.get(source, 0.0) + 0.2 * rng.normal())
                if metric == "emotion_consistency":
                    value = float(np.clip(value, 0.0, 1.0))
                ratings.append(
                    {
                        "unit": "response",
                        "unit_id": response,
                        "item_id": item,
                        "source": source,
                        "rater": "judge:local" if judge else "metric:standard",
                        "rater_kind": "judge" if judge else "metric",
                        "instrument": "nuance-judges@1" if judge else "nuance@1",
                        "dimension": metric,
                        "value": None if short or own else float(value),
                        "status": "not_applicable" if short or own else "ok",
                        "rationale": "100 words or fewer" if short else None,
                    }
                )
    return (
        tables.conform(pl.DataFrame(items), "items"),
        tables.conform(pl.DataFrame(responses), "responses"),
        tables.conform(pl.DataFrame(ratings, infer_schema_length=None), "ratings"),
    )


def _manifest() -> dict[str, Any]:
    return {
        "created_at": "2025-01-02T03:04:05+00:00",
        "name": "A small study",
        "versions": {"python": "3.11.2", "attunement": "0.1.0"},
        "config": {"models": [{"name": "attuned", "api_key": "s3cret", "api_key_env": "THE_KEY"}]},
    }


def _around(rng: np.random.Generator, center: float, width: float) -> dict[str, float]:
    value = center + width * rng.normal() * 0.2
    return {"estimate": value, "ci_low": value - width, "ci_high": value + width}


class _Reader(HTMLParser):
    """Finds what is not closed, what is fetched, and anchors that lead nowhere."""

    VOID = frozenset({"meta", "link", "br", "hr", "img", "input", "path", "rect", "use"})

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.ids: list[str] = []
        self.wanted: list[str] = []
        self.levels = [0]
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        self.look(tag, {k: v or "" for k, v in attrs})

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.look(tag, {k: v or "" for k, v in attrs})

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID and (not self.open or self.open.pop() != tag):
            self.wrong.append(f"</{tag}> closes nothing")

    def look(self, tag: str, found: dict[str, str]) -> None:
        if "id" in found:
            self.ids.append(found["id"])
        for place in (found.get("href", ""), found.get("src", "")):
            if place.startswith("#"):
                self.wanted.append(place[1:])
            elif place and not place.startswith(("data:,", "tables/", "figures/")):
                self.wrong.append(f"{tag} asks for {place}")
        if "style" in found:
            self.wrong.append(f"{tag} has a style that the policy forbids")
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))


@pytest.fixture(scope="session")
def faults() -> Callable[[str], list[str]]:
    """Return what finds the faults of a page: markup, policy, anchors, ids, order of headings."""

    def look(html: str) -> list[str]:
        page = _Reader(html)
        wrong = page.wrong + [f"<{tag}> is open" for tag in page.open]
        wrong += [f"no #{i}" for i in page.wanted if i not in page.ids]
        wrong += [f"two #{i}" for i, n in Counter(page.ids).items() if n > 1]
        wrong += [f"h{b} after h{a}" for a, b in itertools.pairwise(page.levels) if b > a + 1]
        policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
        for tag in ("style", "script"):
            content = re.search(f"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
            hashed = hashlib.sha256((content[1] if content else "").encode()).digest()
            said = f"{tag}-src 'sha256-{base64.b64encode(hashed).decode()}'"
            if policy is None or said not in policy[1].replace("&#39;", "'"):
                wrong.append(f"the policy does not allow the {tag}")
        return wrong

    return look
