"""A tagger of a few words, so that tests see at once what a text shows."""

from collections.abc import Callable, Sequence

from attunement.planning.labels import DAILYDIALOG, LabelSet
from attunement.planning.planner import Plan
from attunement.planning.tagging import NO_TEXT


class RuleTagger:
    """A question mark asks, "please" directs, "sad" and "glad" feel; "?!" cannot be tagged."""

    kind = "rules"
    signature = "rules"
    labels: LabelSet = DAILYDIALOG

    def __init__(self) -> None:
        self.asked: list[tuple[str, str | None]] = []

    def tag(
        self,
        texts: Sequence[str],
        *,
        after: Sequence[str | None] | None = None,
        advance: Callable[[int], None] | None = None,
    ) -> list[Plan]:
        self.asked += zip(texts, after or [None] * len(texts), strict=True)
        return [self._one(text.lower()) for text in texts]

    def _one(self, text: str) -> Plan:
        if not text.strip():
            return NO_TEXT
        if "?!" in text:
            return Plan((), "unparsed", "It shows too much.")
        act = "question" if "?" in text else "directive" if "please" in text else "inform"
        feeling = [f for word, f in (("sad", "sadness"), ("glad", "happiness")) if word in text]
        return Plan(self.labels.sequence([act, *feeling]))
