"""``attunement judge``: have a language model rate answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

from attunement.cli._common import EXIT_PROBLEMS, console, friendly, print_json, progress
from attunement.cli._models import CONNECTIONS
from attunement.cli._options import JSON

if TYPE_CHECKING:
    import polars as pl


T = TypeVar("T")


@friendly
def judge(
    responses: Path = typer.Argument(
        ..., help="Table of answers: item_id, source, text, and question where --items is left out."
    ),
    model: list[str] = typer.Option(
        ...,
        "--model",
        help="The judge, as Inspect AI names it: openai/..., anthropic/..., openai-api/SERVER/NAME "
        "with --base-url, or local for the embedded model (demonstration quality). Given several "
        "times, each model is a judge of its own.",
    ),
    out: Path = typer.Option(
        ..., "--out", help="Where the ratings go: .parquet, .csv, .tsv or .jsonl."
    ),
    items: Path | None = typer.Option(
        None, "--items", help="Table of the items that the answers belong to."
    ),
    instrument: str = typer.Option(
        "nuance-judges", "--instrument", help="An instrument of the library, or a YAML file."
    ),
    name: list[str] = typer.Option(
        [],
        "--name",
        help="What the judge is called in tables; by default its model. One a --model.",
    ),
    run: Path | None = typer.Option(
        None,
        "--run",
        help="Run folder that keeps the replies and takes the ratings and the rater as well; "
        "by default replies are kept beside --out.",
    ),
    repeats: int = typer.Option(
        1, "--repeats", min=1, help="Rate everything so many times, for self-consistency."
    ),
    per: str | None = typer.Option(
        None,
        "--per",
        help="One call an 'answer' or one a 'dimension'; by default as the instrument says.",
    ),
    all_modes: bool = typer.Option(
        False,
        "--all-modes",
        help="Ask about every failure mode, also where a question aims at one.",
    ),
    rated_low: Path | None = typer.Option(
        None,
        "--rated-low",
        help="Table of ratings, or a run folder: judge only answers that a rater in it rated low.",
    ),
    rated_on: str = typer.Option(
        "overall", "--rated-on", help="The dimension that --rated-low looks at."
    ),
    at_most: float = typer.Option(2.0, "--at-most", help="The highest rating that is low."),
    subset: int | None = typer.Option(
        None,
        "--subset",
        min=1,
        help="Judge the answers to so many items, each topic in proportion.",
    ),
    attempts: int = typer.Option(
        3, "--attempts", min=1, help="Calls at most until a reply can be read."
    ),
    seed: int = typer.Option(
        1,
        "--seed",
        min=0,
        help="Order of calls, subset and boundary codes; also passed to the model.",
    ),
    base_url: list[str] = typer.Option(
        [],
        "--base-url",
        help="Address of an OpenAI-compatible server, ending in /v1. Once for all judges, or one a "
        "--model ('' for the provider's own).",
    ),
    api_key_env: list[str] = typer.Option(
        [],
        "--api-key-env",
        help="Environment variable that holds the key. Once for all judges, or one a --model ('' "
        "for the provider's usual one).",
    ),
    temperature: float = typer.Option(0.0, "--temperature", min=0.0, help="Sampling temperature."),
    max_tokens: int | None = typer.Option(
        None, "--max-tokens", min=1, help="Longest reply in tokens; by default the provider's."
    ),
    connections: int = CONNECTIONS,
    price_in: list[float] = typer.Option(
        [],
        "--price-in",
        help="USD for a million tokens in, for the cost. Once for all judges, or one a --model.",
    ),
    price_out: list[float] = typer.Option(
        [],
        "--price-out",
        help="USD for a million tokens out, for the cost. Once for all judges, or one a --model.",
    ),
    force: bool = typer.Option(
        False,
        "--force",
        help="Write over --out also where it holds ratings of other judges or instruments.",
    ),
    dry_run: bool = typer.Option(
        False, "--dry-run", help="Say calls, tokens and cost at most, and stop before any call."
    ),
    as_json: bool = JSON,
) -> None:
    """Have one or several language models rate answers on an instrument.

    Every reply is kept the moment it arrives: stopped and started again, no call is made twice.
    Exit code 1 where some calls failed, which are marked in the table, or where nothing that a
    judge said could be read.
    """
    import polars as pl

    from attunement import tables
    from attunement.cli import _judge_text as text
    from attunement.cli._existing import refuse_loss, refuse_no_table
    from attunement.errors import UserError
    from attunement.inspect_bridge import ModelSpec, Settings
    from attunement.instruments import load_instrument
    from attunement.raters.judges import distinct, journal_path, make_plan, rater_row, run_plan
    from attunement.raters.judges.outcome import failed, unread
    from attunement.runs import Run

    if per not in (None, "answer", "dimension"):
        raise UserError(f"--per is 'answer' or 'dimension', not {per!r}.")
    refuse_no_table(out)
    settings = Settings(
        temperature=temperature, max_tokens=max_tokens, seed=seed, max_connections=connections
    )
    judges = [
        ModelSpec(
            called or one,
            one,
            base_url=address or None,
            api_key_env=key or None,
            settings=settings,
            price_in=cost_in,
            price_out=cost_out,
        )
        for one, called, address, key, cost_in, cost_out in zip(
            model,
            _one_each("--name", name, model, shared=len(model) == 1),
            _one_each("--base-url", base_url, model),
            _one_each("--api-key-env", api_key_env, model),
            _one_each("--price-in", price_in, model),
            _one_each("--price-out", price_out, model),
            strict=True,
        )
    ]
    asked = load_instrument(instrument)
    questions, answers = _material(responses, items)
    if rated_low is not None:
        questions, answers = _low(questions, answers, rated_low, rated_on, at_most)
    plans = [
        make_plan(
            questions,
            answers,
            asked,
            spec,
            repeats=repeats,
            per=per,  # type: ignore[arg-type]
            subset=subset,
            attempts=attempts,
            seed=seed,
            all_modes=all_modes,
        )
        for spec in distinct(judges)
    ]
    warnings = list(dict.fromkeys(said for plan in plans for said in plan.warnings))
    for said in warnings:
        console().print(f"Warning: {said}")
    if dry_run:
        text.tell_estimates(plans, warnings, as_json)
        return
    mine = {"instrument": [asked.name], "rater": [plan.rater for plan in plans]}
    refuse_loss(out, mine, force=force)
    folder = Run(run) if run is not None else None
    done = []
    for plan in plans:
        journal = journal_path(folder.calls if folder else out.parent / f"{out.stem}.calls", plan)
        with progress(f"Judging with {plan.spec.name}", len(plan.jobs())) as advance:
            ratings = run_plan(plan, journal=journal, on_progress=advance)
        done.append((plan, ratings, journal))
        # after each judge, so that one that cannot be reached takes nothing from the others
        tables.write_table(pl.concat([rated for _, rated, _ in done]), out, "ratings")
        if folder is not None:
            folder.add_ratings(ratings)
            folder.add_raters(rater_row(plan))
            folder.record("judge", rater=plan.rater, signature=plan.signature)
        if not as_json:
            text.tell(plan, ratings, out, journal)
        if lost := unread(plan, ratings):
            warnings.append(f"{lost} {text.ask_again(plan)}")
            console().print(f"Warning: {warnings[-1]}", style="bold yellow")
    if as_json:
        facts = [text.facts(*one) for one in done]
        print_json([], judges=facts, out=str(out), warnings=warnings)
    if any(failed(plan, ratings) for plan, ratings, _ in done):
        raise typer.Exit(EXIT_PROBLEMS)


def _material(responses: Path, items: Path | None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the items and the responses table."""
    from attunement import tables
    from attunement.raters.judges.inputs import items_from_answers

    table = tables.read_frame(responses)
    questions = (
        tables.read_table(items, "items")
        if items is not None
        else items_from_answers(table, where=str(responses))
    )
    return questions, tables.require(table, "responses", where=str(responses))


def _low(
    questions: pl.DataFrame, answers: pl.DataFrame, path: Path, dimension: str, at_most: float
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the items, and of the answers those that were rated low; say how many they are."""
    from attunement import tables
    from attunement.cli._run_folder import ratings_file
    from attunement.raters.judges.inputs import rated_low

    ratings = tables.read_table(ratings_file(path), "ratings")
    kept = rated_low(questions, answers, ratings, dimension=dimension, at_most=at_most)
    console().print(
        f"Only the {kept[1].height:,} answers that were rated {at_most:g} or less on {dimension} "
        "are judged."
    )
    return kept


def _one_each(
    option: str, given: Sequence[T], models: Sequence[str], *, shared: bool = True
) -> Sequence[T | None]:
    """Return one value a model: none was given, one for all, or one for each."""
    if not given:
        return [None] * len(models)
    if len(given) == 1 and shared:
        return list(given) * len(models)
    if len(given) != len(models):
        from attunement.errors import UserError

        once = "once, or " if shared else ""
        raise UserError(
            f"{option} is given {len(given)} times for {len(models)} models.",
            fix=f"Give it {once}as often as --model, in the same order.",
        )
    return given
