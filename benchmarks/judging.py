"""Whether a judging run takes no longer than the model calls it is made of.

Has answers judged on ``nuance-judges`` by a stub server on this machine, and makes the same calls
with plain Inspect AI (`get_model` and `generate`, as many connections), in turn and in one process.
Then has many answers judged in a process of its own and looks at its peak resident memory, which
works where `os.wait4` does (Linux, macOS).

    python benchmarks/judging.py [--answers 1000] [--pairs 3] [--memory 10000]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from attunement.inspect_bridge import ModelSpec, Settings
from attunement.instruments import load_instrument
from attunement.raters.judges import Plan, journal_path, make_plan, run_plan

LIMIT = 1.05
"""Wall time of a judging run over that of plain Inspect AI."""
LIMIT_MB = 1_000
STUB = Path(__file__).with_name("_stub.py")
SAID = " ".join(["I hear how heavy this has been, and it makes sense that you feel worn out."] * 13)


@contextmanager
def stub(latency: float) -> Iterator[str]:
    """Start the stub server in a process of its own; yields its base URL."""
    command = [sys.executable, str(STUB), "--latency", str(latency)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def plan_of(answers: int, base_url: str, connections: int) -> Plan:
    """Return the plan of a run: four answers of some 200 words to each question, all different."""
    items = [f"item-{i}" for i in range((answers + 3) // 4)]
    return make_plan(
        pl.DataFrame(
            {
                "item_id": items,
                "turns": [[{"role": "user", "text": f"{SAID} ({i})"}] for i in items],
            }
        ),
        pl.DataFrame(
            {
                "item_id": [items[i // 4] for i in range(answers)],
                "source": [f"model-{i % 4}" for i in range(answers)],
                "text": [f"{SAID} ({i})" for i in range(answers)],
            }
        ),
        load_instrument("nuance-judges"),
        ModelSpec(
            "stub",
            "openai-api/stub/m",
            base_url=base_url,
            settings=Settings(temperature=0.0, max_connections=connections),
        ),
    )


def ours(answers: int, base_url: str, connections: int) -> float:
    """Return the seconds of a judging run, from tables to tables, replies kept on disk."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        plan = plan_of(answers, base_url, connections)
        ratings = run_plan(plan, journal=journal_path(folder, plan))
        seconds = time.perf_counter() - start
    if ratings.filter(status="ok").height != 2 * answers:
        raise SystemExit(f"not every answer was judged: {ratings['status'].value_counts()}")
    return seconds


def plain(answers: int, base_url: str, connections: int) -> float:
    """Return the seconds that Inspect AI takes for the same calls and nothing else."""
    from inspect_ai.model import (
        ChatMessageSystem,
        ChatMessageUser,
        GenerateConfig,
        ResponseSchema,
        get_model,
    )
    from inspect_ai.util import JSONSchema

    plan = plan_of(answers, base_url, connections)
    calls = [call for _, call in plan.calls(plan.jobs())]
    schema = ResponseSchema(
        name="answer", json_schema=JSONSchema.model_validate(calls[0].schema), strict=True
    )
    config = GenerateConfig(
        temperature=0.0, max_connections=connections, max_retries=3, response_schema=schema
    )

    async def all_of_them() -> float:
        model = get_model(
            "openai-api/stub/m", base_url=base_url, api_key="none", config=config, memoize=False
        )
        start = time.perf_counter()
        replies = await asyncio.gather(
            *(
                model.generate(
                    [
                        ChatMessageSystem(content=call.messages[0].text),
                        ChatMessageUser(content=call.messages[1].text),
                    ]
                )
                for call in calls
            )
        )
        seconds = time.perf_counter() - start
        if not all(reply.completion for reply in replies):
            raise SystemExit("a call was not answered")
        return seconds

    return asyncio.run(all_of_them())


def peak(answers: int, base_url: str, connections: int) -> float:
    """Return the peak resident memory in MB of a process that has so many answers judged."""
    command = [sys.executable, __file__, "--child", base_url, "--answers", str(answers)]
    command += ["--connections", str(connections)]
    child = os.posix_spawn(sys.executable, command, os.environ)
    _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"the judging run failed: {os.waitstatus_to_exitcode(status)}")
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


def main() -> int:
    """Compare wall times, then look at memory; exit code 1 where a limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--answers", type=int, default=1_000, help="answers of one timed run")
    parser.add_argument("--pairs", type=int, default=3, help="timed runs of each kind, in turn")
    parser.add_argument("--memory", type=int, default=10_000, help="answers of the memory run")
    parser.add_argument("--latency", type=float, default=0.5, help="seconds an answer takes")
    parser.add_argument("--connections", type=int, default=20, help="calls at once")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        ours(asked.answers, asked.child, asked.connections)
        return 0
    within = True
    if asked.pairs:
        with stub(asked.latency) as base_url:
            for run in (plain, ours):  # imports and first use
                run(2 * asked.connections, base_url, asked.connections)
            times: dict[str, list[float]] = {"plain": [], "ours": []}
            for number in range(asked.pairs):
                for run in (plain, ours) if number % 2 == 0 else (ours, plain):
                    seconds = run(asked.answers, base_url, asked.connections)
                    times[run.__name__].append(seconds)
                    print(f"{run.__name__:>6}: {seconds:6.2f} s", flush=True)
        ideal = asked.answers * asked.latency / asked.connections
        median = {name: statistics.median(all_) for name, all_ in times.items()}
        ratio = median["ours"] / median["plain"]
        print(
            f"{asked.answers:,} answers: ideal {ideal:.1f} s, plain {median['plain']:.2f} s, "
            f"ours {median['ours']:.2f} s; ratio {ratio:.3f} (at most {LIMIT})"
        )
        within = ratio <= LIMIT
    if asked.memory:
        with stub(0.0) as base_url:
            megabytes = peak(asked.memory, base_url, asked.connections)
        print(f"{asked.memory:,} answers: peak {megabytes:.0f} MB (below {LIMIT_MB:,})")
        within = within and megabytes < LIMIT_MB
    return int(not within)


if __name__ == "__main__":
    raise SystemExit(main())
