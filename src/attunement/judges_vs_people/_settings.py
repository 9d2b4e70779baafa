"""What a comparison of judges with people was asked for."""

from __future__ import annotations

from dataclasses import dataclass

from attunement.stats.alt_test import EPSILON, FDR, MIN_ITEMS, MIN_PEOPLE

REPLICATES = 2000


@dataclass(frozen=True)
class Settings:
    """What `compare_judges` was asked for; see there."""

    epsilon: float = EPSILON
    fdr: float = FDR
    min_items: int = MIN_ITEMS
    min_people: int = MIN_PEOPLE
    replicates: int = REPLICATES
    ci_level: float = 0.95
    seed: int = 1
