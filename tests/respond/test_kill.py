"""Killed in the middle and started again, nothing that had arrived is asked for twice."""

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import polars as pl

from attunement import tables
from stubs import llm

ITEMS, CONNECTIONS = 40, 4


def test_sigkill_in_the_middle_of_generating(tmp_path: Path) -> None:
    items, log, out = tmp_path / "items.parquet", tmp_path / "served", tmp_path / "out.parquet"
    pl.DataFrame(
        {
            "item_id": [f"q{i}" for i in range(ITEMS)],
            "turns": [[{"role": "user", "text": f"question {i}"}] for i in range(ITEMS)],
        }
    ).write_parquet(items)
    words = [sys.executable, llm.__file__, "--log", str(log), "--latency", "0.1"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            url = server.stdout.readline().strip()
            start = "from attunement.cli import main; main()"
            command = [sys.executable, "-c", start, "generate", str(items)]
            command += ["--model", "m=openai-api/stub/m", "--base-url", url, "--out", str(out)]
            command += ["--connections", str(CONNECTIONS), "--system", "none"]
            first = subprocess.Popen(command, stderr=subprocess.DEVNULL)
            journal = tmp_path / "out.calls"
            deadline = time.monotonic() + 60
            while not journal.exists() or arrived(journal) < ITEMS // 4:
                assert time.monotonic() < deadline
                assert first.poll() is None
                time.sleep(0.01)
            first.send_signal(signal.SIGKILL)
            assert first.wait() == -signal.SIGKILL
            had = keys(journal)
            assert ITEMS // 4 <= len(had) < ITEMS
            second = subprocess.run(command, capture_output=True, text=True, check=False)
        finally:
            server.terminate()
    assert second.returncode == 0, second.stderr
    table = tables.read_table(out, "responses")
    assert table["text"].to_list() == [f"You said: question {i}" for i in range(ITEMS)]
    assert table["error"].null_count() == ITEMS
    served = Counter(json.loads(line)["said"] for line in log.read_text().splitlines())
    assert len(served) == ITEMS
    twice = {said for said, count in served.items() if count > 1}
    assert not twice & {f"question {k.split('/q')[1]}" for k in had}
    assert sum(served.values()) - ITEMS <= CONNECTIONS


def arrived(folder: Path) -> int:
    return sum(file.read_bytes().count(b"\n") for file in folder.iterdir())


def keys(folder: Path) -> set[str]:
    """The calls whose answer is in the journal, a torn last line left out."""
    found = set()
    for file in folder.iterdir():
        for line in file.read_bytes().split(b"\n")[:-1]:
            entry = json.loads(line)
            if "reply" in entry:
                found.add(entry["key"])
    return found
