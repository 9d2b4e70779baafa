"""The text metrics of *nuance* on CounselChat's therapists' answers, as the paper computed them."""

from __future__ import annotations

from pathlib import Path

import polars as pl

METRICS = ("sentiment_change", "sentiment_slope", "simplicity", "recycling")


def paper_means(path: Path) -> dict[str, tuple[float, int]]:
    """Return the mean of each text metric over all answers, and the n it rests on.

    Every row counts, uncleaned, with the question's body as the question: that is what comes
    nearest to the printed row. Answers of 100 words or fewer have no simplicity.

    Parameters
    ----------
    path
        CounselChat's CSV file of 2020.
    """
    from attunement.datasets import raw_answers
    from attunement.raters.metrics import score

    raw = raw_answers(path)
    responses = pl.DataFrame(
        {
            "item_id": raw["question_id"],
            "source": pl.Series(["therapist"] * raw.height),
            "candidate": pl.int_range(raw.height, eager=True),
            "text": raw["answer"],
            "question": raw["question"],
        }
    )
    ratings = score(responses, metrics=METRICS, variant="paper").filter(pl.col("value").is_finite())
    means = ratings.group_by("dimension").agg(mean=pl.col("value").mean(), n=pl.len())
    found = {d: (float(mean), int(n)) for d, mean, n in means.iter_rows()}
    return {metric: found[metric] for metric in METRICS}
