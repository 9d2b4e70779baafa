"""Rate responses with metrics: a frame in, ratings out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from attunement import tables
from attunement.errors import UserError, first_of, nearest
from attunement.models.sentiment import SentimentModel, default_sentiment_model
from attunement.raters.metrics.base import VARIANTS, Batch, Metric, Need, Score, Variant
from attunement.raters.metrics.items import Items, check_items
from attunement.raters.metrics.registry import choose
from attunement.raters.metrics.systems import Systems
from attunement.tables import REFERENCE

if TYPE_CHECKING:
    from attunement.models.emotion import EmotionModel
    from attunement.models.language_model import LanguageModel
    from attunement.models.token_embeddings import TokenModel
    from attunement.tables.conform import Frame

CONTEXT = ("question", "reference", "lang")
"""What a responses table may carry about its items, beside the columns of its schema."""


@dataclass(frozen=True)
class Scorer:
    """What is rated, and by what.

    Parameters
    ----------
    metrics
        The metrics, in the order of the ratings.
    variant
        ``standard`` or ``paper``.
    items
        What the answers answer, where that is not in the responses themselves.
    references
        Item id -> gold-standard answer, for items without one in ``items`` or the responses.
    sentiment, emotion, embeddings, language_model
        Models in place of the default ones.
    systems
        Where given, it collects what the numbers of whole systems are made of.

    """

    metrics: Sequence[Metric]
    variant: Variant = "standard"
    items: Items | None = None
    references: Mapping[str, str] = field(default_factory=dict)
    sentiment: SentimentModel | None = None
    emotion: EmotionModel | None = None
    embeddings: TokenModel | None = None
    language_model: LanguageModel | None = None
    systems: Systems | None = None

    def rate(self, responses: pl.DataFrame) -> pl.DataFrame:
        """Return one rating for each response and metric, response by response.

        Parameters
        ----------
        responses
            A responses table with the columns of `CONTEXT` that it has, as `usable` returns it.

        """
        if not responses.height:
            return tables.empty("ratings")
        batch, unknown = self._batch(responses)
        failed = [
            f"no answer: {error}" if error and not (text or "").strip() else None
            for error, text in zip(responses["error"], responses["text"], strict=True)
        ]
        frames = []
        for place, metric in enumerate(self.metrics):
            scores = metric.scores(batch, self.variant)
            status = ["ok" if s.value is not None else "not_applicable" for s in scores]
            for row, why in enumerate(failed):
                # A metric that needs nothing of the item rates an answer whose item is not there.
                why = why or (unknown[row] if metric.needs else None)
                if why:
                    scores[row], status[row] = Score(None, why), "error"
            if self.systems is not None:
                self.systems.add(metric, batch, self.variant, responses, scores)
            frames.append(
                self._ratings(responses, metric, scores, status, batch).with_columns(
                    _row=pl.int_range(pl.len()), _place=pl.lit(place)
                )
            )
        return pl.concat(frames).sort("_row", "_place").drop("_row", "_place")

    def _ratings(
        self,
        responses: pl.DataFrame,
        metric: Metric,
        scores: Sequence[Score],
        status: Sequence[str],
        batch: Batch,
    ) -> pl.DataFrame:
        frame = responses.select(
            pl.lit("response").alias("unit"),
            pl.col("response_id").alias("unit_id"),
            "item_id",
            "source",
            pl.lit(f"metric:{self.variant}").alias("rater"),
            pl.lit("metric").alias("rater_kind"),
            pl.lit(metric.instrument).alias("instrument"),
            pl.lit(metric.name).alias("dimension"),
            pl.Series("value", [s.value for s in scores], dtype=pl.Float64),
            pl.Series("status", status, dtype=pl.String),
            pl.Series("rationale", [s.reason for s in scores], dtype=pl.String),
            pl.lit(metric.signature(batch, self.variant)).alias("signature"),
        )
        return tables.conform(frame, "ratings")

    def _batch(self, responses: pl.DataFrame) -> tuple[Batch, list[str | None]]:
        """Return the batch, and for each row why its item is not known, or None."""
        n = responses.height
        ids = responses["item_id"].to_list()
        own = {c: responses[c].to_list() if c in responses.columns else [None] * n for c in CONTEXT}
        questions, references, languages = (list(own[c]) for c in CONTEXT)
        contexts = list(questions)
        unknown: list[str | None] = [None] * n
        for row, item_id in enumerate(ids):
            if self.items is not None:
                item = self.items.by_id.get(item_id)
                if item is None:
                    unknown[row] = f"item {item_id!r} is not in the items table"
                    continue
                own_reference = references[row]
                questions[row], references[row], languages[row], contexts[row] = item
                references[row] = references[row] or own_reference
            references[row] = references[row] or self.references.get(item_id)
        batch = Batch(
            answers=[t or "" for t in responses["text"]],
            questions=[q or "" for q in questions],
            references=[r or "" for r in references],
            languages=languages,
            gold=(responses["source"] == REFERENCE).to_list(),
            sentiment=self.sentiment or default_sentiment_model(),
            emotion=self.emotion,
            contexts=[c or "" for c in contexts],
            embeddings=self.embeddings,
            language_model=self.language_model,
        )
        return batch, unknown


def usable(
    responses: pl.DataFrame, *, first_row: int = 0, where: str | None = None
) -> pl.DataFrame:
    """Return the responses conformed, with the columns of `CONTEXT` that they have.

    Raises
    ------
    UserError
        Where a column is missing, or an item id or source is empty.

    """
    try:
        table = tables.conform(responses, "responses")
    except UserError as error:
        raise UserError(error.what, where=where or error.where, fix=error.fix) from None
    for column in ("item_id", "source", "response_id"):
        empty = table[column].is_null() | (table[column].str.strip_chars() == "")
        if empty.any():
            row = first_row + int(empty.arg_true()[0]) + 1
            raise UserError(
                f"{column} is empty in {int(empty.sum())} rows, first in row {row}.", where=where
            )
    context = [c for c in CONTEXT if c in responses.columns]
    if not table.height:
        return table.with_columns(pl.lit(None, dtype=pl.String).alias(c) for c in context)
    return table.with_columns(responses[c].cast(pl.String) for c in context)


def check_variant(variant: str) -> Variant:
    """Return the variant.

    Raises
    ------
    UserError
        Where it is neither ``standard`` nor ``paper``.

    """
    for known in VARIANTS:
        if variant == known:
            return known
    guess = nearest(variant, list(VARIANTS))
    raise UserError(
        f"there is no variant {variant!r}.",
        fix=f"Use {guess!r}." if guess else f"Use {' or '.join(VARIANTS)}.",
    )


def score(
    responses: Frame,
    items: Frame | None = None,
    *,
    metrics: Sequence[str] | None = None,
    variant: Variant = "standard",
    sentiment: SentimentModel | None = None,
    emotion: EmotionModel | None = None,
    embeddings: TokenModel | None = None,
    language_model: LanguageModel | None = None,
) -> pl.DataFrame:
    """Rate every response with every metric.

    Parameters
    ----------
    responses
        A responses table: ``item_id``, ``source``, ``text``. The questions stand in a column
        ``question`` (and the gold-standard answers in ``reference``) or come by ``items``.
        Where an item has no reference by either, its answer of source ``reference`` is the one.
    items
        The items table.
    metrics
        Names of metrics and of sets of them (`registry.SETS`); by default every conversation
        metric that can be computed from what is given.
    variant
        ``standard``, or ``paper`` to repeat published numbers.
    sentiment, emotion, embeddings, language_model
        Models in place of the default ones.

    Returns
    -------
    A ratings table with one row for each response and metric, response by response. Answered items
    whose reference is in ``items`` only have it rated too, as source ``reference``. Where there is
    no value, ``status`` says what kind of gap it is and ``rationale`` why.

    Raises
    ------
    UserError
        Where a column is missing, a response id occurs twice, a metric is not known, or a metric
        that is asked for needs what is not given.

    """
    table = usable(tables.to_polars(responses))
    twice = table["response_id"].filter(table["response_id"].is_duplicated()).unique()
    if len(twice):
        raise duplicate_ids(twice.sort().to_list())
    found = None if items is None else Items.of(items)
    references = gold_answers(table)
    given = given_needs(table.columns, found, references)
    chosen, _ = choose(metrics, given)
    scorer = Scorer(
        chosen,
        check_variant(variant),
        found,
        references,
        sentiment,
        emotion,
        embeddings,
        language_model,
    )
    if found is None:
        return scorer.rate(table)
    check_items(table["item_id"], found)
    gold = tables.missing_references(
        found.references, table.select("item_id", "source").iter_rows()
    )
    rated = scorer.rate(table)
    return pl.concat([rated, scorer.rate(usable(gold))]) if gold.height else rated


def gold_answers(table: pl.DataFrame) -> dict[str, str]:
    """Return item id -> answer of the rows whose source is ``reference``."""
    gold = table.filter(pl.col("source") == REFERENCE, pl.col("text").is_not_null())
    return dict(zip(gold["item_id"], gold["text"], strict=True))


def given_needs(
    columns: Sequence[str], items: Items | None, references: Mapping[str, str]
) -> set[Need]:
    """Return which of ``question`` and ``reference`` there are."""
    given: set[Need] = set(items.given) if items else set()
    if items is None and "question" in columns:
        given.add("question")
    if references or "reference" in columns:
        given.add("reference")
    return given


def duplicate_ids(ids: Sequence[str], *, where: str | None = None) -> UserError:
    """Return the error that names response ids that occur more than once."""
    shown = first_of([repr(i) for i in ids], 5)
    return UserError(
        f"response ids occur more than once: {shown}.",
        where=where,
        fix="Give each answer its own response_id, or number the answers of one source to the "
        "same item in a column 'candidate'.",
    )
