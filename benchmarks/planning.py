"""How long the linear planner takes to train and to be evaluated, how much memory, how good it is.

    python benchmarks/planning.py --data DIR

DIR holds DailyDialog's splits. The limits are those of the project's plan, on 2 cores: 180 s and
4 GB for training on all 76,052 windows and evaluation on 6,740, with a weighted Jaccard index of
at least 0.42 and a weighted F1 of at least 0.57. Beside it stands the plain way to draw bootstrap
intervals, scikit-learn's F1 on each resample, as a ratio in one run.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.metrics import f1_score

from attunement.planning import DAILYDIALOG, Order, Plan, Window, evaluate, material, train
from attunement.planning import turns_of as turns_of_split
from attunement.planning._counts import membership

SECONDS, GIGABYTES, JACCARD, F1 = 180.0, 4.0, 0.42, 0.57
PLAIN_REPLICATES, REPLICATES = 20, 2000


def peak_gb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)


def bootstrap_ratio(plans: Sequence[Plan], turns: Sequence[Window]) -> float:
    """Return how many times faster a replicate of all scores is than one of scikit-learn's F1."""
    start = time.perf_counter()
    evaluate(plans, turns, DAILYDIALOG, replicates=REPLICATES, resample="windows")
    ours = (time.perf_counter() - start) / REPLICATES
    gold = membership([w.target for w in turns], DAILYDIALOG)
    said = membership([p.labels for p in plans], DAILYDIALOG)
    rng = np.random.default_rng(1)
    start = time.perf_counter()
    for _ in range(PLAIN_REPLICATES):
        drawn = rng.integers(0, len(turns), len(turns))
        f1_score(gold[drawn], said[drawn], average="weighted", zero_division=0)
    return (time.perf_counter() - start) / PLAIN_REPLICATES / ours


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    start, cpu = time.perf_counter(), time.process_time()
    order = Order()
    planner = train("linear", material(data, order), order)
    trained = time.perf_counter() - start
    _, turns = turns_of_split(data, "test", order)
    plans = planner.plan([w.context for w in turns])
    scored = evaluate(plans, turns, DAILYDIALOG)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    jaccard, f1 = (scored.get(name, "weighted").estimate for name in ("jaccard", "f1"))
    memory = peak_gb()
    print(f"trained {trained:.0f} s, with evaluation {seconds:.0f} s ({cpu:.0f} s of processor)")
    print(f"memory {memory:.2f} GB")
    print(f"weighted Jaccard {jaccard:.4f}, weighted F1 {f1:.4f}, {len(turns):,} windows")
    print(f"bootstrap: {bootstrap_ratio(plans, turns):.0f} times faster than scikit-learn's F1")
    good = seconds < SECONDS and memory < GIGABYTES and jaccard >= JACCARD and f1 >= F1
    print("reached" if good else "NOT reached")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
