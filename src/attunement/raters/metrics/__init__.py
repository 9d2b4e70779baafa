"""Automatic metrics, one file each; `score` rates a frame and `score_file` a file."""

from attunement.raters.metrics.base import (
    INSTRUMENT,
    RESPONSE_METRICS,
    VARIANTS,
    Batch,
    Metric,
    Score,
    Variant,
)
from attunement.raters.metrics.files import Plan, score_file
from attunement.raters.metrics.items import Items
from attunement.raters.metrics.rbo import rbo, tie_groups
from attunement.raters.metrics.registry import METRICS, choose, metrics, named
from attunement.raters.metrics.scoring import Scorer, score
from attunement.raters.metrics.summary import Summary

__all__ = [
    "INSTRUMENT",
    "METRICS",
    "RESPONSE_METRICS",
    "VARIANTS",
    "Batch",
    "Items",
    "Metric",
    "Plan",
    "Score",
    "Scorer",
    "Summary",
    "Variant",
    "choose",
    "metrics",
    "named",
    "rbo",
    "score",
    "score_file",
    "tie_groups",
]
