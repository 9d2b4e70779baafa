"""What a language model is asked for a plan: the published prompt, ours, or a file's."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from attunement.errors import UserError, nearest
from attunement.inspect_bridge import Message
from attunement.planning.labels import DAILYDIALOG, LabelSet

PAPER = """Predict the sequence of labels associated with the utterance that follows the given \
dialogue.
We consider the following labels: ‘inform’, ‘question’, ‘directive’, ‘commissive’, ‘neutral’, \
‘anger’, ‘disgust’, ‘fear’, ‘happiness’, ‘sadness’ and ‘surprise’. The answer must be one or a \
sequence of multiple labels from this list.

Here are a few examples,
Dialogue: Good morning, sir. Is there a bank near here ?
Labels: ‘inform’.
Dialogue: Is it far ?
Labels:‘inform’
Dialogue: No, It’s only about five minutes walk.
Labels: ‘inform’, ‘happiness’.

What labels are associated with the utterance following this dialogue:
Dialogue: {dialogue}"""
"""Word for word from Vanel et al. (2024), *Socio-Emotional Response Generation* (arXiv:2412.04492),
appendix A, with the dialogue in the place of "[current utterance]"."""

PLAIN = """These are the last turns of a conversation between two people.

{dialogue}

Which of these labels describe what is said next, in reply?
{labels}

Answer with the labels of the next turn alone, at most one of each kind, with commas between them. \
Give at least one label."""

REPLY = """Two people talk. After each reply stands what it does, inform, question, directive or \
commissive, and its feeling, if it shows one."""

EXAMPLES = (
    ("I have lost my keys again.", "Oh no, where did you have them last? [question]"),
    ("Could you open the door for me?", "Sure, I will do that. [commissive]"),
    ("How was your weekend?", "It was wonderful, I was so happy there. [inform, happiness]"),
    ("I do not know what to cook tonight.", "Try the soup from my book. [directive]"),
    ("My grandmother died last week.", "I am so sorry, that makes me sad. [inform, sadness]"),
    ("When does the train leave?", "It leaves at nine. [inform]"),
    ("Shall we meet at six?", "All right, I will be there. [commissive]"),
    ("I have just won the lottery!", "Really? I can hardly believe it! [question, surprise]"),
    ("I feel tired.", "You should lie down for an hour. [directive]"),
    ("He has broken my cup again.", "That makes me so angry. [inform, anger]"),
    ("Do you like it here?", "Yes, and do you? [question]"),
    ("There is somebody in the house.", "Be quiet, I am afraid. [directive, fear]"),
    ("Where do you live?", "I live near the station. [inform]"),
    ("Let us go to the park.", "Good idea, I will come with you. [commissive]"),
    ("I found a hair in my soup.", "How disgusting. [inform, disgust]"),
    ("I am looking for a red coat.", "What size do you take? [question]"),
    ("It is cold in here.", "Please close the window then. [directive]"),
    ("Have you seen the news?", "Yes, I read them this morning. [inform]"),
)
"""Invented exchanges for the preset ``reply``: the model writes a reply and then its labels. A very
small model asked for labels alone gives the same to every dialogue."""

BEFORE = "..."
"""What stands before a conversation whose last turn would else not be the user's: many servers
refuse one in which the two do not alternate."""

PRESETS = ("paper", "plain", "reply")
READS = {"paper": 1, "plain": 3, "reply": 3}
"""How many turns a preset is given by default; the published one got the current utterance."""

_PLACE = re.compile(r"\{(dialogue|labels)\}")


@dataclass(frozen=True)
class Prompt:
    """A template and its name.

    Parameters
    ----------
    id
        A preset's name; of a file its name and eight hex digits of its text.
    text
        ``{dialogue}`` stands for the turns, ``{labels}`` for the labels. Where there are examples
        it is what the model is told before them.
    examples
        A turn, and the reply to it with its labels in brackets. The model is then shown the
        dialogue as a conversation and goes on with it.

    Raises
    ------
    ValueError
        Where the template has no place for the dialogue.
    """

    id: str
    text: str
    examples: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        """Refuse a template that would ask the same of every dialogue."""
        if not self.examples and "{dialogue}" not in self.text:
            raise ValueError("the prompt has no {dialogue}, where the turns belong")

    def messages(self, turns: Sequence[str], labels: LabelSet) -> tuple[Message, ...]:
        """Return what the model is sent about the turns of a context."""
        if not self.examples:
            return (Message("user", self.ask(turns, labels)),)
        shown = [Message("system", self.text)]
        for turn, reply in self.examples:
            shown += [Message("user", turn), Message("assistant", reply)]
        said = [" ".join(turn.split()) for turn in turns]
        if len(said) % 2 == 0:
            said.insert(0, BEFORE)
        roles = cycle(("user", "assistant"))
        return (*shown, *(Message(role, turn) for role, turn in zip(roles, said, strict=False)))

    def ask(self, turns: Sequence[str], labels: LabelSet) -> str:
        """Return the template with the turns of a context in it."""
        said = {"dialogue": dialogue(turns), "labels": listed(labels)}
        # In one pass, so that what people say is never taken for a place of the template.
        return _PLACE.sub(lambda place: said[place[1]], self.text)


def prompt(name: str, labels: LabelSet = DAILYDIALOG) -> Prompt:
    """Return a prompt by name, or that of a file given as ``@FILE``.

    Raises
    ------
    UserError
        Where there is none of this name, the file cannot be read or has no ``{dialogue}``, or the
        prompt names labels that are not those of the label set.
    """
    if name in ("paper", "reply") and labels.labels != DAILYDIALOG.labels:
        raise UserError(
            f"the prompt {name!r} names DailyDialog's labels, and these are others.",
            fix="Use --prompt plain, or @FILE.",
        )
    if name in PRESETS:
        text = {"paper": PAPER, "plain": PLAIN, "reply": REPLY}[name]
        return Prompt(name, text, EXAMPLES if name == "reply" else ())
    if not name.startswith("@"):
        guess = nearest(name, list(PRESETS))
        raise UserError(
            f"no prompt is called {name!r}." + (f" Did you mean {guess!r}?" if guess else ""),
            fix=f"Use {', '.join(PRESETS)}, or @FILE.",
        )
    file = Path(name[1:])
    try:
        text = file.read_text(encoding="utf-8-sig").strip()
        return Prompt(f"{file.stem}-{hashlib.sha256(text.encode()).hexdigest()[:8]}", text)
    except UnicodeDecodeError:
        raise UserError("the prompt is not UTF-8.", where=str(file)) from None
    except ValueError as error:
        raise UserError(f"{error}.", where=str(file), fix="docs/planning.md shows one.") from None
    except OSError as error:
        raise UserError(f"the prompt cannot be read: {error.strerror}.", where=str(file)) from None


def dialogue(turns: Sequence[str]) -> str:
    """Return turns as a prompt shows them: one alone as it is, several by speakers in turn.

    >>> print(dialogue(["Tea?", "Yes."]))
    SPEAKER A: Tea?
    SPEAKER B: Yes.
    """
    said = [" ".join(turn.split()) for turn in turns]
    if len(said) < 2:
        return "".join(said)
    return "\n".join(f"SPEAKER {who}: {turn}" for who, turn in zip(cycle("AB"), said, strict=False))


def listed(labels: LabelSet) -> str:
    """Return the labels, a line for each kind."""
    return "\n".join(f"{group.name}: {', '.join(group.labels)}" for group in labels.groups)
