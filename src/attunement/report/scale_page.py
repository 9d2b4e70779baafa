"""The page on a scale: how reliable it is, which item makes it weak, and what that rests on."""

from __future__ import annotations

import math
from pathlib import Path

from attunement.psychometrics import OVERALL, Answers, Report, Scale, sentences
from attunement.psychometrics.reasons import why_undefined
from attunement.psychometrics.structure import FEW as FEW_FOR_FACTORS
from attunement.report import scale_figures as figures
from attunement.report import scale_tables as tables
from attunement.report.cells import Table
from attunement.report.page import Banner
from attunement.report.picture import Figure
from attunement.report.sheet import Section, Sheet, results_table, sheet, write_sheet
from attunement.stats.item_moments import moments
from attunement.stats.parallel_analysis import ParallelAnalysis, parallel_analysis

_LIMITS = (
    (
        "Not a clinical validation.",
        "Reliable answers are consistent answers. They do not say that the scale measures what it "
        "names, or that anyone was helped.",
    ),
    (
        "Not validity.",
        "That takes other measures of the same thing, other groups and time. Alpha says nothing of "
        "whether a scale measures one thing, and few factors do not say which.",
    ),
    (
        "Not a license to deploy.",
        "A chatbot that scores well on a reliable scale can still fail a person in a crisis. That "
        "needs its own tests, and people who answer for them.",
    ),
    (
        "Not a verdict on an item.",
        "What weakens a scale in these answers may matter in what it asks. Read the item before "
        "leaving it out, and look at new answers after.",
    ),
)


def write_scale_report(
    folder: str | Path,
    report: Report,
    answers: Answers,
    *,
    title: str | None = None,
    replicates: int = 500,
    seed: int = 1,
) -> Path:
    """Write the page, and every table as CSV and every figure as SVG and PNG beside it.

    The page is one file that asks for nothing from anywhere; the same input gives the same bytes.

    Parameters
    ----------
    folder
        Made where it does not exist; files of the same names are replaced.
    report
        What `attunement.psychometrics.report` found.
    answers
        What it was made from.
    title
        Heading; by default the scale's name.
    replicates, seed
        Of the parallel analysis.

    Returns
    -------
    Path
        The page.

    """
    return write_sheet(folder, _page(report, answers, title, replicates, seed))


def _page(report: Report, answers: Answers, title: str | None, replicates: int, seed: int) -> Sheet:
    scale = answers.scale
    said = sentences(report, scale)
    parallel, no_factors = _factors(report, answers, replicates, seed)
    return sheet(
        kind="reliability of a scale",
        title=title or _title(scale),
        summary=_summary(report, said),
        facts=_facts(report, answers),
        banners=_banners(report),
        hero=figures.alphas(report),
        sections=[
            Section(
                "weak",
                "What is weak, and which item does it",
                said=(*said, *tables.undefined(report)),
            ),
            _reliability(report),
            _items(report, answers),
            _between(report, answers),
            _extremes(report),
            _structure(parallel, no_factors),
            Section(
                "reading",
                "How the answers were read",
                said=tuple(report.notes),
            ),
            Section(
                "numbers",
                "Signatures",
                blocks=(results_table("statistics", "Every number", report.results()),),
            ),
        ],
        limits=_LIMITS,
        methods=_methods(report, answers, parallel),
        after="Table 3 after “CES-LCC” (Bolpagni and Gabrielli 2025, Informatics 12, 33).",
    )


def _title(scale: Scale) -> str:
    return "Reliability" if scale.name == "items" else f"Reliability of {scale.name}"


def _summary(report: Report, said: list[str]) -> list[str]:
    parts = [p for p in report.parts if p.id != OVERALL]
    n_items = len({i for p in report.parts for i in p.items})
    people = f"{report.n_respondents:,} respondent{'' if report.n_respondents == 1 else 's'}"
    of = f", in {len(parts)} subscales" if len(parts) > 1 else ""
    return [f"{people} answered {n_items} items{of}.", *said[:1]]


