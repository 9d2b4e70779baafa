"""Bounds to what an endpoint may send: a stream that never ends must not hold a thread for ever.

The HTTP library's own time limit begins anew with every byte, and its reader of streams passes on
neither comments, which keep a connection open, nor a line that has no end yet.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

MOST_BYTES = 16 << 20
"""Of one answer: some hundred times the longest reply that is kept, with all that is around it."""


class TooLate(Exception):
    """The answer was not complete in time, or is without end."""


def limited(most_s: float) -> Callable[[Any], None]:
    """Return what bounds an answer's body, as a hook of an HTTP client that asks once.

    Parameters
    ----------
    most_s
        Seconds from now in which the whole of it has to come.

    """
    limit = time.monotonic() + most_s

    def bound(response: Any) -> None:
        response.stream = _bounded(response.stream, limit)

    return bound


def _bounded(stream: Any, limit: float) -> Any:
    # The client insists on a stream of its own library, which is one of two by the version
    base = next(kind for kind in type(stream).__mro__ if kind.__name__ == "SyncByteStream")

    class Bounded(base):  # type: ignore[misc, valid-type]
        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for part in stream:
                size += len(part)
                if size > MOST_BYTES or time.monotonic() > limit:
                    raise TooLate
                yield part

        def close(self) -> None:
            stream.close()

    return Bounded()
