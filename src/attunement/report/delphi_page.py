"""The page on a Delphi round: what the panel said, what was decided, and why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from attunement.delphi import Outcome, PanelRound, aligned
from attunement.report import delphi_figures as figures
from attunement.report import delphi_tables as tables
from attunement.report.cells import Table
from attunement.report.formats import one_line
from attunement.report.page import Banner
from attunement.report.picture import Figure
from attunement.report.sheet import Note, Section, Sheet, results_table, sheet, write_sheet
from attunement.stats.bootstrap import FEW

_LIMITS = (
    (
        "Not a clinical validation.",
        "Experts found these items relevant. Whether they measure what they name, and whether the "
        "scale says anything of people's wellbeing, takes people who used a chatbot.",
    ),
    (
        "Not the truth about an item.",
        "Consensus is agreement among those who were asked. Another panel, other thresholds or "
        "another wording can keep other items.",
    ),
    (
        "Not reliability.",
        "Nothing here says how consistently people will answer. That is what 'attunement "
        "reliability' is for, once they did.",
    ),
    (
        "Not a license to deploy.",
        "A chatbot is not safe because its questionnaire was made with care.",
    ),
)


def write_delphi_report(
    folder: str | Path,
    outcome: Outcome,
    *,
    before: PanelRound | None = None,
    title: str | None = None,
) -> Path:
    """Write the page, and every table as CSV and every figure as SVG and PNG beside it.

    The page is one file that asks for nothing from anywhere; the same input gives the same bytes.

    Parameters
    ----------
    folder
        Made where it does not exist; files of the same names are replaced.
    outcome
        What `attunement.delphi.decide` found.
    before
        The round before, for what changed; items are matched by wording, else by id.
    title
        Heading; by default the round's number.

    Returns
    -------
    Path
        The page.

    """
    if before is not None:
        before, _ = aligned(before, outcome.round)
    return write_sheet(folder, _page(outcome, before, title))


def _page(outcome: Outcome, before: PanelRound | None, title: str | None) -> Sheet:
    panel = outcome.round
    return sheet(
        kind="Delphi panel",
        title=title or f"Delphi round {panel.number}: what the panel said and what stays",
        summary=_summary(outcome),
        facts=_facts(outcome),
        banners=_banners(panel),
        hero=figures.decided(outcome),
        sections=[
            _decisions(outcome),
            Section(
                "relevance-section",
                "Relevance",
                blocks=_there(
                    figures.thresholds(outcome),
                    figures.ratings(outcome),
                    tables.statistics(outcome),
                ),
            ),
            Section("priorities-section", "Priorities", blocks=_there(figures.priority(outcome))),
            Section(
                "redundancy-section",
                "Redundancy",
                blocks=_there(figures.redundancy(outcome), tables.overlaps(outcome)),
            ),
            Section(
                "change-section",
                "Change between rounds",
                blocks=_there(figures.change(outcome, before), tables.stability(outcome, before)),
            ),
            Section(
                "translation-section", "Translation", blocks=_there(tables.translation(outcome))
            ),
            Section("refined-section", "What is left", blocks=(tables.outcome_items(outcome),)),
            Section(
                "comments",
                "What the experts wrote",
                "Word for word, without names. Check that no comment tells who wrote it before "
                "the page is passed on.",
                notes=tuple(_notes(panel)),
            ),
            Section("reading", "How the table was read", said=(*panel.notes, *panel.warnings)),
            Section(
                "numbers",
                "Signatures",
                blocks=(results_table("statistics", "Every number", outcome.results()),),
            ),
        ],
        limits=_LIMITS,
        methods=_methods(outcome, before),
        after="Add-Modify-Drop after “CES-LCC” (Bolpagni and Gabrielli 2025, Informatics 12, 33).",
    )


def _there(*blocks: Table | Figure | None) -> tuple[Table | Figure, ...]:
    return tuple(b for b in blocks if b is not None)


def _summary(outcome: Outcome) -> list[str]:
    panel = outcome.round
    experts = f"{len(panel.experts)} experts judged " if panel.experts else "A panel judged "
    n = len(panel.dimensions)
    of = f" in {n} dimensions" if n > 1 else ""
    said = [f"{experts}{len(panel.items)} items{of}."]
    undecided = len(outcome.with_action("undecided"))
    open_ = f"; {undecided} of those that stay are undecided" if undecided else ""
    said.append(
        f"{tables.shares(outcome)}{open_}. The refined scale has {len(outcome.items)} items."
    )
    return said


def _facts(outcome: Outcome) -> list[str]:
    t = outcome.thresholds
    return [
        f"round {outcome.round.number}",
        f"agreement at least {t.agreement:g}\u00a0%",
        f"mean at least {t.mean:g}",
        f"interquartile range below {t.iqr:g}",
        "" if outcome.redundancy is None else f"at most {outcome.redundancy.estimate:g} flags",
        f"at least {outcome.minimum} items a dimension" if outcome.minimum else "",
    ]


def _banners(panel: PanelRound) -> list[Banner]:
    if not panel.experts:
        return [
            Banner(
                "Summarized.",
                "The table says what the panel said together. Distributions, change and "
                "most intervals need what each expert said.",
            )
        ]
    if len(panel.experts) < FEW:
        return [
            Banner(
                "A small panel.",
                f"{len(panel.experts)} experts: one answer moves agreement by "
                f"{100 / len(panel.experts):.0f} points.",
            )
        ]
    return []


def _decisions(outcome: Outcome) -> Section:
    what = figures.actions(outcome)
    said = [
        f"{d.item.id}: the thresholds say {d.by_rule}, the owner says {what[d.item.id]}: "
        + "; ".join(r.text for r in d.reasons)
        for d in outcome.decisions
        if d.departs
    ]
    return Section(
        "decisions-section",
        "Decisions",
        said=(*outcome.warnings, *said),
        blocks=(tables.decisions(outcome),),
    )


def _notes(panel: PanelRound) -> Iterator[Note]:
    for s in panel.summaries:
        name = f"{s.item.id}: {one_line(s.item.text, 90)}" if s.item.wording else s.item.id
        texts = (*s.comments, *(f"Suggested translation: {t}" for t in s.suggestions))
        if texts:
            yield Note(f"{name} ({len(texts)})", texts)


def _methods(outcome: Outcome, before: PanelRound | None) -> str:
    t, panel = outcome.thresholds, outcome.round
    who = f"{len(panel.experts)} experts" if panel.experts else "A panel"
    said = [
        f"{who} rated the relevance of {len(panel.items)} items from {panel.scale.low} to "
        f"{panel.scale.high} in round {panel.number}. An item stayed with an agreement (share of "
        f"ratings of {panel.scale.agrees_from} or more) of at least {t.agreement:g} %, a mean of "
        f"at least {t.mean:g} and an interquartile range (linear interpolation) below {t.iqr:g}.",
    ]
    if outcome.redundancy is not None:
        said.append(
            f"More than {outcome.redundancy.estimate:g} flags of redundancy "
            f"({outcome.redundancy.method}) dropped an item"
            + (
                f", unless its dimension would have had fewer than {outcome.minimum} items."
                if outcome.minimum
                else "."
            )
        )
    by_owner = sum(d.by == "owner" for d in outcome.decisions) + len(outcome.additions)
    if by_owner:
        said.append(
            f"{by_owner} decisions are the owner's, made on the experts' comments and marked so."
        )
    if before is not None and outcome.stability:
        said.append(
            f"Stability since round {before.number} is the share of ratings unchanged and weighted "
            "kappa, over the experts and items of both."
        )
    return " ".join(said)
