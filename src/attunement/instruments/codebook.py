"""The codebook: what every dimension asks, how it is answered and what its codes mean."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from attunement.instruments._fields import Words, number_text
from attunement.instruments._scales import (
    BooleanScale,
    ChoiceScale,
    NumberScale,
    SpansScale,
)
from attunement.instruments._words import WORDS
from attunement.instruments.form import rating_words
from attunement.instruments.schema import Dimension, Instrument

STATUSES = {
    "ok": "answered; the only status with a value",
    "not_sure": 'the rater chose "I am not sure"',
    "not_applicable": "the question does not apply to the unit, or there was nothing to rate",
    "unparsed": "a judge's reply could not be read",
    "refused": "a judge declined to answer",
    "error": "a judge's call failed",
}
"""What stands in the ratings table in place of a value, and why."""

_LEVELS = {
    "nominal": "nominal: categories without order",
    "ordinal": "ordinal: ordered categories, distances not known to be equal",
    "interval": "interval: equal distances",
    "set": "set: any number of labels; value is how many",
    "spans": "spans: labeled parts of the text; value is how many",
    "text": "text: free words, no value",
}


@dataclass(frozen=True)
class Entry:
    """One dimension in the codebook.

    Parameters
    ----------
    dimension
        The id, as in the ratings table.
    label, wording, definition
        Its texts by language; no definition is an empty mapping.
    type, level
        The kind of scale and the level of measurement.
    values
        What can be in ``value`` or ``labels``.
    codes
        What a value or an option means, by language; only those that have a text.
    better
        ``higher``, ``lower`` or ``neither``.
    reversed
        Whether it is turned round before its subscale is scored.
    subscales, step, priority
        Where it belongs and how much it matters; empty where nowhere.
    evidence
        What is asked for beside the answer.
    required
        Whether it has to be answered.
    missing
        The statuses that a rater can choose in place of an answer.

    """

    dimension: str
    label: Words
    wording: Words
    definition: Words
    type: str
    level: str
    values: str
    codes: dict[str, Words]
    better: str
    reversed: bool
    subscales: tuple[str, ...]
    step: str
    priority: str
    evidence: tuple[str, ...]
    required: bool
    missing: tuple[str, ...]


def codebook(instrument: Instrument) -> list[Entry]:
    """Return the codebook of an instrument, one entry a dimension in the instrument's order."""
    steps = {d: step.id for step in instrument.steps for d in step.dimensions}
    return [
        Entry(
            dimension=d.id,
            label=d.label,
            wording=d.wording,
            definition=d.definition or {},
            type=d.scale.type,
            level=d.scale.level,
            values=_values(d),
            codes=_codes(d, instrument.languages),
            better=d.scale.better,
            reversed=d.reversed,
            subscales=tuple(s.id for s in instrument.subscales if d.id in s.dimensions),
            step=steps.get(d.id, ""),
            priority=d.priority or "",
            evidence=d.evidence,
            required=d.required,
            missing=d.scale.missing,
        )
        for d in instrument.dimensions
    ]


def _values(dimension: Dimension) -> str:
    scale = dimension.scale
    if isinstance(scale, NumberScale):
        kind = "whole numbers" if scale.type == "integer" else "numbers"
        return f"{kind} from {number_text(scale.min)} to {number_text(scale.max)}"
    if isinstance(scale, BooleanScale):
        return "1 or 0"
    if isinstance(scale, ChoiceScale):
        return "one label" if scale.type == "choice" else "any number of labels, none included"
    return "parts of the text, each with a label" if isinstance(scale, SpansScale) else "text"


def _codes(dimension: Dimension, languages: tuple[str, ...]) -> dict[str, Words]:
    scale = dimension.scale
    if isinstance(scale, NumberScale):
        return {number_text(value): words for value, words in sorted(scale.anchors.items())}
    if isinstance(scale, BooleanScale):
        return {
            f"{value:g}": {
                code: rating_words(value, dimension, code, WORDS.get(code, WORDS["en"]))
                for code in languages
            }
            for value in (1.0, 0.0)
        }
    if isinstance(scale, ChoiceScale | SpansScale):
        return {
            o.id if o.value is None else f"{o.id} ({number_text(o.value)})": o.label
            for o in scale.options
        }
    return {}


