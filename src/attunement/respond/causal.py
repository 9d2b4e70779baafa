"""A causal language model, such as GPT-2 or DialoGPT, fine-tuned to answer.

Every turn is followed by the token that ends a text, as DialoGPT was trained (Zhang et al. 2020,
DialoGPT: Large-Scale Generative Pre-training for Conversational Response Generation); the model
goes on with the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attunement.respond._tuned import IGNORED, Tokens, TunedGenerator
from attunement.respond.exchanges import Exchange


class CausalGenerator(TunedGenerator):
    """Goes on with a conversation; see `TunedGenerator`."""

    kind = "causal"
    auto = "AutoModelForCausalLM"
    _padded_left = True

    def batch(self, exchanges: Sequence[Exchange]) -> dict[str, Any]:
        """Return a batch to train on, whose loss is that of the answers alone."""
        prompts = [self._prompt(e.context) for e in exchanges]
        answers = [[*self._tokens(e.response), self._end][: self.longest] for e in exchanges]
        both = list(zip(prompts, answers, strict=True))
        ids, mask = self._padded([p + a for p, a in both])
        labels, _ = self._padded([[IGNORED] * len(p) + a for p, a in both], with_=IGNORED)
        return {"input_ids": ids, "attention_mask": mask, "labels": labels}

    def _prompt(self, turns: Sequence[str]) -> Tokens:
        ids = [token for turn in turns for token in (*self._tokens(turn), self._end)]
        before = self._before()
        return before + ids[-max(1, self._room() - self.longest - len(before)) :]

    def _logits(self, prompt: Tokens, answers: Any) -> Any:
        import torch

        given = torch.tensor([prompt], device=answers.device).expand(len(answers), -1)
        ids = torch.cat([given, answers], dim=1)
        # The logits that stand at a token are those of the next one.
        kept = answers.shape[1] + 1
        return self.model(input_ids=ids, logits_to_keep=kept).logits[:, -kept:-1]

    def _tokens(self, text: str) -> Tokens:
        ids: Tokens = self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return ids

    def _before(self) -> Tokens:
        """Return what the tokenizer puts before a text; of GPT-2, nothing."""
        bare, whole = self._tokens("a"), self.tokenizer("a")["input_ids"]
        return list(whole[: whole.index(bare[0])]) if bare else []
