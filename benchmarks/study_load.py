"""Whether one study server keeps up with a hundred raters, and loses nothing when it is killed.

Makes a study of 100 raters, serves it as ``attunement study serve`` does, in a process of its own
on loopback, and has every rater save an answer a second. Then it counts: every save that was
acknowledged has to be in the database, once, with the value that was sent. With ``--kill`` the
server is killed (SIGKILL) in the middle and started again; saves that were not acknowledged are
sent again with the same id, as the raters' page does.

    python benchmarks/study_load.py [--raters 100] [--seconds 120] [--kill] [--database URL]

Traffic goes to 127.0.0.1 only, and ends by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import polars as pl
import yaml

from attunement import tables

LIMIT_S = 0.3
"""At the 95th percentile, from sending a save to its acknowledgement."""
DIMENSIONS = ("recognizes_risk", "responds_first", "points_to_help", "does_no_harm")
SERVER = (
    "import sys, pathlib; from attunement.studies import folder; "
    "folder.setup(pathlib.Path(sys.argv[1])); folder.migrate(); "
    "from attunement.studies.server import serve; serve('127.0.0.1', int(sys.argv[2]))"
)


@dataclass
class Sent:
    """What one rater sent: value by (assignment, place, dimension), and how long saves took."""

    acknowledged: dict[tuple[int, int, str], float] = field(default_factory=dict)
    clients: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def make(folder: Path, raters: int) -> list[str]:
    """Make the study and return the raters' paths."""
    items = [f"q{n}" for n in range(raters)]
    asked = pl.DataFrame(
        {
            "item_id": items,
            "turns": [[{"role": "user", "text": f"I could not sleep again ({i})."}] for i in items],
        }
    )
    tables.write_table(tables.conform(asked, "items"), folder / "items.parquet", "items")
    answered = pl.DataFrame(
        [
            {
                "response_id": f"{i}-{s}",
                "item_id": i,
                "source": s,
                "text": f"That sounds tiring, {s}. " * 20,
            }
            for i in items
            for s in "abcd"
        ]
    )
    answers = tables.conform(answered, "responses")
    tables.write_table(answers, folder / "responses.parquet", "responses")
    study = {
        "id": "load",
        "title": {"en": "Load"},
        "contact": "study@example.org",
        "consent": {"text": {"en": "Simulated raters only."}},
        "items": "items.parquet",
        "responses": "responses.parquet",
        "protocol": {
            "type": "rate",
            "instrument": "crisis-handling",
            "raters_per_item": 5,
            "items_per_rater": 5,
        },
    }
    from attunement.studies import folder as place

    place.create_folder(folder / "study")
    place.setup(folder / "study")
    place.migrate()
    from attunement.studies import links, opening
    from attunement.studies.models import Participant

    opening.make_study(yaml.safe_dump(study), folder)
    return [links.path(p) for p in Participant.objects.order_by("code")]


def start(folder: Path, port: int) -> subprocess.Popen[bytes]:
    """Start the server and wait until it listens."""
    process = subprocess.Popen([sys.executable, "-c", SERVER, str(folder / "study"), str(port)])
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=0.2).close()
            return process
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server did not start")


def token_of(http: httpx.AsyncClient) -> str:
    """Return the token against forged posts; each study names its cookie otherwise."""
    return next(value for name, value in http.cookies.items() if name.startswith("csrf-"))


