"""How much faster the bootstrap of ordinal alpha is than the krippendorff package in a loop.

Both give the alpha of the same resampled tables of 400 answers and 5 raters; ours all at once, in
one matrix product. One process, one after the other, so that the ratio does not depend on the
machine.

    python benchmarks/agreement.py [--replicates N]
"""

from __future__ import annotations

import argparse
import sys
import time

import krippendorff
import numpy as np

from attunement.stats.agreement import alpha
from attunement.stats.bootstrap import counts

ITEMS, RATERS, SEED = 400, 5, 1
TARGET, SECONDS = 20.0, 1.0


def ratings() -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    rng = np.random.default_rng(SEED)
    truth = rng.normal(size=(ITEMS, 1))
    table = np.clip(np.round(3 + truth + rng.normal(size=(ITEMS, RATERS))), 1, 5)
    table[rng.random(table.shape) < 0.05] = np.nan
    return table


def loop(
    table: np.ndarray[tuple[int, int], np.dtype[np.float64]], replicates: int
) -> tuple[float, float]:
    """Return the limits of the same replicates, each computed by the krippendorff package."""
    paired = table[(~np.isnan(table)).sum(1) >= 2]
    draws = [
        krippendorff.alpha(
            reliability_data=np.repeat(paired, weights.astype(int), axis=0).T,
            level_of_measurement="ordinal",
        )
        for block in counts(len(paired), replicates, SEED)
        for weights in block
    ]
    low, high = np.quantile(draws, [0.025, 0.975])
    return float(low), float(high)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=1000)
    replicates = parser.parse_args().replicates
    table = ratings()
    alpha(table, replicates=10)  # imports SciPy
    times = []
    for _ in range(5):
        start = time.perf_counter()
        ours = alpha(table, "ordinal", replicates=replicates, seed=SEED)
        times.append(time.perf_counter() - start)
    start = time.perf_counter()
    low, high = loop(table, replicates)
    theirs = time.perf_counter() - start
    same = abs(ours.ci_low - low) < 1e-9 and abs(ours.ci_high - high) < 1e-9
    taken = sorted(times)[2]
    ratio = theirs / taken
    print(f"{replicates} replicates of ordinal alpha on {ITEMS} x {RATERS}")
    print(f"attunement    {taken:8.3f} s (median of five)")
    print(f"krippendorff  {theirs:8.3f} s")
    print(f"ratio         {ratio:8.1f} (wanted: at least {TARGET:g})")
    print(f"the interval is {'the same to 1e-9' if same else 'NOT the same'}")
    fast = taken < SECONDS * replicates / 1000 and ratio >= TARGET
    return 0 if fast and same else 1


if __name__ == "__main__":
    sys.exit(main())
