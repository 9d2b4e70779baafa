"""``attunement respond``: answers that keep to a plan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import typer

from attunement.cli import _models as models
from attunement.cli import _respond_options as options
from attunement.cli import _respond_text as text
from attunement.cli._common import EXIT_PROBLEMS, console, friendly, out, print_json, progress
from attunement.cli._options import (
    CI_LEVEL,
    JSON,
    choose,
    given_of,
    listed,
    refuse_level,
    refuse_unused,
)
from attunement.cli._respond_serve import serve
from attunement.cli._respond_show import show
from attunement.cli._respond_train import train
from attunement.errors import UserError

if TYPE_CHECKING:
    import polars as pl

    from attunement.planning.tagging import Tagger
    from attunement.respond.planned import Strategy
    from attunement.respond.plans import Kind, Plans
    from attunement.respond.record import Account
    from attunement.respond.sources import Source
    from attunement.runs import Run
    from attunement.stats.result import Result

app = typer.Typer(invoke_without_command=True, subcommand_metavar="[COMMAND] [ARGS]...")
app.command()(show)
app.command()(serve)
app.command()(train)


@app.callback()
@friendly
def respond(
    context: typer.Context,
    items: Path | None = typer.Option(
        None, "--items", help="Table of items: item_id and turns. Needed to answer."
    ),
    run: Path | None = typer.Option(
        None,
        "--run",
        help="Run folder that takes the answers, all candidates and the replies. Needed to answer.",
    ),
    strategy: str = typer.Option(
        "rerank",
        "--strategy",
        help="none: the first candidate; rerank: the candidate whose labels are most like the "
        "plan; prompt: the model is told the plan.",
    ),
    model: str | None = typer.Option(
        None,
        "--model",
        help="Candidates come from a model, named as for attunement generate; local for the "
        "embedded one (demonstration quality).",
    ),
    generator: Path | None = typer.Option(
        None, "--generator", help="Candidates come from a trained generator: its folder."
    ),
    responses: Path | None = typer.Option(
        None, "--responses", help="Candidates are in a responses table already."
    ),
    of: str | None = typer.Option(
        None, "--source", help="Whose candidates of --responses, where it has several sources."
    ),
    planner: Path | None = typer.Option(
        None, "--planner", help="Plans are predicted: folder of a trained planner."
    ),
    labels: Path | None = typer.Option(
        None, "--labels", help="Plans are in a table: item_id, and labels or act and emotion."
    ),
    labels_are: str | None = typer.Option(
        None,
        "--labels-are",
        help="What the labels of --labels are: chosen by a person, gold (what people did), or "
        "predicted earlier. By default predicted where plan predict wrote the table, else chosen.",
    ),
    tagger: str = options.TAGGER,
    candidates: int | None = typer.Option(
        None,
        "--candidates",
        min=1,
        max=1000,
        help="Candidates of each item; by default 10 to choose from, else 1.",
    ),
    name: str | None = typer.Option(
        None, "--name", help="Source of the answers; by default model, strategy and kind of plan."
    ),
    base_url: str | None = models.BASE_URL,
    api_key_env: str | None = models.API_KEY_ENV,
    system: str = models.SYSTEM,
    framing: str = options.FRAMING,
    numbered: bool = options.NUMBERED,
    temperature: float | None = models.TEMPERATURE,
    top_p: float | None = models.TOP_P,
    max_tokens: int | None = options.MAX_TOKENS,
    connections: int = models.CONNECTIONS,
    retries: int = models.RETRIES,
    timeout: int | None = models.TIMEOUT,
    price_in: float | None = models.PRICE_IN,
    price_out: float | None = models.PRICE_OUT,
    limit: int | None = typer.Option(None, "--limit", min=1, help="The first so many items only."),
    seed: int = typer.Option(
        1, "--seed", min=0, help="Seed of the first candidate, and of the bootstrap."
    ),
    ci_level: float = CI_LEVEL,
    dry_run: bool = typer.Option(
        False,
        "--dry-run",
        help="Say calls for candidates, tokens and cost, and stop before any call.",
    ),
    as_json: bool = JSON,
) -> None:
    """Answer items so that the answers keep to a plan, and keep every candidate with the reasons.

    Every reply is kept the moment it arrives: stopped and started again, no call is made twice.
    Exit code 1 where some calls failed; they are marked in the tables.
    """
    if context.invoked_subcommand is not None:
        _refuse_misplaced(context)
        return
    if items is None or run is None:
        raise UserError(
            "there is nothing to answer, or nowhere to put the answers.",
            fix="Give --items TABLE and --run FOLDER, or a subcommand: attunement respond --help.",
        )
    from attunement import tables
    from attunement.respond import planned, record
    from attunement.respond.plans import KINDS, kind_of
    from attunement.runs import Run

    choose(strategy, "--strategy", planned.STRATEGIES)
    if labels_are is not None:
        choose(labels_are, "--labels-are", KINDS)
    refuse_level(ci_level)
    options.refuse_framing(framing, numbered=numbered, strategy=strategy)
    _one_of(
        {"--model": model, "--generator": generator, "--responses": responses},
        "Give a --model, such as local for a trial, or what has candidates already.",
    )
    _one_of(
        {"--planner": planner, "--labels": labels},
        "Give what plan train or plan prompt has made, or a table of labels."
        if strategy != "none"
        else None,
    )
    _refuse_unused(context)
    if name is not None:
        planned.refuse_name(name)
    if strategy == "prompt" and model is None:
        raise UserError(
            "the strategy 'prompt' tells a model the plan, and there is none.",
            fix="Name one with --model, or use the strategy rerank.",
        )
    table = tables.read_table(items, "items")
    table = table.head(limit) if limit is not None else table
    folder = Run(run)
    source: Source
    if model is not None:
        spec = options.model(
            model,
            base_url,
            api_key_env,
            (price_in, price_out),
            temperature=temperature,
            top_p=top_p,
            max_tokens=max_tokens,
            max_connections=connections,
            max_retries=retries,
            timeout=timeout,
        )
        source = options.source_of(spec, system, framing, numbered=numbered, seed=seed)
        source, base = replace(source, journal_folder=folder.calls), spec.name
    elif generator is not None:
        source, base = _trained(generator), generator.resolve().name
    else:
        source, base = _existing(cast("Path", responses), of)
    n = candidates or (planned.CANDIDATES if strategy == "rerank" else 1)
    if dry_run:
        _estimate(source, table, n, as_json=as_json)
        return
    with folder.lock():
        kind = labels_are or ("predicted" if labels is None else kind_of(labels))
        called = _name(base, strategy, kind) if name is None else name
        record.refuse_loss(folder, called)
        plans, reads = _plans(table, planner, labels, cast("Kind", kind), tagger, folder)
        outcome = planned.respond(
            table,
            source,
            cast("Strategy", strategy),
            name=called,
            plans=plans,
            tagger=reads,
            n=n,
            track=progress,
        )
        gone = record.replaced(folder, outcome)
        record.write(folder, outcome)
    said = record.account(outcome)
    results = record.results(record.candidates_table(outcome), level=ci_level, seed=seed)
    if as_json:
        print_json(results, source=outcome.name, run=str(run), replaced=gone, **text.as_json(said))
    else:
        if gone:
            console().print(text.replaced(outcome.name, gone))
        _tell(outcome.name, said, results, run)
        if model is not None and spec.demonstration:
            console().print(text.DEMONSTRATION)
    if said.statuses.get("error") or (planner is not None and said.plans.get("error")):
        raise typer.Exit(EXIT_PROBLEMS)


def _one_of(given: dict[str, Any], needed: str | None) -> None:
    """Refuse options of which one is meant and several are there, or none where one is needed."""
    there = [option for option, value in given.items() if value is not None]
    if len(there) > 1:
        raise UserError(f"{' and '.join(there)} cannot both hold.", fix="Give one of them.")
    if needed and not there:
        raise UserError(f"one of {', '.join(given)} is needed.", fix=needed)


_ASKING = (
    "base_url", "api_key_env", "system", "framing", "numbered", "temperature", "top_p",
    "max_tokens", "connections", "retries", "timeout", "price_in", "price_out",
)  # fmt: skip


def _refuse_unused(context: typer.Context) -> None:
    """Refuse options that would change nothing, so that nobody thinks they did."""
    given = context.params
    if given["model"] is None:
        refuse_unused(context, "without --model", *_ASKING)
    if given["responses"] is None:
        refuse_unused(context, "without --responses", "of")
    if given["labels"] is None:
        refuse_unused(context, "without --labels", "labels_are")
    if given["labels"] is given["planner"] is None:
        refuse_unused(context, "without a plan", "tagger")
    options.refuse_words(context)


def _refuse_misplaced(context: typer.Context) -> None:
    """Refuse options before a subcommand, which has its own."""
    given = given_of(context, [p.name or "" for p in context.command.params])
    if given:
        verb = "stands" if len(given) == 1 else "stand"
        raise UserError(
            f"{listed(given)} {verb} before {context.invoked_subcommand}, which does not use what "
            "stands there.",
            fix=f"Write options behind it: attunement respond {context.invoked_subcommand} --help.",
        )


def _trained(folder: Path) -> Source:
    from attunement.respond.generator_storage import load_generator
    from attunement.respond.sources import Trained

    return Trained(load_generator(folder))


def _existing(file: Path, source: str | None) -> tuple[Source, str]:
    from attunement import tables
    from attunement.respond.candidates import of_source
    from attunement.respond.sources import Existing

    found = of_source(tables.read_table(file, "responses"), source, str(file))
    return Existing(found), found["source"][0] if found.height else "responses"


def _name(base: str, strategy: str, kind: str) -> str:
    return base if strategy == "none" else f"{base}-{strategy}-{kind}"


def _plans(
    items: pl.DataFrame,
    planner: Path | None,
    labels: Path | None,
    kind: Kind,
    tagger: str,
    run: Run,
) -> tuple[Plans | None, Tagger | None]:
    """Return the plans, and the tagger that says how far answers keep to them."""
    from attunement.planning import read_planner
    from attunement.planning.prompted import journaled
    from attunement.respond import plans
    from attunement.respond.candidates import contexts_of

    if planner is not None:
        predicts = journaled(read_planner(planner), run.calls / "plans.jsonl")
        reads = options.tagger(tagger, predicts.labels)
        contexts = contexts_of(items)
        with progress("Plans", len(contexts)) as advance:
            return plans.predicted(predicts, contexts, advance=advance), reads
    if labels is not None:
        reads = options.tagger(tagger, None)
        return plans.read(labels, items["item_id"].to_list(), reads.labels, kind), reads
    return None, None


def _estimate(source: Source, items: pl.DataFrame, n: int, *, as_json: bool) -> None:
    from attunement.cli.generate import tell_estimate
    from attunement.respond.sources import Model

    if not isinstance(source, Model):
        raise UserError("--dry-run is about the calls of --model.", fix="Leave it out.")
    tell_estimate([source.estimate(items, n)], as_json)


def _tell(name: str, said: Account, results: list[Result], run: Path) -> None:
    tell = console().print
    for line in text.counts(said):
        tell(line)
    if results:
        out().print(*text.tables(results))
    for line in text.cautions(results):
        tell(line)
    tell(f"Answers of {name} in {run}. The candidates and why: attunement respond show {run}")