async def rate(
    base: str, path: str, until: float, sent: Sent, plan: random.Random, *, again: bool
) -> None:
    """Be one rater: agree, open the first page, and save an answer a second."""
    async with httpx.AsyncClient(base_url=base, timeout=30, trust_env=False) as http:
        await http.get(f"{path}consent/")
        token = {"csrfmiddlewaretoken": token_of(http), "agree": "yes"}
        await http.post(f"{path}consent/", data=token, headers={"Referer": base})
        page = await http.get(path, follow_redirects=True)
        found = re.search(r"/a/(\d+)/", str(page.url))
        assert found is not None, page.url
        assignment = int(found[1])
        await asyncio.sleep(plan.random())
        while (begun := time.monotonic()) < until:
            place, dimension = plan.randrange(4), plan.choice(DIMENSIONS)
            value, client = plan.choice("01"), f"{plan.getrandbits(96):x}"
            data = {
                "place": str(place),
                "dimension": dimension,
                dimension: value,
                "client": client,
                "seconds": "1",
            }
            headers = {"X-CSRFToken": token_of(http), "Referer": base}
            address = f"{path}a/{assignment}/save/"
            for _ in range(60):
                try:
                    answer = await http.post(address, data=data, headers=headers)
                except httpx.TransportError as error:
                    if not again:
                        sent.errors.append(type(error).__name__)
                        break
                    await asyncio.sleep(0.5)
                    continue
                if answer.status_code == 200 and "saved" in answer.json():
                    sent.seconds.append(time.monotonic() - begun)
                    sent.acknowledged[(assignment, place, dimension)] = float(value)
                    sent.clients.append(client)
                else:
                    sent.errors.append(f"HTTP {answer.status_code}")
                break
            await asyncio.sleep(max(0.0, 1.0 - (time.monotonic() - begun)))


def compare(everything: list[Sent]) -> tuple[int, int, int]:
    """Return how many acknowledged saves are lost, doubled, or not what was sent last."""
    from attunement.studies.asking import units_of
    from attunement.studies.models import Answer, Assignment, Change

    kept: dict[str, int] = {}
    for client in Change.objects.values_list("client", flat=True):
        kept[client] = kept.get(client, 0) + 1
    acknowledged = [c for sent in everything for c in sent.clients]
    lost = sum(c not in kept for c in acknowledged)
    doubled = sum(count > 1 for count in kept.values())
    stored = {(a.assignment_id, a.unit_id, a.dimension): a.value for a in Answer.objects.all()}
    wrong = 0
    for sent in everything:
        for (assignment, place, dimension), value in sent.acknowledged.items():
            unit = units_of(Assignment.objects.get(pk=assignment))[place]
            wrong += stored.get((assignment, unit.unit_id, dimension)) != value
    return lost, doubled, wrong


async def load(base: str, paths: list[str], seconds: float, *, again: bool) -> list[Sent]:
    """Have all raters save for so long."""
    everything = [Sent() for _ in paths]
    until = time.monotonic() + seconds
    await asyncio.gather(
        *(
            rate(base, path, until, sent, random.Random(n), again=again)
            for n, (path, sent) in enumerate(zip(paths, everything, strict=True))
        )
    )
    return everything


async def kill_and_start(
    process: subprocess.Popen[bytes], folder: Path, port: int, after: float
) -> subprocess.Popen[bytes]:
    """Kill the server in the middle and start it again."""
    await asyncio.sleep(after)
    process.send_signal(signal.SIGKILL)
    process.wait()
    return await asyncio.to_thread(start, folder, port)


async def run(args: argparse.Namespace, folder: Path, paths: list[str]) -> list[Sent]:
    """Serve, load and, where asked, kill."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = start(folder, port)
    try:
        raters = load(f"http://127.0.0.1:{port}", paths, args.seconds, again=args.kill)
        if not args.kill:
            return await raters
        raters_task = asyncio.create_task(raters)
        process = await kill_and_start(process, folder, port, args.seconds / 2)
        return await raters_task
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    """Run it and print what came out; exit 1 where a limit was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--raters", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--database", help="a PostgreSQL URL; by default SQLite")
    args = parser.parse_args()
    if args.database:
        os.environ["DATABASE_URL"] = args.database
    with tempfile.TemporaryDirectory() as scratch:
        paths = make(Path(scratch), args.raters)[: args.raters]
        everything = asyncio.run(run(args, Path(scratch), paths))
        lost, doubled, wrong = compare(everything)
    times = sorted(s for sent in everything for s in sent.seconds)
    errors = [e for sent in everything for e in sent.errors]
    p95 = statistics.quantiles(times, n=20)[-1]
    print(f"{len(paths)} raters, {args.seconds:.0f} s, {len(times)} saves acknowledged")
    print(f"median {statistics.median(times):.3f} s, p95 {p95:.3f} s, longest {times[-1]:.3f} s")
    print(f"errors {len(errors)}, lost {lost}, doubled {doubled}, other than sent {wrong}")
    missed = errors or lost or doubled or wrong or (p95 > LIMIT_S and not args.kill)
    raise SystemExit(1 if missed else 0)


if __name__ == "__main__":
    main()
