"""``attunement respond serve``: planned and plain answers over the OpenAI interface."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import cast

import typer

from attunement.cli import _models as models
from attunement.cli import _respond_options as options
from attunement.cli._common import console, friendly
from attunement.cli._options import choose, refuse_unused
from attunement.cli._plan_prompt import say_asked
from attunement.cli._study_serve import ended_in_order


@friendly
def serve(
    called: typer.Context,
    model: str = typer.Option(
        ..., "--model", help="Who answers, named as for attunement generate; local for a trial."
    ),
    planner: Path = typer.Option(..., "--planner", help="Folder of a trained planner."),
    journal: Path = typer.Option(
        ...,
        "--journal",
        help="File that keeps every turn with its plan and candidates, one JSON line each. It "
        "holds what people wrote.",
    ),
    strategy: str = typer.Option(
        "rerank", "--strategy", help="How the planned name keeps to the plan: rerank or prompt."
    ),
    tagger: str = options.TAGGER,
    candidates: int = typer.Option(
        10, "--candidates", min=1, max=1000, help="Candidates of a planned turn."
    ),
    port: int = typer.Option(8010, "--port", min=0, max=65535, help="0 takes one that is free."),
    base_url: str | None = models.BASE_URL,
    api_key_env: str | None = models.API_KEY_ENV,
    system: str = typer.Option(
        "none",
        "--system",
        help="System prompt before the client's own: none, counselor, brief-counselor, "
        "peer-support, or @FILE.",
    ),
    framing: str = options.FRAMING,
    numbered: bool = options.NUMBERED,
    temperature: float | None = models.TEMPERATURE,
    top_p: float | None = models.TOP_P,
    max_tokens: int | None = options.MAX_TOKENS,
    connections: int = models.CONNECTIONS,
    retries: int = models.RETRIES,
    timeout: int | None = models.TIMEOUT,
    seed: int = typer.Option(1, "--seed", min=0, help="Seed of the first candidate."),
) -> None:
    """Serve a model on this machine under two names: as it is, and keeping to a plan.

    Point any client of the OpenAI interface at the address that is printed, such as a study in
    which people chat. What a client asks for (temperature, max_tokens, seed, stop) goes before the
    options. Only this machine is answered.
    """
    from attunement.planning import read_planner
    from attunement.planning.prompted import journaled
    from attunement.respond.endpoint import Endpoint
    from attunement.respond.planned import Strategy
    from attunement.respond.serving import Server
    from attunement.respond.turn_journal import TurnJournal

    choose(strategy, "--strategy", ("rerank", "prompt"))
    options.refuse_framing(framing, numbered=numbered, strategy=strategy)
    options.refuse_words(called)
    if strategy == "prompt":
        refuse_unused(called, "with --strategy prompt, which asks for one answer", "candidates")
    plans = journaled(read_planner(planner), journal.with_name(f"{journal.stem}.plans.jsonl"))
    reads = options.tagger(tagger, plans.labels)
    say_asked(plans)
    spec = options.model(
        model,
        base_url,
        api_key_env,
        temperature=temperature,
        top_p=top_p,
        max_tokens=max_tokens,
        max_connections=connections,
        max_retries=retries,
        timeout=timeout,
    )
    if spec.demonstration:
        from attunement.models.local import local_server

        local_server()  # now, so that the first who asks does not wait for it
    source = options.source_of(spec, system, framing, numbered=numbered, seed=seed)
    with closing(TurnJournal(journal)) as kept:
        endpoint = Endpoint(
            source,
            plans,
            reads,
            kept,
            strategy=cast("Strategy", strategy),
            candidates=candidates,
        )
        server = Server(endpoint, port)
        tell = console().print
        tell(f"Serving {' and '.join(endpoint.names)} on {server.base_url} (Ctrl-C stops it).")
        tell(f"Every turn is kept in {journal}.")
        if spec.demonstration:
            tell("The embedded model is very small: never let people in distress talk to it.")
        with ended_in_order():
            server.run()
    console().print("Stopped.")
