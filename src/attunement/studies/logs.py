"""What the server writes to its log: whose link was used is nothing for those who read it."""

from __future__ import annotations

import logging
import re

_SECRET = re.compile(r"(/(?:r|owner/once)/)[^/\s?#'\"]+")


class Masked(logging.Formatter):
    """A formatter that leaves the secret part out of personal links, in tracebacks too."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record's text with dots for secrets.

        >>> Masked().format(logging.makeLogRecord({"msg": "Conflict: /r/dwvmo3ZOA/a/7/save/"}))
        'Conflict: /r/.../a/7/save/'
        """
        return _SECRET.sub(r"\1...", super().format(record))
