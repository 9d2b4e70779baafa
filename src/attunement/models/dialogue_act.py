"""Which dialogue act each sentence is, by rules: a proposal that a person corrects.

The four acts are those of DailyDialog (Li et al. 2017, IJCNLP, after Amanuma et al. 2014): inform,
question, directive, commissive. The rules are written by hand, for English and, far fewer, for
Italian; `docs/dialogue-acts.md` says how good they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from attunement.errors import UserError
from attunement.text import has_letters, sentences

Act = Literal["inform", "question", "directive", "commissive"]
ACTS: tuple[Act, ...] = get_args(Act)
LANGUAGES = ("en", "it")


@dataclass(frozen=True, slots=True)
class Segment:
    """One sentence and its act.

    Parameters
    ----------
    start, end
        Code points of the text: ``text[start:end]`` is the sentence, without white space around it.
    label
        The act.
    """

    start: int
    end: int
    label: Act


def dialogue_acts(text: str, *, lang: str = "en", after: str | None = None) -> list[Segment]:
    """Return the sentences of ``text`` with their acts, in order.

    Parameters
    ----------
    text
        What one speaker says in one turn.
    lang
        ``en`` or ``it``; the rules for Italian are few and unmeasured.
    after
        What the other speaker said before. A turn that answers a request, an offer or a suggestion
        takes it up or declines it about every second time, which its own words often do not show.

    Returns
    -------
    Segments that hold every character that is no white space. Signs without letters belong to the
    sentence before them. A text of white space has none.

    Raises
    ------
    UserError
        Where there are no rules for the language.

    >>> text = "That sounds hard. Have you told anyone? You should call your sister."
    >>> [(text[s.start : s.end], s.label) for s in dialogue_acts(text)][1:]
    [('Have you told anyone?', 'question'), ('You should call your sister.', 'directive')]
    """
    if lang not in LANGUAGES:
        raise UserError(
            f"There are no rules for the language {lang!r}.",
            fix=f"There are rules for {' and '.join(LANGUAGES)}.",
        )
    rules = _RULES[lang]
    found = [Segment(i, j, _act(text[i:j], rules)) for i, j in _spans(text, lang)]
    if after is not None and turn_act(dialogue_acts(after, lang=lang)) == "directive":
        found = _replying(found)
    return found


def turn_act(segments: Sequence[Segment]) -> Act:
    """Return the one act of a turn: that of its last sentence that does more than inform.

    >>> turn_act(dialogue_acts("I see. Where does it hurt? I have time."))
    'question'
    """
    return next((s.label for s in reversed(segments) if s.label != "inform"), "inform")


_RUN_ON = re.compile(r"(?<=[a-z]{2}[.?!])(?=[A-Z])")
"""Where a space between two sentences was forgotten."""


def _spans(text: str, lang: str) -> Iterator[tuple[int, int]]:
    """Yield where the sentences begin and end."""
    # `sentences` changes white space and nothing else, so counting what is not finds the place.
    places = [i for i, char in enumerate(text) if not char.isspace()]
    pieces = [p for sentence in sentences(text, lang) for p in _RUN_ON.split(sentence)]
    ends: list[int] = []
    used = 0
    for piece in pieces:
        used += sum(not char.isspace() for char in piece)
        if ends and not has_letters(piece):
            ends[-1] = used
        else:
            ends.append(used)
    for first, end in zip([0, *ends], ends, strict=False):
        yield places[first], places[end - 1] + 1


def _replying(segments: Sequence[Segment]) -> list[Segment]:
    """Return the segments of an answer to a directive, the first of which takes it up or not."""
    if not segments or segments[0].label != "inform":
        return list(segments)
    first = segments[0]
    return [Segment(first.start, first.end, "commissive"), *segments[1:]]


@dataclass(frozen=True)
class _Rules:
    """The patterns of a language, matched on lower-case text with straight apostrophes.

    Parameters
    ----------
    opening
        Words that open a sentence and say nothing of its act.
    request
        A question that asks for an action.
    other
        A sentence that looks like one of the following and is not.
    commits, directs, asks
        A sentence without question mark that is commissive, directive, question; the first that
        matches counts.
    """

    opening: re.Pattern[str]
    request: re.Pattern[str]
    other: re.Pattern[str]
    commits: re.Pattern[str]
    directs: re.Pattern[str]
    asks: re.Pattern[str]


def _act(sentence: str, rules: _Rules) -> Act:
    plain = re.sub(r"\s*'\s*", "'", " ".join(sentence.lower().replace("’", "'").split()))
    bare = rules.opening.sub("", plain) or plain
    if "?" in plain[-4:]:
        return "directive" if rules.request.search(bare) else "question"
    if rules.other.search(bare):
        return "inform"
    if rules.commits.search(plain) or rules.commits.search(bare):
        return "commissive"
    if rules.directs.search(bare):
        return "directive"
    return "question" if rules.asks.search(bare) else "inform"


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


_DO = (
    "add|apply|ask|avoid|breathe|bring|buy|call|calm|change|check|choose|clean|close|come|consider|"
    "contact|cut|describe|don't|drink|drive|drop|eat|enter|explain|fill|find|finish|focus|follow|"
    "forget|get|give|go|hand|hang|hold|hurry|insert|join|keep|leave|let|listen|make|meet|move|"
    "open|order|park|pass|pay|pick|practice|press|pull|push|put|reach|read|relax|remember|rest|"
    "return|ring|run|save|send|set|show|shut|sign|sit|sleep|slow|speak|spend|stand|start|stay|stop|"
    "take|talk|tell|throw|try|turn|use|wait|wake|walk|wash|watch|wear|work|write"
)
_GOOD = "good|great|fine|nice|wonderful|perfect|excellent|lovely"

_ENGLISH = _Rules(
    opening=re.compile(
        r"^(?:(?:well|oh|ok|okay|yes|yeah|no|so|and|but|or|then|now|hey|hi|hello|excuse me|"
        r"sorry|sir|madam|ma'am|all right|alright|right|sure|of course|certainly|fine|great|maybe|"
        r"perhaps|i see|i think|i guess|anyway|just|also|by the way|thank you|thanks|uh|um|ah|mom|"
        r"dad|honey|dear|you know|in that case|if so|first|next|after that|"
        r"good (?:morning|afternoon|evening))\b[\s,.!;:-]*)+"
    ),
    request=_any(
        r"\bplease\b",
        r"^(?:can|could|would|will) you (?!help|like|mind if i ask|believe|imagine)",
        r"^would you (?:like|mind|care)\b",
        r"^could (?:i|we)\b",
        r"^can (?:i|we) (?!help|do\b|be of|ask)",
        r"^(?:may|might) (?:i|we) (?!help|ask|be of)",
        r"^shall (?:we|i)\b",
        r"^why (?:don't (?:you|we|i)|not) [a-z]",
        r"^what about \w+ing\b",
        r"^how about (?:\w+ing|we|this|a|some|if|going)\b",
        r"^do you mind\b",
        r"^(?:let's|let me|let us)\b",
        r"^do you want to (?:go|come|join|try|see|have|eat|get)\b",
        r", (?:(?:can|could|would|will) you|shall we|ok|okay)\b[^,]*$",
        r"\bi (?:wonder|was wondering) if (?:you|i|we) c",
        r"(?<!what )(?<!how )\b(?:can|could|would) you (?:tell|give|show|do me|pass|bring)\b",
        r"^won't you\b",
    ),
    other=_any(
        r"^(?:take (?:care|it easy)|have a |see you|come on|let me see\b|let's see\b|go ahead)",
        r"^(?:i'll see you|don't (?:worry|mention it)|tell me about it)\b",
    ),
    commits=_any(
        rf"^(?:ok|okay|o k|o\.k\.|sure|certainly|of course|no problem|all right|alright|absolutely|"
        rf"with pleasure|definitely|by all means|deal|agreed|{_GOOD}|gladly|will do|my pleasure)\b"
        r"[\s,.!]*(?:sir|madam|ma'am|then)?[\s,.!]*$",
        r"^(?:here|there) (?:you|we) (?:are|go)\b|^here it is\b",
        rf"\bthat(?:'s| is| sounds|'d be| would be) (?:a )?(?:{_GOOD})(?: idea)?[\s,.!]*$",
        r"\b(?:good|great) idea[\s,.!]*$",
        r"^i(?:'d| would) (?:love|like|be glad|be happy|be delighted) to[\s,.!]*$",
        r"^(?:i|we)(?:'ll| will| promise)\b",
        r"^i(?:'m| am) (?:afraid|sorry),? (?:but )?(?:i|we) (?:can't|cannot)\b",
        r"^it's a deal\b|\b(?:count on me|i promise)\b",
    ),
    directs=_any(
        r"\bplease\b",
        rf"^(?:never |always )?(?:{_DO})\b(?! of\b|s\b)",
        r"^be (?:careful|patient|quiet|sure|gentle|kind|yourself)\b",
        r"\b(?:let's|let us)\b",
        r"\byou (?:really |just )?(?:should|must|(?:ought|need|have|may want|might want) to)\b",
        r"\b(?:you|we)(?:'d| had) better\b",
        r"\byou (?:shouldn't|mustn't)\b",
        r"^we should\b",
        r"^(?:i|we)(?:'d| would) (?:like|prefer|rather|appreciate)\b",
        r"^(?:i|we) need\b|^i want you to\b",
        r"^you can (?:also |always )?(?!'t|see|say|be|imagine|have)[a-z]",
        r"^if i were you\b",
        r"\bwhy (?:don't you|don't we|not) [a-z]",
        r"^(?:how|what) about\b",
        r"\bi (?:suggest|recommend|advise|propose)\b",
        r"\b(?:can|could|would|will) you (?:please|tell|give|show|help|do me)\b",
        r"\bi (?:wonder|was wondering) if\b",
        r"\bi(?:'m| am) (?:looking for|calling (?:to|about))\b",
        r"^if you\b.*\b(?:call|just|you can|let)\b",
    ),
    asks=_any(
        r"^(?:what|where|when|who|why|which|how)(?:'s| is| are| do| does| did| can| will| would)\b"
        r"(?!.*!$)",
        r"^(?:do|did|are|have) you\b|^is (?:there|it)\b",
    ),
)

_ITALIAN = _Rules(
    opening=re.compile(
        r"^(?:(?:allora|beh|bene|e|ma|sì|no|certo|forse|scusi|scusa|senta|senti|grazie|oh|ah|ok|"
        r"buongiorno|buonasera|ciao)\b[\s,.!;:-]*)+"
    ),
    request=_any(
        r"\bper (?:favore|piacere|cortesia)\b",
        r"^(?:mi |ci |le |ti )?(?:può|puoi|potrebbe|potresti|posso|potrei|possiamo)\b",
        r"^(?:le|ti|vi) (?:va|andrebbe|dispiace|dispiacerebbe) di\b",
        r"^(?:perché non|che ne (?:dice|dici) di|vuole|vuoi|vorrebbe|vorresti)\b",
    ),
    other=_any(r"^(?:abbia cura|stammi bene)\b"),
    commits=_any(
        r"^(?:va bene|d'accordo|certo|certamente|volentieri|con piacere|ecco)[\s,.!]*$",
        r"\b(?:le|ti|vi)? ?prometto\b",
        r"^(?:lo|la|ci) (?:farò|faremo|proverò|proveremo)\b",
    ),
    directs=_any(
        r"\bper (?:favore|piacere|cortesia)\b|\b(?:la|ti|vi) prego\b",
        r"\b(?:dovrebbe|dovresti|deve|devi|dovete|dovreste)\b",
        r"^(?:provi|prova|cerchi|cerca|chieda|chiedi|parli|parla|chiami|chiama|respiri|respira)\b",
        r"\b(?:le|ti|vi) (?:consiglio|suggerisco|propongo|raccomando)\b",
        r"^non (?:si preoccupi|ti preoccupare|abbia paura|avere paura)\b",
    ),
    asks=_any(r"^(?:chi|che cosa|come mai|perché mai)\b(?!.*!$)"),
)
_RULES = {"en": _ENGLISH, "it": _ITALIAN}
