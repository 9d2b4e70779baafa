"""CounselChat: questions from the public with therapists' answers, in both CSV layouts.

Source: github.com/nbertagnolli/counsel-chat (MIT). The layout of March 2020 has one topic a row, in
plain text; the later one has all topics of a question in one field, and HTML. Names and links of
therapists and the links to questions are not kept; where one occurs in a text, it is replaced.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from attunement.datasets import gold
from attunement.datasets.base import Ledger, Loaded, Options, item_id, meta, user_turn
from attunement.datasets.cleaning import clean, names_pattern, scrub, topic_slug
from attunement.errors import UserError
from attunement.tables import read_frame


@dataclass(frozen=True)
class Layout:
    """The columns of one of the two layouts."""

    name: str
    topic: str
    person: str
    person_link: str
    question_link: str

    def columns(self) -> tuple[str, ...]:
        """Return every column that the loader reads."""
        return (*_COMMON, self.topic, self.person, self.person_link, self.question_link)


_COMMON = ("questionID", "questionTitle", "questionText", "answerText", "upvotes")
LAYOUTS = (
    Layout("2020", "topic", "therapistInfo", "therapistURL", "questionLink"),
    Layout("later", "topics", "therapistName", "therapistUrl", "questionUrl"),
)


def layout_of(columns: list[str]) -> Layout | None:
    """Return the layout that a header has, or None."""
    return next((lay for lay in LAYOUTS if set(lay.columns()) <= set(columns)), None)


def read(path: str | Path) -> tuple[pl.DataFrame, Layout]:
    """Return the file as it is, and its layout.

    Raises
    ------
    UserError
        Where the file cannot be read or has neither layout.

    """
    frame = read_frame(path)
    layout = layout_of(frame.columns)
    if layout is None:
        closest = min(LAYOUTS, key=lambda lay: len(set(lay.columns()) - set(frame.columns)))
        missing = [c for c in closest.columns() if c not in frame.columns]
        raise UserError(
            f"not a CounselChat file: missing {', '.join(missing)}; "
            f"it has {', '.join(frame.columns)}.",
            where=str(path),
            fix="Load it as a table: attunement data load table FILE --map question=COLUMN.",
        )
    return frame, layout


@dataclass
class _Question:
    id: str
    title: str
    text: str
    topics: list[str] = field(default_factory=list)
    source_ids: list[str] = field(default_factory=list)
    answers: dict[str, gold.Answer] = field(default_factory=dict)

    def add(self, topics: list[str], source_id: str) -> None:
        self.topics += [t for t in topics if t not in self.topics]
        if source_id not in self.source_ids:
            self.source_ids.append(source_id)


def load(path: str | Path | None, options: Options) -> Loaded:
    """Load a CounselChat file: an item a question, a response an answer.

    Rows with the same question (after cleaning) are one item, whatever their ids say: the 2020
    layout repeats questions under a second topic and uses some ids twice.

    Raises
    ------
    UserError
        Where the file cannot be read or is not CounselChat.

    """
    if path is None:
        raise UserError("CounselChat needs the path of its CSV file.")
    frame, layout = read(path)
    return from_frame(frame, layout, options, where=str(path))


def from_frame(frame: pl.DataFrame, layout: Layout, options: Options, *, where: str) -> Loaded:
    """Load a frame with the columns of ``layout``, as `load` does a file."""
    hidden = names_pattern(
        set(frame[layout.person].drop_nulls()),
        set(frame[layout.person_link].drop_nulls()) | set(frame[layout.question_link].drop_nulls()),
    )
    ledger = Ledger()
    questions: dict[str, _Question] = {}
    odd_votes = titles_used = 0
    columns = ("questionID", "questionTitle", "questionText", layout.topic, "answerText", "upvotes")
    for row, (source_id, title, text, topics, answer, votes) in options.rows(
        frame.select(columns).cast(pl.String).iter_rows(), frame.height
    ):
        title, text, answer = (scrub(clean(t), hidden) for t in (title, text, answer))
        asked = text or title
        if not asked:
            ledger.drop(row, "the question and its title are empty")
            continue
        if not answer:
            ledger.drop(row, "the answer is empty")
            continue
        if asked not in questions:
            questions[asked] = _Question(item_id("counselchat", asked), title, asked)
            titles_used += not text
        question = questions[asked]
        question.add([topic_slug(t) for t in (topics or "").split(",") if t.strip()], source_id)
        upvotes = gold.whole_number(votes)
        odd_votes += upvotes is None
        if answer in question.answers:
            ledger.drop(row, "the same question and answer as an earlier row")
            known = question.answers[answer]
            known.upvotes = max(
                (v for v in (known.upvotes, upvotes) if v is not None), default=None
            )
            continue
        question.answers[answer] = gold.Answer(answer, upvotes)
        ledger.keep(row, question.id)
    notes = _notes(list(questions.values()), titles_used, odd_votes)
    return _finish(ledger, list(questions.values()), options, notes, layout, where)


def _finish(
    ledger: Ledger,
    questions: list[_Question],
    options: Options,
    notes: list[str],
    layout: Layout,
    where: str,
) -> Loaded:
    items, responses = [], []
    tied = several = 0
    for question in questions:
        answers = gold.ranked(list(question.answers.values()), options.seed)
        several += len(answers) > 1
        tied += gold.is_tied(answers)
        items.append(
            {
                "item_id": question.id,
                "topic": question.topics[0] if question.topics else None,
                "turns": user_turn(question.text),
                "reference": answers[0].text,
                "lang": "en",
                "meta": meta(
                    title=question.title,
                    topics=question.topics,
                    question_ids=question.source_ids,
                    upvotes=[a.upvotes for a in answers],
                ),
            }
        )
        responses += gold.responses(question.id, answers)
    voted = any(a.upvotes for q in questions for a in q.answers.values())
    note = gold.tie_note(tied, several, voted)
    return ledger.finish(
        f"CounselChat, {layout.name} layout",
        items,
        responses,
        notes=[*notes, note] if note else notes,
        unit="answer row",
        where=where,
    )


def _notes(questions: list[_Question], titles_used: int, odd_votes: int) -> list[str]:
    ids: dict[str, int] = {}
    for question in questions:
        for source_id in question.source_ids:
            ids[source_id] = ids.get(source_id, 0) + 1
    counts = {
        "Questions without a text of their own, whose title stands for it: {}.": titles_used,
        "Questions without a topic: {}.": sum(not q.topics for q in questions),
        "Questions under several topics, of which the first counts (meta has all): {}.": sum(
            len(q.topics) > 1 for q in questions
        ),
        "Question ids that the file uses for more than one question (the text decides): {}.": sum(
            n > 1 for n in ids.values()
        ),
        "Rows without a number of upvotes, which rank last: {}.": odd_votes,
    }
    return [said.format(n) for said, n in counts.items() if n]


def raw_answers(path: str | Path) -> pl.DataFrame:
    """Return every answer as the file has it, uncleaned: what a published number was made from.

    Returns
    -------
    polars.DataFrame
        ``question_id``, ``title``, ``question``, ``answer``, ``topic`` (text, null where empty) and
        ``upvotes`` (whole number), a row an answer, in the order of the file.

    Raises
    ------
    UserError
        Where the file cannot be read or is not CounselChat.

    """
    frame, layout = read(path)
    return frame.select(
        pl.col("questionID").cast(pl.String).alias("question_id"),
        pl.col("questionTitle").alias("title"),
        pl.col("questionText").alias("question"),
        pl.col("answerText").alias("answer"),
        pl.col(layout.topic).alias("topic"),
        pl.col("upvotes").cast(pl.Int64, strict=False),
    )
