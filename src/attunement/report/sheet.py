"""A page of parts: what the pages on scales and on Delphi rounds are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import polars as pl

from attunement.report import files
from attunement.report.cells import Cell, Column, Table
from attunement.report.formats import count, readable
from attunement.report.page import Banner
from attunement.report.picture import Figure
from attunement.stats.result import Result


@dataclass(frozen=True)
class Note:
    """Texts under one heading, folded away: what people wrote."""

    heading: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """One part of the page.

    Parameters
    ----------
    id, title
        Anchor and heading.
    lead
        What it is about.
    said
        Sentences that follow from the numbers.
    blocks
        Tables and figures, in order.
    notes
        Texts to unfold.

    """

    id: str
    title: str
    lead: str = ""
    said: tuple[str, ...] = ()
    blocks: tuple[Table | Figure, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def there(self) -> bool:
        """Whether it holds anything."""
        return bool(self.said or self.blocks or self.notes)


@dataclass(frozen=True)
class Sheet:
    """What the template receives.

    Parameters
    ----------
    kind, title
        What sort of report it is, and its heading.
    summary, facts, banners, hero
        The first screen.
    sections
        The parts; those that hold nothing are left out.
    limits
        What the page is not: a few words and the sentence that explains them.
    methods
        A paragraph to paste.
    after
        Where the procedure comes from.
    version, css, script, policy
        Of Attunement; inlined style and script, and the policy that allows just these.

    """

    kind: str
    title: str
    summary: tuple[str, ...]
    facts: tuple[str, ...]
    banners: tuple[Banner, ...]
    hero: Figure | None
    sections: tuple[Section, ...]
    limits: tuple[tuple[str, str], ...]
    methods: str
    after: str
    version: str
    css: str
    script: str
    policy: str

    @property
    def tables(self) -> tuple[Table, ...]:
        """Every table of the page, in order."""
        return tuple(b for b in self._blocks() if isinstance(b, Table))

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Every figure of the page, in order."""
        return tuple(b for b in self._blocks() if isinstance(b, Figure))

    def _blocks(self) -> Iterator[Table | Figure]:
        if self.hero is not None:
            yield self.hero
        for section in self.sections:
            yield from section.blocks


def sheet(
    *,
    kind: str,
    title: str,
    summary: Sequence[str],
    facts: Sequence[str],
    banners: Sequence[Banner],
    hero: Figure | None,
    sections: Iterable[Section],
    limits: Sequence[tuple[str, str]],
    methods: str,
    after: str,
) -> Sheet:
    """Return a page with its style and script; empty sections are left out."""
    css, script = files.assets()
    return Sheet(
        kind=kind,
        title=readable(title).strip(),
        summary=tuple(summary),
        facts=(*(f for f in facts if f), f"Attunement {version('attunement')}"),
        banners=tuple(banners),
        hero=hero,
        sections=tuple(s for s in sections if s.there),
        limits=tuple(limits),
        methods=methods,
        after=after,
        version=version("attunement"),
        css=css,
        script=script,
        policy=files.policy(css, script),
    )


def write_sheet(folder: str | Path, page: Sheet) -> Path:
    """Write the page, its tables and its figures; return where the page is."""
    html = files.render("sheet.html.j2", page)
    return files.write_page(folder, html, page.tables, page.figures)


def results_table(id: str, title: str, results: Sequence[Result]) -> Table:
    """Return the signatures of results: one of each statistic on the page, all in the file."""
    rows = [
        {
            "statistic": r.name,
            "group": " ".join(r.group.values()),
            "estimate": r.estimate,
            "ci_low": r.ci_low,
            "ci_high": r.ci_high,
            "ci_level": r.ci_level,
            "n": r.n,
            "n_missing": r.n_missing,
            "method": r.method,
            "reason": r.reason,
            "signature": r.signature,
        }
        for r in results
    ]
    first: dict[str, Result] = {}
    for r in results:
        if r.signature:
            first.setdefault(r.name, r)
    kinds: dict[str, type[pl.DataType]] = {"n": pl.Int64, "n_missing": pl.Int64}
    numbers = ("estimate", "ci_low", "ci_high", "ci_level")
    kinds |= dict.fromkeys(numbers, pl.Float64)
    names = ("statistic", "group", *numbers, "n", "n_missing", "method", "reason", "signature")
    return Table(
        id,
        title,
        "How each number was made, and what someone else needs to get the same: name, version, "
        "parameters, seed and a hash of the input. One of each kind; every number is in the CSV "
        "file.",
        (
            Column("Statistic", False),
            Column("Method", False),
            Column("Signature", False),
            Column("Numbers"),
        ),
        tuple(
            (
                Cell(name.replace("_", " ").capitalize()),
                Cell(r.method, kind="words"),
                Cell(r.signature, kind="words"),
                Cell(count(sum(1 for other in results if other.name == name))),
            )
            for name, r in first.items()
        ),
        pl.DataFrame(rows, schema={name: kinds.get(name, pl.String) for name in names}),
    )
