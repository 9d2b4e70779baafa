"""``attunement generate``: ask models for answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from attunement.cli import _models as models
from attunement.cli._common import EXIT_PROBLEMS, console, friendly, print_json, progress
from attunement.cli._models import specs_of
from attunement.cli._options import JSON

if TYPE_CHECKING:
    import polars as pl

    from attunement.inspect_bridge import ModelSpec
    from attunement.respond import Estimate


@friendly
def generate(
    items: Path = typer.Argument(..., help="Table of items: item_id and turns."),
    model: list[str] = typer.Option(
        ...,
        "--model",
        help="A model, or name=model to name it in tables; may be repeated. As Inspect AI names "
        "it: openai/..., anthropic/..., openai-api/SERVER/NAME with --base-url, or local for the "
        "embedded model (demonstration quality).",
    ),
    out: Path | None = typer.Option(
        None, "--out", help="Where the answers go: .parquet, .csv, .tsv or .jsonl."
    ),
    run: Path | None = typer.Option(
        None,
        "--run",
        help="Run folder that keeps the replies and takes the answers as well; by default replies "
        "are kept beside --out.",
    ),
    base_url: str | None = models.BASE_URL,
    api_key_env: str | None = models.API_KEY_ENV,
    system: str = models.SYSTEM,
    temperature: float | None = models.TEMPERATURE,
    top_p: float | None = models.TOP_P,
    max_tokens: int | None = models.MAX_TOKENS,
    words: int | None = typer.Option(
        None, "--words", min=1, help="Longest answer in words; a longer one is asked for again."
    ),
    attempts: int = typer.Option(
        5, "--attempts", min=1, help="Calls at most until an answer keeps to --words."
    ),
    candidates: int = typer.Option(1, "--candidates", min=1, help="Answers to each item."),
    limit: int | None = typer.Option(
        None, "--limit", min=1, help="Ask for the first so many items only."
    ),
    seed: int = typer.Option(
        1,
        "--seed",
        min=0,
        help="Seed of the first candidate, passed to the model; others follow from it.",
    ),
    connections: int = models.CONNECTIONS,
    retries: int = models.RETRIES,
    timeout: int | None = models.TIMEOUT,
    price_in: float | None = models.PRICE_IN,
    price_out: float | None = models.PRICE_OUT,
    force: bool = typer.Option(
        False, "--force", help="Write over --out also where it holds answers of other sources."
    ),
    dry_run: bool = typer.Option(
        False, "--dry-run", help="Say calls, tokens and cost, and stop before any call."
    ),
    as_json: bool = JSON,
) -> None:
    """Ask models for answers to each item.

    Every reply is kept the moment it arrives: stopped and started again, no call is made twice.
    Exit code 1 where some calls failed; they are marked in the table.
    """
    from attunement import tables
    from attunement.cli._existing import refuse_clash, refuse_loss, refuse_no_table
    from attunement.errors import UserError
    from attunement.inspect_bridge import Settings
    from attunement.respond import estimate, preset
    from attunement.respond import generate as ask

    if out is None and run is None and not dry_run:
        raise UserError("nowhere to put the answers.", fix="Give --out FILE, --run FOLDER or both.")
    if out is not None:
        refuse_no_table(out)
        refuse_clash({"--out": out}, [items])
    table = tables.read_table(items, "items")
    if limit is not None:
        table = table.head(limit)
    specs = specs_of(
        model,
        base_url,
        api_key_env,
        Settings(
            temperature=temperature,
            top_p=top_p,
            max_tokens=max_tokens,
            max_connections=connections,
            max_retries=retries,
            timeout=timeout,
        ),
        (price_in, price_out),
    )
    journals = _journals(run, out)
    how: dict[str, Any] = {
        "preset": preset(system),
        "word_limit": words,
        "candidates": candidates,
        "max_attempts": attempts,
        "journal_folder": journals,
        "seed": seed,
    }
    if dry_run:
        tell_estimate(estimate(table, specs, **how), as_json)
        return
    if out is not None:
        refuse_loss(out, {"source": [spec.name for spec in specs]}, force=force)
    made = []
    for spec in specs:
        with progress(f"Answers of {spec.name}", table.height * candidates) as advance:
            made.append(ask(table, [spec], **how, on_progress=advance))
        _write(made, table, out, run)
    failed = _tell(made, specs, out, run, as_json)
    if failed:
        raise typer.Exit(EXIT_PROBLEMS)


def _journals(run: Path | None, out: Path | None) -> Path | None:
    from attunement.runs import Run

    if run is not None:
        return Run(run).calls
    return out.parent / f"{out.stem}.calls" if out is not None else None


def _write(
    made: list[pl.DataFrame], items: pl.DataFrame, out: Path | None, run: Path | None
) -> None:
    """Write what there is so far, so that one model's end does not wait for the next one's."""
    import polars as pl

    from attunement import tables
    from attunement.runs import Run

    answers = pl.concat(made)
    if out is not None:
        tables.write_table(answers, out, "responses")
    if run is None:
        return
    folder = Run(run)
    if not folder.has("items"):
        folder.write(items, "items")
    if folder.has("responses"):
        old = folder.read("responses").join(answers.select("response_id"), "response_id", "anti")
        answers = pl.concat([old, answers])
    folder.write(answers, "responses")
    last = made[-1]
    folder.record(
        f"generate {last['source'][0]}" if last.height else "generate",
        answers=last.height,
        failed=last.filter(pl.col("error").is_not_null()).height,
    )


def tell_estimate(estimates: list[Estimate], as_json: bool) -> None:
    """Say what asking would take."""
    from dataclasses import asdict

    if as_json:
        print_json([], estimates=[asdict(e) for e in estimates])
        return
    for e in estimates:
        most = f" (at most {e.calls_at_most:,})" if e.calls_at_most > e.calls else ""
        kept = f", {e.arrived:,} already here" if e.arrived else ""
        cost = "cost unknown (give --price-in and --price-out)"
        if e.cost_usd is not None:
            cost = f"${e.cost_usd:,.2f}"
        console().print(
            f"{e.source}: {e.answers:,} answers, {e.calls:,} calls{most}{kept}; about "
            f"{e.tokens_in:,} tokens in, {e.tokens_out:,} out; {cost}.",
        )
    console().print(
        "No call was made. Tokens in are characters divided by four; tokens out are the limit "
        "that is set, or 400 an answer."
    )


def _tell(
    made: list[pl.DataFrame],
    specs: list[ModelSpec],
    out: Path | None,
    run: Path | None,
    as_json: bool,
) -> int:
    """Say what came out; return the number of answers whose call failed."""
    sources = [_account(answers, spec) for answers, spec in zip(made, specs, strict=True)]
    if as_json:
        print_json(
            [],
            sources=sources,
            out=None if out is None else str(out),
            run=None if run is None else str(run),
        )
    else:
        for said in sources:
            for line in _lines(said):
                console().print(line)
        places = " and ".join(str(p) for p in (out, run) if p is not None)
        console().print(f"Answers in {places}.")
    return sum(s["failed"] for s in sources)


def _account(answers: pl.DataFrame, spec: ModelSpec) -> dict[str, Any]:
    import polars as pl

    from attunement.respond import OVER_LIMIT

    marked = answers.filter(pl.col("error").is_not_null())
    over = marked.filter(pl.col("error").str.starts_with(OVER_LIMIT))
    failed = marked.filter(~pl.col("error").str.starts_with(OVER_LIMIT))
    known = answers["cost_usd"].drop_nulls()
    return {
        "source": spec.name,
        "model": spec.model,
        "answers": answers.height - failed.height,
        "failed": failed.height,
        "first_failure": failed["error"][0] if failed.height else None,
        "over_word_limit": over.height,
        "empty": answers.filter((pl.col("text") == "") & pl.col("error").is_null()).height,
        "attempts": int(answers["attempts"].sum() or 0),
        "tokens_in": int(answers["tokens_in"].sum() or 0),
        "tokens_out": int(answers["tokens_out"].sum() or 0),
        "cost_usd": float(known.sum()) if len(known) else None,
        "demonstration": spec.demonstration,
    }


def _lines(said: dict[str, Any]) -> list[str]:
    cost = "" if said["cost_usd"] is None else f", ${said['cost_usd']:,.4f}"
    lines = [
        f"{said['source']}: {said['answers']:,} answers, {said['failed']:,} failed; "
        f"{said['tokens_in']:,} tokens in, {said['tokens_out']:,} out{cost}."
    ]
    if said["over_word_limit"]:
        lines.append(f"{said['over_word_limit']:,} are over the word limit, and marked so.")
    if said["empty"]:
        lines.append(f"{said['empty']:,} are empty.")
    if said["demonstration"]:
        lines.append("These answers are of demonstration quality: the model is very small.")
    if said["failed"]:
        lines.append(f"The first failure: {said['first_failure']}")
        lines.append("Run the same command again to repeat only the calls that failed.")
    return lines
