"""What fine-tuned generators have in common: the search for answers, and their probability."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from attunement.errors import UserError
from attunement.models.hf_models import libraries, quiet, window
from attunement.respond.exchanges import Exchange, said
from attunement.respond.generator import Advance, Generated

LONGEST = 128
"""Tokens that an answer has at most: DailyDialog's have 15 on average."""
MOST = 1024
"""Tokens of context and answer at most, as of GPT-2 and BART, also where a model takes more."""
IGNORED = -100
"""A label that has no part in the loss."""
_AT_ONCE = 32

Tokens = list[int]


class TunedGenerator(ABC):
    """A model of transformers that answers.

    Parameters
    ----------
    model, tokenizer
        Of transformers.
    context
        Turns that it reads at most.
    longest
        Tokens that an answer has at most; fewer where the model's window is small.
    signature
        What makes it what it is.

    Raises
    ------
    UserError
        Where the tokenizer has no token that ends a text.
    """

    kind: ClassVar[str]
    auto: ClassVar[str]
    """The class of transformers that loads its model."""
    _padded_left: ClassVar[bool]

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        context: int,
        longest: int = LONGEST,
        signature: str = "",
    ) -> None:
        if tokenizer.eos_token_id is None:
            raise UserError(
                "its tokenizer has no token that ends a text.",
                where=str(tokenizer.name_or_path),
                fix="Take another base model: GPT-2 and BART have one, BERT has none.",
            )
        self.model = model
        self.tokenizer = tokenizer
        self.context = context
        self.signature = signature
        self.longest = max(1, min(longest, self._room() // 2))
        self._end: int = tokenizer.eos_token_id
        self._pad: int = tokenizer.pad_token_id
        if self._pad is None:
            self._pad = self._end
        self._plain_search()

    def answer(
        self, contexts: Sequence[Sequence[str]], *, n: int = 1, advance: Advance | None = None
    ) -> list[list[Generated]]:
        """Return ``n`` different answers to each context, the most probable first.

        A beam search with ``n`` beams, by the sum of the logarithms: there is no reward for length.
        Answers that differ in their tokens and not in their text count once.
        """
        if n < 1:
            raise ValueError(f"a context needs at least one answer, not {n}")
        self.model.eval()
        prompts = {}
        for i, context in enumerate(contexts):
            turns = said(list(context[-self.context :]))
            if turns:
                prompts[i] = self._prompt(turns)
        answers: list[list[Generated]] = [[] for _ in contexts]
        if advance is not None:
            advance(len(contexts) - len(prompts))
        # Contexts of similar length share a batch, so that little of it is padding.
        order = sorted(prompts, key=lambda i: len(prompts[i]))
        size = max(1, _AT_ONCE // n)
        for start in range(0, len(order), size):
            batch = order[start : start + size]
            for i, found in zip(batch, self._search([prompts[i] for i in batch], n), strict=True):
                answers[i] = self._different(found, self._logprobs(prompts[i], found))
            if advance is not None:
                advance(len(batch))
        return answers

    @abstractmethod
    def batch(self, exchanges: Sequence[Exchange]) -> dict[str, Any]:
        """Return a batch to train on, whose loss is that of the answers alone."""

    @abstractmethod
    def _prompt(self, turns: Sequence[str]) -> Tokens:
        """Return what the model is given of a context; where it is too long, its end."""

    @abstractmethod
    def _logits(self, prompt: Tokens, answers: Any) -> Any:
        """Return what the model gives for each token of ``answers`` (rows, tokens), as logits."""

    def _room(self) -> int:
        """Return how many tokens context and answer have, together or (seq2seq) each."""
        return min(window(self.model, self.tokenizer), MOST)

    def _search(self, prompts: Sequence[Tokens], n: int) -> list[list[Tokens]]:
        torch, transformers = libraries(self.kind)
        ids, mask = self._to_compute(self._padded(prompts, left=self._padded_left))
        with quiet(), torch.inference_mode():
            found = self.model.generate(
                input_ids=ids,
                attention_mask=mask,
                generation_config=transformers.GenerationConfig(
                    num_beams=n,
                    num_return_sequences=n,
                    do_sample=False,
                    max_new_tokens=self.longest,
                    length_penalty=0.0,
                    early_stopping=False,
                    eos_token_id=self._end,
                    pad_token_id=self._pad,
                    decoder_start_token_id=self._start(),
                ),
            )
        start = ids.shape[1] if self._start() is None else 1
        rows = [self._until_end(row) for row in found[:, start:].tolist()]
        return [rows[i : i + n] for i in range(0, len(rows), n)]

    def _logprobs(self, prompt: Tokens, answers: Sequence[Tokens]) -> list[float]:
        torch, _ = libraries(self.kind)
        ids, mask = self._to_compute(self._padded(answers))
        with torch.inference_mode():
            chances = self._logits(prompt, ids).float().log_softmax(-1)
        each = chances.gather(-1, ids[..., None])[..., 0].double()
        total: list[float] = each.where(mask.bool(), 0.0).sum(-1).tolist()
        return total

    def _different(self, found: Sequence[Tokens], logprobs: Sequence[float]) -> list[Generated]:
        best: dict[str, Generated] = {}
        for ids, logprob in sorted(zip(found, logprobs, strict=True), key=lambda pair: -pair[1]):
            text = self.tokenizer.decode(ids, skip_special_tokens=True).strip()
            best.setdefault(text, Generated(text, logprob, len(ids)))
        return list(best.values())

    def _padded(
        self, rows: Sequence[Tokens], *, left: bool = False, with_: int | None = None
    ) -> tuple[Any, Any]:
        """Return rows of one length and which of their tokens are theirs.

        They are in main memory, where the Trainer expects a batch to be; see `_to_compute`.
        """
        torch, _ = libraries(self.kind)
        pad = self._pad if with_ is None else with_
        width = max(map(len, rows))
        gaps = [width - len(row) for row in rows]
        if left:
            ids = [[pad] * gap + row for row, gap in zip(rows, gaps, strict=True)]
            mask = [[0] * gap + [1] * (width - gap) for gap in gaps]
        else:
            ids = [row + [pad] * gap for row, gap in zip(rows, gaps, strict=True)]
            mask = [[1] * (width - gap) + [0] * gap for gap in gaps]
        return torch.tensor(ids), torch.tensor(mask)

    def _to_compute(self, parts: tuple[Any, Any]) -> tuple[Any, Any]:
        """Return what `_padded` made, where the model computes."""
        ids, mask = parts
        return ids.to(self.model.device), mask.to(self.model.device)

    def _until_end(self, row: Tokens) -> Tokens:
        return row[: row.index(self._end) + 1] if self._end in row else row

    def _start(self) -> int | None:
        """Return the token that a decoder of its own begins with."""
        return None

    def _plain_search(self) -> None:
        """Take away what the base model says of searching: forced tokens, forbidden repeats."""
        _, transformers = libraries(self.kind)
        self.model.generation_config = transformers.GenerationConfig(
            eos_token_id=self._end, pad_token_id=self._pad, decoder_start_token_id=self._start()
        )
