import json
import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from attunement import tables
from attunement.counselbench import (
    band_analysis,
    experience_bands,
    rationale_words,
    scores,
    time_quartiles,
    with_attributes,
)
from attunement.counselbench.annotators import words_by_band
from attunement.counselbench.attributes import QUARTILES, unread_experience
from attunement.errors import UserError


def people(**attributes: dict) -> pl.DataFrame:
    return tables.conform(
        pl.DataFrame(
            {
                "rater": list(attributes),
                "kind": ["human"] * len(attributes),
                "attributes": [json.dumps(a) for a in attributes.values()],
            }
        ),
        "raters",
    )


@pytest.fixture
def simulated(make, ratings_of):
    """Twenty-four strict or lenient raters in two bands; each answer is rated by eight of them."""

    def build(seed: int, *, spread: float = 0.0, effect: float = 0.0):
        rng = np.random.default_rng(seed)
        band = rng.permutation(np.repeat([0, 1], 12))
        strict = rng.normal(0, spread, 24)
        rows = []
        for q in range(20):
            for r in rng.choice(24, 8, replace=False):
                for dimension in ("overall", "medical_advice"):
                    given = 3 + strict[r] + effect * band[r] + rng.normal(0, 0.7)
                    value = int(np.clip(round(given), 1, 5))
                    if dimension == "medical_advice":
                        value = "?" if rng.random() < 0.1 else int(given > 3.5)
                    rows.append(make(f"q{q}", "a", f"r{r}", dimension, value))
        return scores(ratings_of(rows)), {f"r{r}": ("x", "y")[band[r]] for r in range(24)}

    return build


def by_variant(bands):
    return {(t.group["dimension"], t.group["variant"]): t for t in bands.tests}


def test_time_falls_into_quartiles_of_annotators():
    raters = people(**{f"r{n}": {"minutes": n} for n in range(1, 9)}, idle={})
    bands = time_quartiles(raters)
    assert [bands[f"r{n}"] for n in range(1, 9)] == [q for q in QUARTILES for _ in range(2)]
    assert "idle" not in bands
    assert time_quartiles(people(r1={"minutes": "soon"})) == {}


@pytest.mark.parametrize(
    ("said", "band"),
    [
        (0.5, "under 1"),
        (1, "1-3"),
        ("2.5", "1-3"),
        (3, "3-5"),
        (10, "10+"),
        ("1–3 years", "1-3"),
        ("5 to 10 years", "5-10"),
        ("10+ years", "10+"),
        ("More than 10 years", "10+"),
        ("less than 1 year", "under 1"),
        ("less than a year", "under 1"),
        ("7 years", "5-10"),
        ("about 2.5", "1-3"),
    ],
)
def test_experience_falls_into_the_papers_bands(said, band):
    assert experience_bands(people(r={"experience": said})) == {"r": band}


def test_words_without_a_number_are_no_band_and_named():
    raters = people(r={"experience": "a lot"}, s={"experience": "3-5"}, t={})
    assert experience_bands(raters) == {"s": "3-5"}
    assert unread_experience(raters) == ["a lot"]


def test_attributes_come_from_a_plain_table_by_survey_or_rater():
    raters = people(**{"survey-6": {"survey_id": "6"}, "survey-7": {}})
    merged = with_attributes(raters, pl.DataFrame({"survey_id": ["6"], "minutes": ["82"]}))
    assert json.loads(merged["attributes"][0]) == {"survey_id": "6", "minutes": "82"}
    again = with_attributes(merged, people(**{"survey-7": {"experience": "10+"}}))
    assert experience_bands(again) == {"survey-7": "10+"}
    with pytest.raises(UserError, match="none of its annotators"):
        with_attributes(raters, pl.DataFrame({"rater": ["x"], "minutes": ["1"]}))
    with pytest.raises(UserError, match="no column 'rater' or 'survey_id'"):
        with_attributes(raters, pl.DataFrame({"name": ["x"]}))


def test_by_time_the_paper_variant_is_scipys_tests_on_answers_that_every_band_rated(simulated):
    given, bands = simulated(1, spread=0.5, effect=0.5)
    found = band_analysis(given, bands, "time", replicates=50)
    tests = by_variant(found)
    frame = given.frame.with_columns(band=pl.col("rater").replace_strict(bands))
    common = frame.filter(pl.col("band").n_unique().over("answer", "dimension") == 2)
    overall = common.filter(pl.col("dimension") == "overall")
    groups = [overall.filter(pl.col("band") == b)["value"].to_numpy() for b in "xy"]
    assert tests["overall", "paper"].p_value == pytest.approx(stats.kruskal(*groups).pvalue)
    # "Not sure" is a category of its own.
    advice = common.filter(pl.col("dimension") == "medical_advice").with_columns(
        pl.col("value").fill_null(9)
    )
    table = [
        [advice.filter(pl.col("band") == b, pl.col("value") == v).height for v in (9, 0, 1)]
        for b in "xy"
    ]
    theirs = stats.chi2_contingency(table, correction=False)
    assert tests["medical_advice", "paper"].p_value == pytest.approx(theirs.pvalue)
    assert found.answers == overall["answer"].n_unique()
    row = found.means.filter(pl.col("dimension") == "overall", pl.col("band") == "x").row(
        0, named=True
    )
    assert row["mean"] == pytest.approx(groups[0].mean())
    assert row["sd"] == pytest.approx(groups[0].std(ddof=1))


