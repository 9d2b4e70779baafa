"""Shares with Wilson's interval."""

from __future__ import annotations

import math

from attunement.stats.result import Result, signature


def wilson(successes: int, n: int, *, level: float = 0.95, n_missing: int = 0) -> Result:
    """Return a share with Wilson's (1927) score interval, without continuity correction.

    Parameters
    ----------
    successes, n
        How many of how many.
    level
        Coverage, 0 to 1.
    n_missing
        Cases that could not be judged, as they go into the result.

    Returns
    -------
    Result
        NaN with a reason where n is 0.

    Raises
    ------
    ValueError
        Where ``successes`` is not between 0 and ``n``.

    >>> round(wilson(81, 263).ci_low, 4), round(wilson(81, 263).ci_high, 4)
    (0.2553, 0.3662)

    """
    from scipy.special import ndtri

    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is not a share")
    low = high = share = math.nan
    if n:
        z = float(ndtri((1 + level) / 2))
        share = successes / n
        center = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        # At the ends the limit is exactly the end; rounding must not move it past.
        low = 0.0 if successes == 0 else center - half
        high = 1.0 if successes == n else center + half
    return Result(
        name="share",
        estimate=share,
        ci_low=low,
        ci_high=high,
        ci_level=level,
        n=n,
        n_missing=n_missing,
        method="share, Wilson score interval",
        signature=signature("share", ci="wilson", level=level, k=successes, n=n),
        reason=None if n else "no cases",
    )
