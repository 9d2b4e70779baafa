"""``attunement judge``: have a language model rate answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from attunement.cli._common import EXIT_PROBLEMS, console, friendly, print_json, progress
from attunement.cli._plain import plain, shown

if TYPE_CHECKING:
    import polars as pl

    from attunement.raters.judges import Plan

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
    connections: int = typer.Option(10, "--connections", min=1, help="Calls at once."),
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
    dry_run: bool = typer.Option(
        False, "--dry-run", help="Say calls, tokens and cost at most, and stop before any call."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print a JSON object on standard output."),
) -> None:
    """Have one or several language models rate answers on an instrument.

    Every reply is kept the moment it arrives: stopped and started again, no call is made twice.
    Exit code 1 where some calls failed; they are marked in the table.
    """
    import polars as pl
    from rich.markup import escape

    from attunement import tables
    from attunement.errors import UserError
    from attunement.inspect_bridge import ModelSpec, Settings
    from attunement.instruments import load_instrument
    from attunement.raters.judges import distinct, journal_path, make_plan, rater_row, run_plan
    from attunement.raters.judges.inputs import items_from_answers
    from attunement.runs import Run

    if per not in (None, "answer", "dimension"):
        raise UserError(f"--per is 'answer' or 'dimension', not {per!r}.")
    _refuse_early(out, base_url, [*price_in, *price_out])
    table = tables.read_frame(responses)
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
    questions = (
        tables.read_table(items, "items")
        if items is not None
        else items_from_answers(table, where=str(responses))
    )
    answers = tables.require(table, "responses", where=str(responses))
    asked = load_instrument(instrument)
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
        )
        for spec in distinct(judges)
    ]
    warnings = list(dict.fromkeys(said for plan in plans for said in plan.warnings))
    for said in warnings:
        console().print(plain(f"Warning: {said}"))
    if dry_run:
        _tell_estimates(plans, warnings, as_json)
        return
    folder = Run(run) if run is not None else None
    done = []
    for plan in plans:
        journal = journal_path(folder.calls if folder else out.parent / f"{out.stem}.calls", plan)
        with progress(escape(shown(f"Judging with {plan.spec.name}")), len(plan.jobs())) as advance:
            ratings = run_plan(plan, journal=journal, on_progress=advance)
        done.append((plan, ratings, journal))
        # after each judge, so that one that cannot be reached takes nothing from the others
        tables.write_table(pl.concat([rated for _, rated, _ in done]), out, "ratings")
        if folder is not None:
            folder.add_ratings(ratings)
            folder.add_raters(rater_row(plan))
            folder.record("judge", rater=plan.rater, signature=plan.signature)
        if not as_json:
            _tell(plan, ratings, out, journal)
    if as_json:
        print_json([], judges=[_facts(*one) for one in done], out=str(out), warnings=warnings)
    if any(_counts(ratings).get("error", 0) for _, ratings, _ in done):
        raise typer.Exit(EXIT_PROBLEMS)


def _refuse_early(out: Path, addresses: Sequence[str], prices: Sequence[float]) -> None:
    """Refuse what would only fail once calls were made and paid for."""
    from math import isfinite

    from attunement.errors import UserError
    from attunement.tables.schema import SUFFIXES

    if out.suffix.lower() not in SUFFIXES or out.is_dir():
        raise UserError(
            "no table can be written under this name.",
            where=f"--out {out}",
            fix=f"Give a file that ends in {', '.join(SUFFIXES)}.",
        )
    for address in addresses:
        if address and not address.startswith(("http://", "https://")):
            raise UserError(
                f"{address!r} is not the address of a server.",
                where="--base-url",
                fix="Write it as http://127.0.0.1:8000/v1.",
            )
    for price in prices:
        if not (isfinite(price) and price >= 0):
            raise UserError(
                f"{price:g} is not a price.",
                where="--price-in, --price-out",
                fix="Give USD for a million tokens, or leave it out where it is not known.",
            )


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


def _tell_estimates(plans: Sequence[Plan], warnings: list[str], as_json: bool) -> None:
    from dataclasses import asdict

    estimates = [(plan, plan.estimate()) for plan in plans]
    if as_json:
        told = [{"rater": plan.rater, "estimate": asdict(said)} for plan, said in estimates]
        print_json([], judges=told, warnings=warnings)
        return
    for plan, said in estimates:
        cost = "cost unknown (give --price-in and --price-out)"
        if said.cost_usd is not None:
            cost = f"${said.cost_usd:,.2f}"
        line = (
            f"{plan.rater} on {plan.instrument.name}: {said.calls:,} calls for "
            f"{sum(t.skip is None for t in plan.tasks):,} {_unit(plan)}s, about "
            f"{said.tokens_in:,} tokens in, at most {said.tokens_out:,} out, {cost}. "
            "No call was made."
        )
        console().print(plain(line))


def _unit(plan: Plan) -> str:
    unit = plan.instrument.unit
    return "answer" if unit == "response" else unit


def _counts(ratings: pl.DataFrame) -> dict[str, int]:
    return dict(ratings.group_by("status").len().sort("status").iter_rows())


def _facts(plan: Plan, ratings: pl.DataFrame, journal: Path) -> dict[str, Any]:
    return {
        "rater": plan.rater,
        "instrument": plan.instrument.name,
        "ratings": ratings.height,
        "statuses": _counts(ratings),
        "demonstration": plan.spec.demonstration,
        "journal": str(journal),
        "signature": plan.signature,
    }


def _tell(plan: Plan, ratings: pl.DataFrame, out: Path, journal: Path) -> None:
    said = ", ".join(f"{n:,} {status}" for status, n in _counts(ratings).items()) or "none"
    lines = [f"{plan.rater} on {plan.instrument.name}: {ratings.height:,} ratings ({said})."]
    if plan.spec.demonstration:
        lines.append("These scores are of demonstration quality: the model is too small to judge.")
    failed = ratings.filter(status="error")
    if failed.height:
        lines.append(f"The first failure: {failed['rationale'][0]}")
        lines.append("Run the same command again to repeat only the calls that failed.")
    lines.append(f"Ratings in {out}, replies in {journal}.")
    for line in lines:
        console().print(plain(line))
