from collections.abc import Callable
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

from attunement.report import figures, plots

IDS = [
    "overview",
    "distance_by_metric",
    "ranks",
    "distance_by_topic",
    "profile_by_metric",
    "significance_by_topic",
    "z_scores",
]


@pytest.fixture(scope="module")
def drawn(small: Any) -> dict[str, figures.Figure]:
    return figures.draw_all(small.analysis, small.analysis.topics)


def test_every_figure_is_drawn_as_svg_png_and_for_two_widths(
    drawn: dict[str, figures.Figure],
) -> None:
    assert list(drawn) == IDS
    for figure in drawn.values():
        assert figure.png.startswith(b"\x89PNG")
        assert ElementTree.fromstring(figure.svg).tag.endswith("svg")
        widths = [
            float(ElementTree.fromstring(s).attrib["width"]) for s in (figure.wide, figure.narrow)
        ]
        assert widths == pytest.approx([7.6 * 96, 3.4 * 96], abs=1)


def test_the_main_picture_says_in_words_what_it_shows(
    drawn: dict[str, figures.Figure], small: Any
) -> None:
    row = small.analysis.ranking.filter(topic="all", source="cold").row(0, named=True)
    said = f"cold {row['estimate']:.2f} [{row['ci_low']:.2f}, {row['ci_high']:.2f}]"
    assert said in drawn["overview"].label
    assert "the yardstick" in drawn["overview"].label


def test_correlation_figures_are_marked_as_descriptive(drawn: dict[str, figures.Figure]) -> None:
    marked = {k for k, f in drawn.items() if f.descriptive}
    assert marked == {"significance_by_topic", "z_scores"}
    assert drawn["z_scores"].descriptive == "Descriptive: six points are few."


def test_without_other_therapists_the_picture_says_that_there_is_no_yardstick(
    study: Callable[..., Any],
) -> None:
    alone = study(sources=["only"], topics=1, per_topic=6, therapists=False)
    found = figures.draw_all(alone.analysis, alone.analysis.topics)
    assert "There is no yardstick" in found["overview"].caption
    assert "ranks" not in found
    assert "z_scores" not in found


def test_a_missing_value_is_written_and_not_drawn_at_zero(small: Any) -> None:
    hidden = (pl.col("metric") == "simplicity") & (pl.col("source") == "cold")
    distance = small.analysis.distance.with_columns(
        pl.when(hidden).then(None).otherwise(pl.col(c)).alias(c)
        for c in ("estimate", "ci_low", "ci_high")
    )
    figure = figures.by_metric(replace(small.analysis, distance=distance))
    assert "not available" in figure.svg
    assert "cold –" in figure.label


def test_only_the_largest_topics_are_drawn(study: Callable[..., Any]) -> None:
    many = study(topics=12, per_topic=2)
    figure = figures.by_topic(many.analysis, many.analysis.topics)
    assert figure is not None
    assert figure.svg.count("Topic 2") == 0
    assert "the 8 topics with the most questions of 12" in figure.caption


def test_long_names_are_cut_in_the_middle_so_that_their_ends_tell_them_apart() -> None:
    cut = [plots.fitted(f"gpt-3.5-turbo-instruct-{n}", 1.0) for n in ("0613", "1106")]
    assert cut[0] != cut[1]
    assert all(plots.text_width(c) <= 1.0 for c in cut)
