"""Makes irrcac.json, which test_gwet.py and test_fleiss.py hold the coefficients against.

irrCAC 0.4.4 asks for an older SciPy than this package does, so it runs in an environment of its
own and its values are kept:

    python -m venv oracle && oracle/bin/pip install irrCAC
    oracle/bin/python tests/stats/agreement/irrcac_values.py
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
from irrCAC.raw import CAC

WEIGHTS = ("identity", "linear", "quadratic", "ordinal")


def value(frame: pd.DataFrame, method: str, **options: object) -> float:
    found = getattr(CAC(frame.copy(), digits=15, **options), method)()
    return float(found["est"]["coefficient_value"])


rng = np.random.default_rng(7)
cases = []
for n, raters, q, missing in [(12, 2, 3, 0), (30, 4, 5, 0.2), (25, 3, 2, 0.3), (50, 6, 4, 0.5)]:
    truth = rng.integers(1, q + 1, size=(n, 1))
    other = rng.integers(1, q + 1, size=(n, raters))
    table = np.where(rng.random((n, raters)) < 0.6, truth, other).astype(float)
    table[rng.random((n, raters)) < missing] = np.nan
    frame = pd.DataFrame(table)
    # A scale with one value more than was used.
    scale = [float(v) for v in range(1, q + 2)]
    cases.append(
        {
            "ratings": [[None if np.isnan(v) else v for v in row] for row in table],
            "scale": scale,
            "gwet": {w: value(frame, "gwet", weights=w) for w in WEIGHTS},
            "gwet_with_scale": {
                w: value(frame, "gwet", weights=w, categories=scale) for w in WEIGHTS
            },
            "fleiss": value(frame, "fleiss"),
        }
    )
Path(__file__).with_name("irrcac.json").write_text(json.dumps(cases) + "\n")
