"""``attunement judge``: have a language model rate answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from attunement.cli._common import EXIT_PROBLEMS, console, friendly, print_json, progress

if TYPE_CHECKING:
    import polars as pl

    from attunement.raters.judges import Plan


@friendly
def judge(
    responses: Path = typer.Argument(
        ..., help="Table of answers: item_id, source, text, and question where --items is left out."
    ),
    model: str = typer.Option(
        ...,
        "--model",
        help="The judge, as Inspect AI names it: openai/..., anthropic/..., openai-api/SERVER/NAME "
        "with --base-url, or local for the embedded model (demonstration quality).",
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
    name: str | None = typer.Option(
        None, "--name", help="What the judge is called in tables; by default its model."
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
        1, "--seed", help="Order of calls, subset and boundary codes; also passed to the model."
    ),
    base_url: str | None = typer.Option(
        None, "--base-url", help="Address of an OpenAI-compatible server, ending in /v1."
    ),
    api_key_env: str | None = typer.Option(
        None, "--api-key-env", help="Environment variable that holds the key."
    ),
    temperature: float = typer.Option(0.0, "--temperature", min=0.0, help="Sampling temperature."),
    max_tokens: int | None = typer.Option(
        None, "--max-tokens", min=1, help="Longest reply in tokens; by default the provider's."
    ),
    connections: int = typer.Option(10, "--connections", min=1, help="Calls at once."),
    price_in: float | None = typer.Option(
        None, "--price-in", help="USD for a million tokens in, for the cost."
    ),
    price_out: float | None = typer.Option(
        None, "--price-out", help="USD for a million tokens out, for the cost."
    ),
    dry_run: bool = typer.Option(
        False, "--dry-run", help="Say calls, tokens and cost at most, and stop before any call."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print a JSON object on standard output."),
) -> None:
    """Have a language model rate answers on an instrument.

    Every reply is kept the moment it arrives: stopped and started again, no call is made twice.
    Exit code 1 where some calls failed; they are marked in the table.
    """
    from attunement import tables
    from attunement.errors import UserError
    from attunement.inspect_bridge import ModelSpec, Settings
    from attunement.instruments import load_instrument
    from attunement.raters.judges import journal_path, make_plan, rater_row, run_plan
    from attunement.raters.judges.inputs import items_from_answers
    from attunement.runs import Run

    if per not in (None, "answer", "dimension"):
        raise UserError(f"--per is 'answer' or 'dimension', not {per!r}.")
    table = tables.read_frame(responses)
    spec = ModelSpec(
        name or model,
        model,
        base_url=base_url,
        api_key_env=api_key_env,
        settings=Settings(
            temperature=temperature, max_tokens=max_tokens, seed=seed, max_connections=connections
        ),
        price_in=price_in,
        price_out=price_out,
    )
    plan = make_plan(
        tables.read_table(items, "items")
        if items is not None
        else items_from_answers(table, where=str(responses)),
        tables.require(table, "responses", where=str(responses)),
        load_instrument(instrument),
        spec,
        repeats=repeats,
        per=per,  # type: ignore[arg-type]
        subset=subset,
        attempts=attempts,
        seed=seed,
    )
    for said in plan.warnings:
        console().print(f"Warning: {said}", markup=False)
    if dry_run:
        _tell_estimate(plan, as_json)
        return
    folder = Run(run) if run is not None else None
    journal = journal_path(folder.calls if folder else out.parent / f"{out.stem}.calls", plan)
    with progress(f"Judging with {spec.name}", len(plan.jobs())) as advance:
        ratings = run_plan(plan, journal=journal, on_progress=advance)
    tables.write_table(ratings, out, "ratings")
    if folder is not None:
        folder.add_ratings(ratings)
        folder.add_raters(rater_row(plan))
        folder.record("judge", rater=plan.rater, signature=plan.signature)
    failed = _tell(plan, ratings, out, journal, as_json)
    if failed:
        raise typer.Exit(EXIT_PROBLEMS)


def _tell_estimate(plan: Plan, as_json: bool) -> None:
    estimate = plan.estimate()
    if as_json:
        print_json([], estimate=_estimate(plan), warnings=list(plan.warnings))
        return
    cost = estimate.cost_usd
    console().print(
        f"{plan.rater} on {plan.instrument.name}: {estimate.calls:,} calls for "
        f"{sum(t.skip is None for t in plan.tasks):,} answers, about {estimate.tokens_in:,} tokens "
        f"in, at most {estimate.tokens_out:,} out, "
        + ("cost unknown (give --price-in and --price-out)." if cost is None else f"${cost:,.2f}.")
        + " No call was made.",
        markup=False,
    )


def _estimate(plan: Plan) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(plan.estimate())


def _tell(plan: Plan, ratings: pl.DataFrame, out: Path, journal: Path, as_json: bool) -> int:
    """Say what came out; return the number of ratings whose call failed."""
    counts = dict(ratings.group_by("status").len().sort("status").iter_rows())
    if as_json:
        print_json(
            [],
            rater=plan.rater,
            instrument=plan.instrument.name,
            ratings=ratings.height,
            statuses=counts,
            demonstration=plan.spec.demonstration,
            out=str(out),
            journal=str(journal),
            warnings=list(plan.warnings),
            signature=plan.signature,
        )
    else:
        said = ", ".join(f"{count:,} {status}" for status, count in counts.items()) or "none"
        lines = [f"{plan.rater} on {plan.instrument.name}: {ratings.height:,} ratings ({said})."]
        if plan.spec.demonstration:
            lines.append(
                "These scores are of demonstration quality: the model is too small to judge."
            )
        failed = ratings.filter(status="error")
        if failed.height:
            lines.append(f"The first failure: {failed['rationale'][0]}")
            lines.append("Run the same command again to repeat only the calls that failed.")
        lines.append(f"Ratings in {out}, replies in {journal}.")
        for line in lines:
            console().print(line, markup=False)
    return int(counts.get("error", 0))
