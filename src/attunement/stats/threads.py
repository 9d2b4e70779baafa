"""Linear algebra on one thread, where the matrices are many and small.

A scale's correlations are 27 by 27, say: threads cost far more to start than such a product takes,
and where others use the processor too, they wait for one another (ten times and more).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep linear algebra to one thread, for the time of a block or of a decorated function.

    The numbers do not change with it but for the last digits, which it keeps the same on machines
    with more processors.

    >>> with one_thread():
    ...     pass

    """
    with threadpool_limits(limits=1, user_api="blas"):
        yield
