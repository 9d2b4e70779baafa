"""How an instrument has a language model asked."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from attunement.instruments._fields import Readable
from attunement.instruments._scales import Strict


class JudgeSection(Strict):
    """How a language model is asked.

    Parameters
    ----------
    system
        The system message. With the ``delimited`` style a sentence on the markers is added to it.
    style
        ``delimited``: the prompt is made from the dimensions, and what is judged stands between
        markers that its text cannot forge. ``appended``: a prompt from ``prompts``, then question
        and response, with nothing between them that would tell them apart.
    reply
        What the model answers: a ``json`` object with the rationale before the score, or a bare
        ``number``.
    per
        One call an ``answer`` for all dimensions, or one a ``dimension``.
    task
        The prompt's first sentence (``delimited``).
    prompts
        The prompt of each dimension (``appended``).
    rationale_chars
        Longest rationale in characters: short ones are quick and cheap.

    """

    system: Readable
    style: Literal["delimited", "appended"] = "delimited"
    reply: Literal["json", "number"] = "json"
    per: Literal["answer", "dimension"] = "answer"
    task: Readable | None = None
    prompts: dict[str, Readable] = Field(default_factory=dict)
    rationale_chars: Annotated[int, Field(ge=20)] = 200

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.style == "delimited" and self.task is None:
            raise ValueError("the style 'delimited' needs a 'task'")
        if self.style == "delimited" and self.prompts:
            raise ValueError("'prompts' belong to the style 'appended'")
        if self.reply == "number" and self.per == "answer":
            raise ValueError("the reply 'number' needs per: dimension")
        if self.style == "appended" and self.per == "answer":
            raise ValueError("the style 'appended' needs per: dimension")
        return self
