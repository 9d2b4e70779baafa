"""An encoder with a decoder, such as BART, fine-tuned to answer.

It reads the turns with its separator between them, and writes the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attunement.respond._tuned import IGNORED, Tokens, TunedGenerator
from attunement.respond.exchanges import Exchange


class Seq2SeqGenerator(TunedGenerator):
    """Reads a conversation and writes an answer; see `TunedGenerator`."""

    kind = "seq2seq"
    auto = "AutoModelForSeq2SeqLM"
    _padded_left = False

    def batch(self, exchanges: Sequence[Exchange]) -> dict[str, Any]:
        """Return a batch to train on, whose loss is that of the answers alone."""
        ids, mask = self._padded([self._prompt(e.context) for e in exchanges])
        answers = [
            self.tokenizer(text_target=e.response, verbose=False)["input_ids"][: self.longest]
            for e in exchanges
        ]
        labels, _ = self._padded(answers, with_=IGNORED)
        return {"input_ids": ids, "attention_mask": mask, "labels": labels}

    def _prompt(self, turns: Sequence[str]) -> Tokens:
        between = self.tokenizer.sep_token or self.tokenizer.eos_token
        self.tokenizer.truncation_side = "left"
        ids: Tokens = self.tokenizer(between.join(turns), truncation=True, max_length=self._room())[
            "input_ids"
        ]
        return ids

    def _logits(self, prompt: Tokens, answers: Any) -> Any:
        import torch

        rows = len(answers)
        given = torch.tensor([prompt], device=answers.device).expand(rows, -1)
        start = torch.full((rows, 1), self._start(), device=answers.device)
        before = torch.cat([start, answers[:, :-1]], dim=1)
        return self.model(input_ids=given, decoder_input_ids=before, use_cache=False).logits

    def _start(self) -> int:
        start: int = self.model.config.decoder_start_token_id
        return start
