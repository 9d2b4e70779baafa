"""Killed in the middle and started again: nothing that had arrived is asked for twice."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import polars as pl

from attunement.inspect_bridge import ModelSpec, Settings
from attunement.instruments import load_instrument
from attunement.raters.judges import journal_path, make_plan
from stubs import llm

N = 24

CLIENT = """
import sys
import polars as pl
from attunement.inspect_bridge import ModelSpec, Settings
from attunement.raters.judges import judge

url, folder = sys.argv[1:]
spec = ModelSpec("m", "openai-api/stub/m", base_url=url, settings=Settings(max_connections=2))
ratings = judge(
    pl.read_parquet(f"{folder}/items.parquet"),
    pl.read_parquet(f"{folder}/responses.parquet"),
    "nuance-judges",
    spec,
    journal_folder=folder,
    on_progress=lambda n: print("done", flush=True),
)
ratings.write_parquet(f"{folder}/ratings.parquet")
"""


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, items, responses, good) -> None:
    questions, answers = items(N), responses(*(f"answer number {i}" for i in range(N)))
    questions.write_parquet(tmp_path / "items.parquet")
    answers.write_parquet(tmp_path / "responses.parquet")
    log = tmp_path / "served.jsonl"
    server = subprocess.Popen(
        [sys.executable, llm.__file__, "--log", log, "--latency", "0.05", "--answer", good],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        command = [sys.executable, "-c", CLIENT, url, str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
            assert client.stdout is not None
            for _ in range(N // 3):
                assert client.stdout.readline() == "done\n"
            client.kill()
        assert not (tmp_path / "ratings.parquet").exists()

        spec = ModelSpec("m", "openai-api/stub/m", base_url=url, settings=Settings())
        plan = make_plan(questions, answers, load_instrument("nuance-judges"), spec)
        prompts = {call.key: call.messages[1].text for _, call in plan.calls(plan.jobs())}
        journal = journal_path(tmp_path, plan).read_bytes().split(b"\n")[:-1]
        arrived = [prompts[json.loads(line)["key"]] for line in journal]
        assert N // 3 <= len(arrived) < N

        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    finally:
        server.kill()
        server.communicate()

    asked = Counter(json.loads(line)["said"] for line in log.read_text().splitlines())
    assert set(asked) == set(prompts.values())
    assert {asked[prompt] for prompt in arrived} == {1}
    ratings = pl.read_parquet(tmp_path / "ratings.parquet")
    assert ratings["status"].to_list() == ["ok"] * (2 * N)
