"""The report's page: what the template receives, and the files beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from attunement.report import (
    examples,
    figures,
    files,
    paper_tables,
    rater_tables,
    record_tables,
    tables,
)
from attunement.report.cells import Table
from attunement.report.formats import (
    METRIC_MEANINGS,
    listed,
    metric_label,
    readable,
    topic_label,
)
from attunement.report.picture import Figure

if TYPE_CHECKING:
    from attunement.analysis import Analysis

ADVICE_SHOWN = 9
_BADGES = {
    "use": "Use",
    "none_good_enough": "None good enough",
    "undecided": "Undecided",
}
_SECRET = re.compile(r"(^|_)(api_?key|token|secret|password|authorization)$", re.IGNORECASE)
_IN_URL = re.compile(r"(?<=://)[^/@\s]+@")


@dataclass(frozen=True)
class Banner:
    """A warning that belongs on the first screen."""

    label: str
    text: str


@dataclass(frozen=True)
class Advice:
    """One recommendation.

    Parameters
    ----------
    kind, badge
        ``use``, ``none_good_enough`` or ``undecided``, and the same in words.
    topic, text, evidence
        What it is about, what it says, and the numbers that it follows from.
    overall
        Whether it is about all topics together.

    """

    kind: str
    badge: str
    topic: str
    text: str
    evidence: tuple[str, ...]
    overall: bool = False


@dataclass(frozen=True)
class Page:
    """What the template receives.

    Parameters
    ----------
    title, summary, facts, banners
        The first screen's words.
    contents
        Anchor and name of each section that is there.
    recommendations, advice_shown
        All of them, and how many are shown before the rest is folded.
    tables, figures
        By id; a table may be None where the data has none.
    shelves
        Examples to read.
    methods, glossary
        The paragraph to paste, and what each metric says.
    versions, manifest
        Package versions, and the manifest as JSON text without secrets.
    version
        Of Attunement.
    css, script, policy
        Inlined style and script, and the content security policy that allows just these.

    """

    title: str
    summary: tuple[str, ...]
    facts: tuple[str, ...]
    banners: tuple[Banner, ...]
    contents: tuple[tuple[str, str], ...]
    recommendations: tuple[Advice, ...]
    tables: Mapping[str, Table | None]
    figures: Mapping[str, Figure]
    shelves: tuple[examples.Shelf, ...]
    methods: str
    glossary: tuple[tuple[str, str], ...]
    versions: tuple[tuple[str, str], ...]
    manifest: str
    version: str
    css: str
    script: str
    policy: str
    advice_shown: int = ADVICE_SHOWN


def write_report(
    folder: str | Path,
    *,
    analysis: Analysis,
    items: pl.DataFrame,
    responses: pl.DataFrame,
    ratings: pl.DataFrame,
    manifest: Mapping[str, Any] | None = None,
    title: str | None = None,
) -> Path:
    """Write the page, and every table as CSV and every figure as SVG and PNG beside it.

    The page is one file that asks for nothing from anywhere; the same input gives the same bytes.

    Parameters
    ----------
    folder
        Made where it does not exist; files of the same names are replaced.
    analysis
        What `attunement.analysis.analyze` found.
    items, responses, ratings
        The tables that it was made from.
    manifest
        The run's manifest. ``sample: true`` in it marks the bundled sample.
    title
        Heading of the page; by default the one in the manifest's configuration, or its name.

    Returns
    -------
    Path
        The page.

    """
    out = Path(folder)
    order = _topic_order(analysis, items)
    made = _tables(analysis, ratings, order)
    drawn = figures.draw_all(analysis, order)
    page = _page(analysis, items, responses, ratings, manifest or {}, title, made, drawn)
    html = files.render("page.html.j2", page)
    return files.write_page(out, html, made.values(), drawn.values())


def _page(
    analysis: Analysis,
    items: pl.DataFrame,
    responses: pl.DataFrame,
    ratings: pl.DataFrame,
    manifest: Mapping[str, Any],
    title: str | None,
    made: Mapping[str, Table | None],
    drawn: Mapping[str, Figure],
) -> Page:
    shelves = examples.choose(analysis, items, responses, ratings)
    css, script = files.assets()
    heading = readable(title or _title(manifest)).strip()
    return Page(
        title=heading or "How near the models come to the therapists",
        summary=tuple(analysis.summary),
        facts=_facts(analysis, items, manifest),
        banners=_banners(analysis, items, manifest),
        contents=_contents(bool(analysis.topics), bool(made["agreement"]), bool(shelves)),
        recommendations=tuple(_advice(r) for r in analysis.recommendations),
        tables=made,
        figures=drawn,
        shelves=shelves,
        methods=analysis.methods.strip(),
        glossary=tuple(
            (metric_label(m), METRIC_MEANINGS.get(m, "A metric that was plugged in."))
            for m in analysis.metrics
        ),
        versions=tuple((str(k), str(v)) for k, v in dict(manifest.get("versions") or {}).items()),
        manifest=json.dumps(_without_secrets(manifest), indent=2, ensure_ascii=False, default=str)
        if manifest
        else "",
        version=version("attunement"),
        css=css,
        script=script,
        policy=files.policy(css, script),
    )


def _title(manifest: Mapping[str, Any]) -> str:
    found: Any = manifest.get("configuration")
    for key in ("report", "title"):
        found = found.get(key) if isinstance(found, Mapping) else None
    return str(found or manifest.get("name") or "")


def _tables(analysis: Analysis, ratings: pl.DataFrame, order: list[str]) -> dict[str, Table | None]:
    correlations, p_values = paper_tables.similarity_by_topic(analysis, order)
    found = {
        "distance": tables.distances(analysis),
        "ranking": tables.ranking(analysis),
        "comparisons": tables.comparisons(analysis),
        "equivalence": tables.equivalence(analysis),
        "topics": tables.topics(analysis, order) if order else None,
        "profile": paper_tables.profile(analysis),
        "in_words": paper_tables.in_words(analysis),
        "similarity": paper_tables.similarity(analysis),
        "correlation_by_topic": correlations if order else None,
        "p_by_topic": p_values if order else None,
        "between_topics": paper_tables.between_topics(analysis, order),
        "between_models": paper_tables.between_models(analysis),
        "agreement": rater_tables.agreement(ratings),
        "agreement_size": rater_tables.size(ratings),
        "answers": record_tables.answers(analysis),
        "cost": record_tables.costs(analysis),
        "coverage": record_tables.coverage(analysis),
        "missing": record_tables.missing_reasons(ratings),
        "signatures": record_tables.signatures(analysis),
    }
    return {k: t if t is not None and t.rows else None for k, t in found.items()}


def _topic_order(analysis: Analysis, items: pl.DataFrame) -> list[str]:
    """Return the topics, those with the most questions first."""
    sizes = dict(items.group_by("topic").agg(n=pl.len()).iter_rows())
    return sorted(analysis.topics, key=lambda t: -sizes.get(t, 0))


def _facts(analysis: Analysis, items: pl.DataFrame, manifest: Mapping[str, Any]) -> tuple[str, ...]:
    made = str(manifest.get("created_at") or "")[:10]
    facts = [
        _some(items.height, "question"),
        _some(len(analysis.topics), "topic"),
        _some(len(analysis.sources), "source"),
        _some(len(analysis.metrics), "metric"),
        f"variant: {analysis.variant}",
        f"Attunement {version('attunement')}",
        made,
    ]
    return tuple(f for f in facts if f)


def _some(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _banners(
    analysis: Analysis, items: pl.DataFrame, manifest: Mapping[str, Any]
) -> tuple[Banner, ...]:
    found = []
    if manifest.get("sample") or _is_sample(items):
        found.append(
            Banner(
                "Illustration.",
                "The questions, and the answers that came with them, are the bundled sample, "
                "written for this project. They show what a report looks like; nothing follows "
                "from them about any real system.",
            )
        )
    if analysis.demonstration:
        who = listed(readable(d) for d in analysis.demonstration)
        found.append(
            Banner(
                "Demonstration quality.",
                f"From a very small model that runs anywhere: {who}. Do not rely on these scores "
                "or answers.",
            )
        )
    if analysis.variant == "paper":
        found.append(
            Banner(
                "The paper's variant.",
                "The metrics follow the published formulas, known deviations included, to repeat "
                "published numbers. For decisions use the variant “standard”.",
            )
        )
    return tuple(found)


def _is_sample(items: pl.DataFrame) -> bool:
    for text in items["meta"].drop_nulls().head(1):
        try:
            meta = json.loads(text)
        except json.JSONDecodeError:
            return False
        return isinstance(meta, dict) and bool(meta.get("sample") or meta.get("illustration"))
    return False


def _contents(topics: bool, raters: bool, shelves: bool) -> tuple[tuple[str, str], ...]:
    every: Sequence[tuple[str, str, bool]] = (
        ("recommendations", "Recommendations", True),
        ("main-results", "Distance from the therapists", True),
        ("by-topic", "By topic", topics),
        ("profiles", "Profiles", True),
        ("correlations", "Correlations of profiles", True),
        ("raters-section", "Agreement among raters", raters),
        ("answers-section", "Refusals, cost and time", True),
        ("coverage-section", "What was missing", True),
        ("examples", "Examples to read", shelves),
        ("methods", "Methods", True),
        ("manifest", "Manifest", True),
        ("files", "Files", True),
    )
    return tuple((anchor, name) for anchor, name, there in every if there)


def _advice(found: Mapping[str, Any]) -> Advice:
    kind = str(found["kind"])
    topic = str(found.get("topic") or "all")
    return Advice(
        kind,
        _BADGES.get(kind, kind),
        topic_label(topic),
        readable(str(found["text"])),
        tuple(readable(str(e)) for e in found.get("evidence") or ()),
        overall=topic == "all",
    )


def _without_secrets(value: Any) -> Any:
    """Return a manifest in which the value of a key that names a secret is not shown."""
    if isinstance(value, Mapping):
        return {
            k: "(not shown)" if _SECRET.search(str(k)) and v else _without_secrets(v)
            for k, v in value.items()
        }
    if isinstance(value, list | tuple):
        return [_without_secrets(v) for v in value]
    return _IN_URL.sub("", value) if isinstance(value, str) else value
