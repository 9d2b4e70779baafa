"""What every generator is that this package trains or loads itself, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

Advance = Callable[[int], None]
"""Is told how many contexts were done."""


@dataclass(frozen=True, slots=True)
class Generated:
    """One answer of a generator.

    Parameters
    ----------
    text
        The answer; may be empty.
    logprob
        The natural logarithm of its probability under the generator, given the context: the sum
        over its tokens, the one that ends it included.
    tokens
        How many tokens that sum has.
    """

    text: str
    logprob: float
    tokens: int


@runtime_checkable
class Generator(Protocol):
    """Answers a conversation, and says how probable its answers are."""

    @property
    def kind(self) -> str:
        """``causal`` or ``seq2seq``."""
        ...

    @property
    def context(self) -> int:
        """How many turns it reads; earlier ones are left out."""
        ...

    @property
    def signature(self) -> str:
        """What makes it what it is."""
        ...

    def answer(
        self, contexts: Sequence[Sequence[str]], *, n: int = 1, advance: Advance | None = None
    ) -> list[list[Generated]]:
        """Return ``n`` different answers to each context (turns, the earliest first).

        The most probable one stands first, as a search with ``n`` beams finds them; fewer than
        ``n`` where it finds fewer. A context without a text has none.
        """
        ...