def test_by_experience_every_dimension_has_chi_squared_without_not_sure(simulated):
    given, bands = simulated(2, effect=0.5)
    found = band_analysis(given, bands, "experience", replicates=50)
    assert {t.name for t in found.tests} == {"chi_squared", "chi_squared_permutation"}
    advice = by_variant(found)["medical_advice", "paper"]
    unsure = found.means.filter(pl.col("dimension") == "medical_advice")["not_sure"].sum()
    ratings = found.means.filter(pl.col("dimension") == "medical_advice")["ratings"].sum()
    assert unsure > 0
    assert advice.n == ratings


def test_strict_raters_alone_make_the_paper_variant_reject_and_not_the_standard_one(simulated):
    p = {"paper": [], "standard": []}
    for seed in range(100):
        given, bands = simulated(seed, spread=1.0)
        tests = by_variant(band_analysis(given, bands, "time", replicates=99, seed=seed))
        for variant in p:
            p[variant].append(tests["overall", variant].p_value)
    rejected = {variant: np.mean(np.array(values) <= 0.05) for variant, values in p.items()}
    assert rejected["paper"] > 0.25
    assert rejected["standard"] < 0.12
    assert stats.kstest(p["standard"], "uniform").pvalue > 0.01


def test_a_known_difference_between_bands_is_found_by_both(simulated):
    given, bands = simulated(7, spread=0.2, effect=1.2)
    tests = by_variant(band_analysis(given, bands, "time", replicates=499))
    assert tests["overall", "paper"].p_value < 0.001
    assert tests["overall", "standard"].p_value < 0.01
    assert tests["overall", "standard"].p_adjusted >= tests["overall", "standard"].p_value


def test_small_bands_and_raters_without_one_are_left_out_and_said(simulated):
    given, bands = simulated(3)
    bands = dict(bands)
    bands["r0"] = "z"
    del bands["r1"]
    found = band_analysis(given, bands, "time", replicates=20)
    assert "Annotators without a band: 1." in found.notes
    assert "Band 'z' is left out: 1 annotators, fewer than 5." in found.notes
    with pytest.raises(UserError, match="only 0 bands"):
        band_analysis(given, {}, "time")
    with pytest.raises(UserError, match="not known"):
        band_analysis(given, bands, "mood")


def test_a_band_counts_those_who_rated_an_answer_that_every_band_rated(make, ratings_of):
    # Six annotators in each band; of "x" only three rated what the others rated too.
    rows = [
        make(f"q{n}", "a", f"{band}{n}", "overall", 1 + n % 4) for band in "yz" for n in range(6)
    ]
    rows += [make(f"q{n if n < 3 else 50 + n}", "a", f"x{n}", "overall", 2) for n in range(6)]
    given = scores(ratings_of(rows))
    bands = {f"{band}{n}": band for band in "xyz" for n in range(6)}
    found = band_analysis(given, bands, "time", replicates=20)
    assert (
        "Band 'x' is left out: 3 of its 6 annotators rated an answer that every band rated, "
        in (found.notes[0])
    )
    assert found.means["annotators"].to_list() == [6, 6]
    assert found.answers == 6


def test_words_are_counted_by_annotator_and_dimension(make, ratings_of):
    ratings = ratings_of(
        [
            make("q1", "a", "r1", "overall", 1, rationale="too short\nand cold"),
            make("q1", "a", "r1", "toxicity", 1, rationale="none"),
            make("q1", "a", "r2", "overall", 1, rationale="  "),
        ]
    )
    words = rationale_words(ratings)
    assert dict(words.filter(pl.col("rater") == "r1").select("dimension", "words").iter_rows()) == {
        "all": 5,
        "overall": 4,
        "toxicity": 1,
    }
    assert set(words["rater"]) == {"r1"}


def test_bands_that_wrote_more_are_found_with_one_number_an_annotator():
    words = pl.DataFrame(
        {
            "rater": [f"r{n}" for n in range(12)],
            "dimension": ["all"] * 12,
            "rationales": [1] * 12,
            "words": [*range(10, 16), *range(100, 106)],
        }
    )
    bands = {f"r{n}": "short" if n < 6 else "long" for n in range(12)}
    test = words_by_band(words, bands, "time")
    assert test is not None
    assert test.p_value == pytest.approx(stats.kruskal(range(10, 16), range(100, 106)).pvalue)
    assert words_by_band(words, {"r1": "short"}, "time") is None
    assert math.isfinite(test.statistic)
