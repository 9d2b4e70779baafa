"""``attunement instruments``: what raters are asked, and what follows from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from attunement.cli._common import EXIT_PROBLEMS, console, friendly, out, print_json
from attunement.cli._options import JSON
from attunement.cli._plain import plain
from attunement.errors import UserError

if TYPE_CHECKING:
    from rich.console import JustifyMethod

    from attunement.instruments import Dimension, Instrument
    from attunement.instruments.preview import JudgeCall, ShownJudge

app = typer.Typer(
    help="See what raters are asked: the library of instruments, and instruments of your own.",
    no_args_is_help=True,
)

NAME = typer.Argument(
    help="An instrument of the library (a step behind a colon, as in socio-emotional:filter), "
    "or a YAML file."
)


@app.command("list")
@friendly
def list_(
    as_json: bool = JSON,
) -> None:
    """List the library."""
    from attunement.instruments import list_instruments, load_instrument

    library = [load_instrument(name) for name in list_instruments()]
    if as_json:
        print_json([], instruments=[_summary(instrument) for instrument in library])
        return
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for heading in ("instrument", "what it is", "rates a", "dimensions", "languages"):
        side: JustifyMethod = "right" if heading == "dimensions" else "left"
        table.add_column(heading, justify=side, overflow="fold", no_wrap=heading == "instrument")
    for instrument in library:
        table.add_row(
            plain(instrument.name),
            plain(instrument.title[instrument.language]),
            instrument.unit,
            str(len(instrument.dimensions)),
            ", ".join(instrument.languages),
        )
    out().print(table)


def _summary(instrument: Instrument) -> dict[str, object]:
    return {
        "name": instrument.name,
        "title": instrument.title,
        "unit": instrument.unit,
        "languages": list(instrument.languages),
        "dimensions": [d.id for d in instrument.dimensions],
        "subscales": [s.id for s in instrument.subscales],
        "steps": [s.id for s in instrument.steps],
        "caution": instrument.caution,
        "source": instrument.source.citation,
        "license": instrument.license,
    }


@app.command("show")
@friendly
def show(
    name: str = NAME,
    language: str | None = typer.Option(
        None, "--language", help="Show its texts in this language; by default its first."
    ),
    as_json: bool = typer.Option(
        False, "--json", help="Print the whole instrument as a JSON object on standard output."
    ),
) -> None:
    """Show what an instrument asks, how it is answered, and where it comes from."""
    from attunement.instruments import load_instrument

    instrument = load_instrument(name)
    if as_json:
        print_json([], instrument=instrument.model_dump(mode="json"))
        return
    code = language or instrument.language
    _refuse_language(instrument, code)
    _print_head(instrument, code)
    for dimension in instrument.dimensions:
        _print_dimension(instrument, dimension, code)
    lines = [instrument.source.citation, instrument.source.url, instrument.source.note]

    for line in [*lines, f"License: {instrument.license}"]:
        if line:
            out().print(plain(line, "dim"))


def _refuse_language(instrument: Instrument, code: str) -> None:
    if code not in instrument.languages:
        raise UserError(
            f"{instrument.name} has no texts in {code!r}.",
            where="--language",
            fix=f"It speaks {', '.join(instrument.languages)}.",
        )


def _print_head(instrument: Instrument, code: str) -> None:
    from rich.text import Text

    said = out()
    said.print(Text.assemble(plain(instrument.title[code], "bold"), f"  {instrument.name}"))
    said.print(plain(instrument.description[code]))
    said.print(plain(f"Rates a {instrument.unit}; languages {', '.join(instrument.languages)}."))
    if instrument.caution is not None:
        said.print(Text.assemble(("Caution: ", "bold yellow"), plain(instrument.caution[code])))
    if instrument.instructions is not None:
        said.print(plain(f"Instructions: {instrument.instructions[code]}"))
    for step in instrument.steps:
        said.print(plain(f"Step {step.id}: {', '.join(step.dimensions)}"))
    for subscale in instrument.subscales:
        names = ", ".join(subscale.dimensions)
        said.print(plain(f"Subscale {subscale.id} ({subscale.label[code]}): {names}"))
    said.print()


def _print_dimension(instrument: Instrument, dimension: Dimension, code: str) -> None:
    from rich.padding import Padding
    from rich.text import Text

    from attunement.instruments.codebook import codebook

    entry = next(e for e in codebook(instrument) if e.dimension == dimension.id)
    said = out()
    said.print(Text.assemble((dimension.id, "bold"), plain(f"  {dimension.wording[code]}")))
    lines = [dimension.definition[code]] if dimension.definition is not None else []
    codes = "; ".join(f"{value} = {words[code]}" for value, words in entry.codes.items())
    better = {"neither": "neither end is better"}.get(entry.better, f"{entry.better} is better")
    lines.append(f"{entry.values}{f' ({codes})' if codes else ''}; {entry.level}; {better}")
    also = [f"may be answered {', '.join(entry.missing)}"] if entry.missing else []
    also += [f"asks for {', '.join(entry.evidence)}"] if entry.evidence else []
    also += [] if entry.required else ["optional"]
    also += ["reversed"] if entry.reversed else []
    also += [f"priority {entry.priority}"] if entry.priority else []
    also += [f"{len(dimension.examples)} worked example"] if dimension.examples else []
    lines += ["; ".join(also)] if also else []
    for line in lines:
        said.print(Padding(plain(line), (0, 0, 0, 2)))
    said.print()


@app.command("check")
@friendly
def check(
    file: str = typer.Argument(
        help="The YAML file of an instrument, or an instrument of the library."
    ),
    as_json: bool = JSON,
) -> None:
    """Say what is wrong with an instrument's file: line, key, reason, nearest known key.

    Exit code 0 where nothing is, 1 where something is.
    """
    from dataclasses import asdict

    from attunement.instruments import check_instrument

    problems = check_instrument(file)
    if as_json:
        print_json([], ok=not problems, problems=[asdict(p) for p in problems])
    elif not problems:
        console().print(plain(f"{file}: nothing wrong."))
    else:
        from rich.table import Table

        table = Table(title=plain(file, "table.title"), title_justify="left")
        for heading in ("line", "key", "reason", "nearest known key"):
            table.add_column(heading, overflow="fold")
        for p in problems:
            line = "" if p.line is None else str(p.line)
            table.add_row(line, plain(p.key), plain(p.reason), plain(p.nearest or ""))
        out().print(table)
    if problems:
        raise typer.Exit(EXIT_PROBLEMS)


@app.command("codebook")
@friendly
def codebook(
    name: str = NAME,
    form: str = typer.Option("md", "--format", help="md (Markdown) or csv."),
    language: str | None = typer.Option(
        None, "--language", help="Texts in this language only (Markdown); by default in all."
    ),
    file: Path | None = typer.Option(
        None, "--out", help="Write to this file; by default to standard output."
    ),
) -> None:
    """Print the codebook: every dimension, its scale, codes, direction, level and missing codes."""
    from attunement.instruments import load_instrument
    from attunement.instruments.codebook import codebook_csv, codebook_markdown

    if form not in ("md", "csv"):
        raise UserError(f"unknown format {form!r}.", where="--format", fix="Use md or csv.")
    instrument = load_instrument(name)
    if language is not None:
        _refuse_language(instrument, language)
    is_csv = form == "csv"
    text = codebook_csv(instrument) if is_csv else codebook_markdown(instrument, language)
    _write(text, file)


@app.command("preview")
@friendly
def preview(
    name: str = NAME,
    file: Path | None = typer.Option(
        None, "--out", help="The HTML file; by default the instrument's name."
    ),
    language: list[str] | None = typer.Option(
        None,
        "--language",
        help="Show this language first; may be given several times. By default all.",
    ),
) -> None:
    """Write one HTML file with the form that raters see and the prompt that judges get."""
    from attunement.instruments import load_instrument
    from attunement.instruments.preview import preview as page

    instrument = load_instrument(name)
    for code in language or []:
        _refuse_language(instrument, code)
    text = page(instrument, languages=language, judge=_judge(instrument))
    target = file or Path(f"{instrument.id}.html")
    _write(text, target)


def _judge(instrument: Instrument) -> ShownJudge:
    from attunement.instruments.preview import ShownJudge
    from attunement.raters.judges.prompt import judge_section

    per_answer = judge_section(instrument).per == "answer"
    groups = [instrument.dimensions] if per_answer else [(d,) for d in instrument.dimensions]
    calls = tuple(_call(instrument, group) for group in groups)
    return ShownJudge(instrument.language, calls)


def _call(instrument: Instrument, dimensions: tuple[Dimension, ...]) -> JudgeCall:
    from attunement.instruments.preview import SAMPLES, JudgeCall
    from attunement.raters.judges.prompt import Material, build_messages, reply_schema

    sample = SAMPLES.get(instrument.language, SAMPLES["en"])
    asked, answered = ("user", sample.question), ("assistant", sample.answer)
    material = {
        "item": Material((asked,), None),
        "response": Material((asked,), sample.answer),
    }.get(instrument.unit, Material((asked, answered), None))
    schema = reply_schema(instrument, dimensions)
    return JudgeCall(
        about=", ".join(d.id for d in dimensions),
        messages=tuple((m.role, m.text) for m in build_messages(instrument, dimensions, material)),
        schema=None if schema is None else json.dumps(schema, indent=2, ensure_ascii=False),
    )


@app.command("schema")
@friendly
def schema(
    file: Path | None = typer.Option(
        None, "--out", help="Write to this file; by default to standard output."
    ),
) -> None:
    """Print the JSON Schema of instrument files, for editors that complete and check YAML."""
    from attunement.instruments.json_schema import json_schema

    _write(json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n", file)


def _write(text: str, file: Path | None) -> None:
    if file is None:
        typer.echo(text, nl=False)
        return
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"cannot be written: {error.strerror}.", where=str(file), fix="Give another --out."
        ) from None
    console().print(plain(f"wrote {file}"))
