"""The numbers of *nuance*: Tables 2 to 7 of the paper.

Tables 3 and 5 to 7 follow from the printed Tables 2 and 4. The gold-standard row of Table 2 follows
from CounselChat's answers; the paper does not say which version of the data it used, and the public
file's 2,129 answers come near to that row without repeating all of it.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

from attunement.reproduce.comparison import Comparison, published
from attunement.stats.correlation import normalize_paper, pearson, t_test
from attunement.stats.correlation_difference import paper_z

TITLE = "A Novel Nuanced Conversation Evaluation Framework for LLMs in Mental Health"

CATEGORY_2 = (
    "sentiment_change",
    "sentiment_slope",
    "simplicity",
    "recycling",
    "agreeability",
    "active_listening",
)
TOPICS = ("depression", "relationships", "anxiety", "intimacy", "parenting")
COUNSEL_CHAT = Path("data") / "counsel-chat" / "20200325_counsel_chat.csv"

FIVE_DECIMALS = 1e-5
SIMPLICITY_NOTE = (
    "The paper's simplicity is not a reading-ease score: it is the Kincaid grade of text that was "
    "not split into one sentence a line, so it mostly counts missing line breaks; the paper does "
    "not say which of CounselChat's versions it scored."
)
GOLD_NOTES = {
    "sentiment_change": (
        "Percentage change (answer - question)/|question| and its sign's limit where the question "
        "is 0. The paper does not say which of CounselChat's versions it scored."
    ),
    "sentiment_slope": "Split at every full stop, empty pieces kept, one piece counted as 0.5.",
    "simplicity": SIMPLICITY_NOTE,
    "recycling": "On the question's body; with its title the value is higher.",
}
FOUR_DECIMALS = 5e-5
Z_NOTE = (
    "Printed as Steiger's z, but every value is (r1 - r2)/sqrt(2(1 - r1 r2)/7), which is not his "
    "test; `standard` uses Steiger (1980) for dependent correlations."
)


def reproduce(data: Path | None = None) -> list[Comparison]:
    """Return Tables 2 (gold-standard row, where the data are given) and 3, 5, 6 and 7."""
    rows = [] if data is None else gold_row(data / COUNSEL_CHAT)
    return rows + table_3() + table_5() + tables_6_and_7()


def gold_row(path: Path) -> list[Comparison]:
    """Return the gold-standard row of Table 2: the `paper` text metrics on CounselChat's answers.

    Parameters
    ----------
    path
        CounselChat's CSV file of 2020.
    """
    from attunement.reproduce.counselchat import paper_means

    printed = next(r for r in published("nuance_table2") if r["model"] == "GS")
    return [
        Comparison(
            where="Table 2",
            row="GS",
            column=metric,
            published=float(printed[metric]),
            computed=mean,
            tolerance=FOUR_DECIMALS,
            n=n,
            note=GOLD_NOTES[metric],
        )
        for metric, (mean, n) in paper_means(path).items()
    ]


def table_3() -> list[Comparison]:
    """Return Pearson's r and its p value of each model with the gold standard, from Table 2."""
    profiles = {
        row["model"]: normalize_paper({m: float(row[m]) for m in CATEGORY_2})
        for row in published("nuance_table2")
    }
    gold = profiles.pop("GS")
    rows = []
    for row in published("nuance_table3"):
        profile = profiles[row["model"]]
        found = pearson([profile[m] for m in CATEGORY_2], [gold[m] for m in CATEGORY_2])
        for column, computed in (("pearson", found.estimate), ("p_value", found.p_value)):
            rows.append(
                Comparison(
                    where="Table 3",
                    row=row["model"],
                    column=column,
                    published=float(row[column]),
                    computed=computed,
                    tolerance=FIVE_DECIMALS,
                    n=found.n,
                )
            )
    return rows


def table_5() -> list[Comparison]:
    """Return the p value of each correlation of Table 4, six points each."""
    correlations = {row["model"]: row for row in published("nuance_table4")}
    return [
        Comparison(
            where="Table 5",
            row=row["model"],
            column=topic,
            published=float(row[topic]),
            computed=t_test(float(correlations[row["model"]][topic]), len(CATEGORY_2))[1],
            tolerance=FIVE_DECIMALS,
            n=len(CATEGORY_2),
        )
        for row in published("nuance_table5")
        for topic in TOPICS
    ]


def tables_6_and_7() -> list[Comparison]:
    """Return the z of each pair of topics, from the correlations of Table 4."""
    correlations = {row["model"]: row for row in published("nuance_table4")}
    rows = []
    for row in published("nuance_table67"):
        model = correlations[row["model"]]
        for place, (first, second) in enumerate(combinations(TOPICS, 2)):
            column = f"{first}:{second}"
            rows.append(
                Comparison(
                    where="Table 6" if place < 5 else "Table 7",
                    row=row["model"],
                    column=column,
                    published=float(row[column]),
                    computed=paper_z(float(model[first]), float(model[second])),
                    tolerance=FIVE_DECIMALS,
                    n=len(CATEGORY_2),
                    note=Z_NOTE,
                )
            )
    return rows