def _facts(report: Report, answers: Answers) -> list[str]:
    sources = sorted({s for s in answers.sources if s})
    return [
        f"missing answers: {report.missing}",
        f"about {len(sources)} chatbots" if len(sources) > 1 else "".join(sources),
    ]


def _banners(report: Report) -> list[Banner]:
    if report.n_respondents >= FEW_FOR_FACTORS:
        return []
    return [
        Banner(
            "Few respondents.",
            f"{report.n_respondents:,} answered. Read intervals, not estimates; below "
            f"{FEW_FOR_FACTORS} nothing should be made of factors.",
        )
    ]


def _reliability(report: Report) -> Section:
    blocks: list[Table | Figure] = [tables.paper_layout(report), tables.coefficients(report)]
    whole = tables.hierarchy(report)
    return Section("reliability", "Reliability", blocks=(*blocks, *([whole] if whole else [])))


def _items(report: Report, answers: Answers) -> Section:
    bars = figures.distributions(report, answers)
    blocks: list[Table | Figure] = [figures.item_totals(report), tables.items(report)]
    return Section("items-section", "Items", blocks=(*blocks, *([bars] if bars else [])))


def _between(report: Report, answers: Answers) -> Section:
    r = moments(answers.values, report.missing).correlation
    pairs = tables.pairs(report, answers, r)
    heat = figures.inter_item(report, answers, r)
    return Section("between", "Between items", blocks=(heat, *([pairs] if pairs else [])))


def _extremes(report: Report) -> Section:
    return Section("extremes", "Floor and ceiling", blocks=(figures.extremes(report),))


def _factors(
    report: Report, answers: Answers, replicates: int, seed: int
) -> tuple[ParallelAnalysis | None, str]:
    """Return the parallel analysis, or why there is none."""
    reason = why_undefined(answers.values, answers.items, report.missing)
    if reason is None:
        try:
            found = parallel_analysis(
                answers.values, missing=report.missing, replicates=replicates, seed=seed
            )
            return found, ""
        except ValueError as error:
            reason = str(error)
    return None, f"There is no parallel analysis: {reason}."


def _structure(parallel: ParallelAnalysis | None, why: str) -> Section:
    lead = (
        "How many things the answers measure. Which items go together, and whether the scale's own "
        "plan fits, is what 'attunement scale structure' says."
    )
    if parallel is None:
        return Section("structure", "How many factors", lead, said=(why,))
    blocks = (figures.scree(parallel), tables.eigenvalues(parallel))
    return Section("structure", "How many factors", lead, blocks=blocks)


def _methods(report: Report, answers: Answers, parallel: ParallelAnalysis | None) -> str:
    level = report.parts[0].reliability.alpha.ci_level
    of = "" if answers.scale.name == "items" else f" of {answers.scale.name}"
    resampled = any(math.isfinite(p.reliability.standardized_alpha.ci_low) for p in report.parts)
    drawn = (
        "percentile intervals of a bootstrap over respondents" if resampled else "no interval here"
    )
    turned = sorted(answers.scale.reversed & set(answers.items), key=answers.items.index)
    said = [
        f"{report.n_respondents:,} respondents answered {len(answers.items)} items{of}; missing "
        f"answers were handled {report.missing}.",
        f"Reversed items ({', '.join(turned)}) were turned round before." if turned else "",
        f"Cronbach's alpha has Feldt's {100 * level:g} % interval, corrected item-total "
        "correlations Fisher's, floor and ceiling Wilson's; standardized alpha, McDonald's omega "
        "total, Guttman's lambda 6, split-half reliability (odd against even items) and the "
        f"standard error of measurement have {drawn}.",
    ]
    if report.hierarchy:
        said.append(
            "Omega hierarchical comes from a Schmid-Leiman transformation of oblique factors."
        )
    if parallel is not None:
        said.append(
            "The number of factors was judged by parallel analysis on answers shuffled within "
            f"items ({100 * parallel.quantile:g} % quantile)."
        )
    return " ".join(s for s in said if s)
