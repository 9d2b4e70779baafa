from collections.abc import Callable
from dataclasses import replace
from typing import Any

import polars as pl

from attunement.report import paper_tables, record_tables, tables
from attunement.report.cells import Table


def texts(table: Table) -> list[list[str]]:
    return [[c.text for c in row] for row in table.rows]


def heads(table: Table) -> list[str]:
    return [c.name for c in table.columns]


def test_the_ranking_ends_with_the_yardstick(small: Any) -> None:
    found = texts(tables.ranking(small.analysis))
    assert [row[0] for row in found] == [
        "attuned",
        "verbose",
        "cold",
        "Therapists among themselves",
    ]
    assert [row[2] for row in found] == ["1", "2", "3", "yardstick"]


def test_distances_are_in_the_metric_s_units_with_standard_deviations_below(small: Any) -> None:
    table = tables.distances(small.analysis)
    where = {"source": "cold", "topic": "all", "metric": "simplicity"}
    row = small.analysis.distance.filter(**where).row(0, named=True)
    cell = table.rows[2][heads(table).index("Simplicity")]
    assert cell.text == f"{row['estimate']:.1f}"
    assert f"{row['standardized']:.2f} sd" in cell.below
    assert "n 18" in cell.below


def test_what_is_not_told_apart_is_not_called_close(small: Any) -> None:
    table = tables.comparisons(small.analysis)
    frame = small.analysis.comparisons.filter(pl.col("topic") == "all")
    readings = [row[-1].text for row in (*table.rows, *table.folded)]
    assert readings.count("not told apart") == frame["closer"].null_count()
    assert not any("equal" in r or "same" in r for r in readings)


def test_equivalence_has_three_answers_and_a_reason_where_there_is_none(small: Any) -> None:
    table = tables.equivalence(small.analysis)
    found = {c.text for row in table.rows for c in row[1:]}
    assert found <= {"equivalent", "different", "not shown", "–"}
    assert table.rows[0][1].text == "–"
    assert table.notes[0][1] == "the metric is a distance itself and has no sign"


def test_without_a_yardstick_nothing_is_called_equivalent(study: Callable[..., Any]) -> None:
    table = tables.equivalence(study(therapists=False).analysis)
    assert {c.text for row in table.rows for c in row[1:]} == {"–"}
    assert "no yardstick" in [reason for _, reason in table.notes]


def test_topics_beyond_the_largest_are_folded(study: Callable[..., Any]) -> None:
    many = study(topics=12, per_topic=2)
    table = tables.topics(many.analysis, many.analysis.topics)
    assert (len(table.rows), len(table.folded)) == (8, 4)
    assert table.folded_label == "4 more topics"
    assert table.frame["topic"].n_unique() == 12


def test_the_profile_is_the_paper_s_table_2_with_intervals_and_n(small: Any) -> None:
    table = paper_tables.profile(small.analysis)
    assert [row[0].text for row in table.rows] == [
        "Reference answer",
        "Other therapists",
        "attuned",
        "verbose",
        "cold",
    ]
    assert table.rows[0][1].text == "–"
    assert table.rows[2][1].below[-1] == "n 24"


def test_correlations_and_p_values_by_topic_are_two_tables(small: Any) -> None:
    analysis = small.analysis
    r, p = paper_tables.similarity_by_topic(analysis, analysis.topics)
    where = {"topic": "grief and loss", "method": "pearson", "source": "cold"}
    row = analysis.similarity.filter(**where).row(0, named=True)
    assert texts(r)[-1][-1] == f"{row['estimate']:.3f}"
    assert texts(p)[-1][-1] == f"{row['p_value']:.3f}"
    assert (r.paper, p.paper) == ("Table 4", "Table 5")


def test_tables_of_correlations_are_marked_as_descriptive(small: Any) -> None:
    analysis = small.analysis
    made = [
        paper_tables.similarity(analysis),
        *paper_tables.similarity_by_topic(analysis, analysis.topics),
        paper_tables.between_topics(analysis, analysis.topics),
        paper_tables.between_models(analysis),
    ]
    assert {t.descriptive for t in made if t} == {"Descriptive: six points are few."}
    assert tables.distances(analysis).descriptive == ""


def test_every_comparison_of_correlations_names_its_method(small: Any) -> None:
    table = paper_tables.between_topics(small.analysis, small.analysis.topics)
    assert table is not None
    methods = {row[0].below[0] for row in (*table.rows, *table.folded)}
    assert methods == {"Fisher, independent", "Steiger 1980, no overlap"}


def test_the_page_says_what_the_paper_s_variant_is(small: Any) -> None:
    tests = small.analysis.correlation_tests.with_columns(method=pl.lit("paper"))
    table = paper_tables.between_models(replace(small.analysis, correlation_tests=tests))
    assert table is not None
    assert table.rows[0][0].below == ("as published",)


def test_the_sources_in_words_follow_from_the_numbers(small: Any) -> None:
    said = {row[0].text: row[1].text for row in paper_tables.in_words(small.analysis).rows}
    assert "rank 3 of 3" in said["cold"]
    assert "farther than" in said["cold"]
    assert "closer to the reference than verbose, cold" in said["attuned"]


def test_a_source_that_is_not_ranked_has_its_distance_all_the_same(small: Any) -> None:
    unranked = pl.when(pl.col("source") == "cold").then(None).otherwise("estimate")
    ranking = small.analysis.ranking.with_columns(estimate=unranked)
    found = replace(small.analysis, ranking=ranking)
    said = {row[0].text: row[1].text for row in paper_tables.in_words(found).rows}
    assert "Mean standardized distance" in said["cold"]
    assert "items: not ranked" in said["cold"]


def test_coverage_counts_what_is_missing_by_status(small: Any) -> None:
    table = record_tables.coverage(small.analysis)
    row = next(r for r in table.rows if r[0].text == "cold")
    cell = row[heads(table).index("Simplicity")]
    assert (cell.text, cell.below) == ("18", ("6 not applicable",))


def test_reasons_of_missing_values_are_counted(small: Any) -> None:
    table = record_tables.missing_reasons(small.ratings)
    assert table is not None
    first = texts(table)[0]
    assert first[:3] == ["Simplicity", "not applicable", "100 words or fewer"]
    assert first[-1] == "36"


def test_no_missing_value_means_no_table_of_reasons(small: Any) -> None:
    assert record_tables.missing_reasons(small.ratings.filter(status="ok")) is None


def test_the_cost_of_a_thousand_answers_follows_from_the_run(small: Any) -> None:
    table = record_tables.costs(small.analysis)
    row = next(r for r in texts(table) if r[0] == "attuned")
    # 24 answers at 0.0004 USD each.
    assert row[-2:] == ["$0.0096", "$0.40"]


def test_refusals_have_a_share_and_an_interval(small: Any) -> None:
    row = next(r for r in record_tables.answers(small.analysis).rows if r[0].text == "attuned")
    # Wilson's interval for 0 of 24: 0 to 1.96^2 / (24 + 1.96^2) = 0.138.
    assert row[2].below == ("0\u00a0% [0\u00a0%, 14\u00a0%]",)
