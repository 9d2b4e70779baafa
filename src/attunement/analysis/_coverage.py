"""What was rated, and what is missing, by source and metric."""

from __future__ import annotations

from typing import Any

import polars as pl


def coverage(
    rated: pl.DataFrame,
    chosen: pl.DataFrame,
    answers: pl.DataFrame | None,
    metrics: list[str],
    sources: list[str],
    reference: str,
    inclusive: str,
) -> list[dict[str, Any]]:
    """Return how often each source and metric has which status, ``not_rated`` among them."""
    counted = (
        chosen.with_columns(
            status=pl.when((pl.col("status") == "ok") & pl.col("value").is_null())
            .then(pl.lit("no_value"))
            .otherwise(pl.col("status"))
        )
        .group_by("source", "dimension", "status", maintain_order=True)
        .agg(count=pl.len())
    )
    counts = {(s, d, status): c for s, d, status, c in counted.iter_rows()}
    other = rated.height - chosen.height
    rows: list[dict[str, Any]] = []
    given = rated.select("unit_id", "dimension").unique()
    for source in sources:
        for metric in metrics:
            statuses = {st: c for (s, d, st), c in counts.items() if (s, d) == (source, metric)}
            if answers is not None and not (metric == inclusive and source == reference):
                own = given.filter(dimension=metric)["unit_id"].implode()
                lacking = answers.filter(~pl.col("response_id").is_in(own), source=source).height
                if lacking:
                    statuses["not_rated"] = lacking
            rows += [
                {"source": source, "metric": metric, "status": s, "count": c}
                for s, c in statuses.items()
            ]
    if other:
        left = rated.join(
            chosen,
            on=["unit_id", "rater", "instrument", "dimension", "replicate", "round"],
            how="anti",
        )
        for s, d, c in (
            left.group_by("source", "dimension", maintain_order=True).agg(pl.len()).iter_rows()
        ):
            rows.append({"source": s, "metric": d, "status": "other_variant_or_round", "count": c})
    return rows