def codebook_csv(instrument: Instrument) -> str:
    """Return the codebook as CSV: a row a dimension, a column a language for each text."""
    languages = instrument.languages
    texts = ("label", "wording", "definition", "codes")
    columns = ["instrument", "dimension"]
    columns += [f"{text}_{code}" for text in texts for code in languages]
    columns += ["type", "level", "values", "better", "reversed", "subscales", "step", "priority"]
    columns += ["evidence", "required", "missing"]
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(columns)
    for e in codebook(instrument):
        said: list[str] = [
            words.get(code, "")
            for words in (e.label, e.wording, e.definition)
            for code in languages
        ]
        said += [_code_list(e, code) for code in languages]
        rest = [e.type, e.level, e.values, e.better, _yes(e.reversed), "; ".join(e.subscales)]
        rest += [e.step, e.priority, "; ".join(e.evidence), _yes(e.required), "; ".join(e.missing)]
        cells = [" ".join(s.split()) for s in (*said, *rest)]
        rows.writerow([instrument.name, e.dimension, *_no_formulas(cells)])
    return out.getvalue()


def _no_formulas(texts: list[str]) -> list[str]:
    import polars as pl

    from attunement.tables import for_spreadsheet

    return for_spreadsheet(pl.DataFrame({"text": texts}))["text"].to_list()


def _code_list(entry: Entry, language: str) -> str:
    return "; ".join(f"{value} = {words[language]}" for value, words in entry.codes.items())


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def codebook_markdown(instrument: Instrument, language: str | None = None) -> str:
    """Return the codebook as a Markdown page; texts are in all languages, or in one."""
    languages = instrument.languages if language is None else (language,)
    first = languages[0]
    lines = [f"# {_flat(instrument.title[first])}", "", f"`{instrument.name}`", ""]
    lines += [f"{_flat(instrument.description[code])}\n" for code in languages]
    if instrument.caution is not None:
        lines += [f"**Caution:** {_flat(instrument.caution[code])}\n" for code in languages]
    about = [("unit", instrument.unit), ("languages", ", ".join(instrument.languages))]
    about += [("source", instrument.source.citation)]
    about += [("address", instrument.source.url)] if instrument.source.url else []
    about += [("note", instrument.source.note)] if instrument.source.note else []
    about += [("license", instrument.license)]
    lines += _table(("about", ""), about)
    for subscale in instrument.subscales:
        if subscale is instrument.subscales[0]:
            lines += ["## Subscales", ""]
        names = " / ".join(subscale.label[code] for code in languages)
        lines.append(f"- `{subscale.id}` {_flat(names)}: {', '.join(subscale.dimensions)}")
    lines += ["", "## Dimensions", ""] if instrument.subscales else ["## Dimensions", ""]
    for entry in codebook(instrument):
        lines += _entry(entry, languages)
    lines += ["## Missing", "", "A rating that could not be made has no value. Missing is never 0."]
    lines += ["", *_table(("status", "what it means"), list(STATUSES.items()))]
    return "\n".join(lines).rstrip() + "\n"


def _entry(entry: Entry, languages: tuple[str, ...]) -> list[str]:
    names = " / ".join(dict.fromkeys(entry.label[code] for code in languages))
    rows = [("question", entry.wording[code]) for code in languages]
    rows += [("definition", entry.definition[c]) for c in languages if c in entry.definition]
    rows += [("values", entry.values)]
    rows += [
        (f"`{value}`", " / ".join(dict.fromkeys(words[code] for code in languages)))
        for value, words in entry.codes.items()
    ]
    rows += [("level", _LEVELS[entry.level]), ("better", entry.better)]
    rows += [("reversed", "yes: turned round before scoring")] if entry.reversed else []
    rows += [("subscale", ", ".join(entry.subscales))] if entry.subscales else []
    rows += [("step", entry.step)] if entry.step else []
    rows += [("priority", entry.priority)] if entry.priority else []
    rows += [("evidence", ", ".join(entry.evidence))] if entry.evidence else []
    rows += [("required", _yes(entry.required))]
    rows += [("instead of an answer", ", ".join(entry.missing) or "nothing")]
    return [f"### `{entry.dimension}` {_flat(names)}", "", *_table(("key", ""), rows)]


def _table(heads: tuple[str, str], rows: list[tuple[str, str]]) -> list[str]:
    said = [f"| {key} | {_cell(text)} |" for key, text in rows]
    return [f"| {heads[0]} | {heads[1]} |", "| --- | --- |", *said, ""]


def _cell(text: str) -> str:
    return _flat(text).replace("|", "\\|")  # a bar would end the cell


def _flat(text: str) -> str:
    """Return a text on one line; what looks like HTML is text here."""
    return " ".join(text.split()).replace("<", "&lt;")
