"""One HTML file that shows an instrument: the form as raters see it, the judge's prompt beside it.

The page holds everything it needs and asks for nothing: no script, no address but the source's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from attunement.instruments._form_html import environment, render_form
from attunement.instruments.form import build_form
from attunement.instruments.schema import Instrument, Source

_NAMES = {"en": "English", "it": "Italiano"}


@dataclass(frozen=True)
class Sample:
    """What stands where a rater sees the unit: a question and an answer."""

    question: str
    answer: str


SAMPLES = {
    "en": Sample(
        "Since I moved for work I have not met anyone. In the evenings I sit at home and wonder "
        "whether it was a mistake.",
        "Starting over in a new place can be lonely, and doubting the move on a quiet evening "
        "makes sense. Is there something you did back home, such as a sport or a choir, that "
        "brought you together with people? It could be a first step here as well.",
    ),
    "it": Sample(
        "Da quando mi sono trasferita per lavoro non ho conosciuto nessuno. La sera sto a casa e "
        "mi chiedo se sia stato un errore.",
        "Ricominciare in un posto nuovo può far sentire soli, e in una sera silenziosa è naturale "
        "dubitare della scelta. C'è qualcosa che faceva a casa, come uno sport o un coro, che la "
        "faceva stare con gli altri? Potrebbe essere un primo passo anche qui.",
    ),
}
"""The preview's own example, by language; nobody wrote it in distress."""


@dataclass(frozen=True)
class Headings:
    """The page's own words in one language; ``units`` names what can be rated."""

    facts: str
    units: dict[str, str]
    form: str
    judge: str
    judge_language: str
    schema: str
    question: str
    answer: str
    session: str
    session_text: str


_HEADINGS = {
    "en": Headings(
        facts="rates: {unit} · dimensions: {n} · a preview, which sends nothing",
        units={
            "item": "an item",
            "response": "a response",
            "conversation": "a conversation",
            "session": "a session",
        },
        form="What a rater sees",
        judge="What a judge is asked",
        judge_language="Judges are asked in the instrument's first language.",
        schema="The form of the reply (JSON Schema)",
        question="Question",
        answer="Answer to rate",
        session="What is rated",
        session_text="What the rater has just had or read: {unit}.",
    ),
    "it": Headings(
        facts="valuta: {unit} · dimensioni: {n} · un'anteprima, che non invia nulla",
        units={
            "item": "un item",
            "response": "una risposta",
            "conversation": "una conversazione",
            "session": "una sessione",
        },
        form="Che cosa vede chi valuta",
        judge="Che cosa si chiede a un giudice",
        judge_language="Ai giudici si chiede nella prima lingua dello strumento.",
        schema="La forma della risposta (JSON Schema)",
        question="Domanda",
        answer="Risposta da valutare",
        session="Che cosa si valuta",
        session_text="Ciò che chi valuta ha appena vissuto o letto: {unit}.",
    ),
}


@dataclass(frozen=True)
class JudgeCall:
    """One call to a judge: what it is about, its messages by role, the schema of its reply."""

    about: str
    messages: tuple[tuple[str, str], ...]
    schema: str | None


@dataclass(frozen=True)
class ShownJudge:
    """How a judge is asked, in the language it is asked in."""

    language: str
    calls: tuple[JudgeCall, ...]


@dataclass(frozen=True)
class ShownLanguage:
    """The instrument in one language: its texts, what is rated, and the form as HTML."""

    code: str
    name: str
    facts: str
    description: str
    caution: str | None
    headings: Headings
    rated: tuple[tuple[str, str], ...]
    form: str


@dataclass(frozen=True)
class Page:
    """What the template receives."""

    title: str
    name: str
    languages: tuple[ShownLanguage, ...]
    judge: ShownJudge | None
    source: Source
    license: str
    css: str


def preview(
    instrument: Instrument,
    *,
    languages: Sequence[str] | None = None,
    judge: ShownJudge | None = None,
) -> str:
    """Return the preview page of an instrument.

    Parameters
    ----------
    instrument
        What is shown.
    languages
        Which of its languages, the first one open; by default all.
    judge
        How a judge is asked; the prompt is made in `attunement.raters.judges`. None leaves it out.

    Raises
    ------
    UserError
        Where the instrument has no such language.

    """
    codes = list(languages or instrument.languages)
    shown = tuple(_language(instrument, code) for code in codes)
    assets = files("attunement.instruments") / "assets"
    page = Page(
        title=instrument.title[codes[0]],
        name=instrument.name,
        languages=shown,
        judge=judge,
        source=instrument.source,
        license=instrument.license,
        css="".join((assets / name).read_text("utf-8") for name in ("preview.css", "form.css")),
    )
    return environment().get_template("preview.html.j2").render(page=page)


def _language(instrument: Instrument, code: str) -> ShownLanguage:
    form = build_form(instrument, code)  # refuses a language that the instrument lacks
    headings = _HEADINGS.get(code, _HEADINGS["en"])
    unit = headings.units[instrument.unit]
    sample = SAMPLES.get(code, SAMPLES["en"])
    rated: tuple[tuple[str, str], ...] = (
        (headings.question, sample.question),
        (headings.answer, sample.answer),
    )
    if instrument.unit == "item":
        rated = rated[:1]
    elif instrument.unit != "response":
        rated = ((headings.session, headings.session_text.format(unit=unit)),)
    caution = instrument.caution
    return ShownLanguage(
        code=code,
        name=_NAMES.get(code, code),
        facts=headings.facts.format(unit=unit, n=len(instrument.dimensions)),
        description=instrument.description[code],
        caution=None if caution is None else caution[code],
        headings=headings,
        rated=rated,
        form=render_form(form, prefix=f"{code}-"),
    )
