"""Whether `attunement score` needs no more memory for ten times the rows.

Writes two Parquet files, scores each in a process of its own and compares the processes' peak
resident memory. Works where `os.wait4` does (Linux, macOS).

    python benchmarks/memory.py [--rows 20000] [--times 10] [--metrics a,b]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = 1.2
METRICS = "sentiment_change,sentiment_slope,simplicity,recycling"
RUN = "from attunement.cli import main; main()"


def write(path: Path, rows: int, *, group: int = 20_000) -> None:
    """Write a responses table whose answers are all different, a row group at a time."""
    import polars as pl
    import pyarrow.parquet as pq
    from texts import pairs

    texts = pairs(None, group)
    writer = None
    for start in range(0, rows, group):
        n = min(group, rows - start)
        numbers = range(start, start + n)
        table = pl.DataFrame(
            {
                "item_id": [f"item-{i // 4}" for i in numbers],
                "source": [f"model-{i % 4}" for i in numbers],
                "text": [
                    f"{answer} Number {i}."
                    for i, (_, answer) in zip(numbers, texts[:n], strict=True)
                ],
                "question": [question for question, _ in texts[:n]],
                "reference": [texts[(i // 4) % group][1] for i in numbers],
            }
        ).to_arrow()
        if writer is None:
            writer = pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def peak(responses: Path, ratings: Path, metrics: str) -> tuple[float, float]:
    """Return peak resident memory in MB and seconds of scoring one file."""
    command = [sys.executable, "-c", RUN, "score", str(responses)]
    command += ["--out", str(ratings), "--metrics", metrics]
    start = time.perf_counter()
    quiet = os.open(os.devnull, os.O_WRONLY)
    child = os.posix_spawn(
        sys.executable,
        command,
        os.environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, quiet, 1), (os.POSIX_SPAWN_DUP2, quiet, 2)],
    )
    os.close(quiet)
    _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"attunement score failed: {os.waitstatus_to_exitcode(status)}")
    unit = 1 if sys.platform == "darwin" else 1024
    return usage.ru_maxrss * unit / 1e6, time.perf_counter() - start


def main() -> int:
    """Score both files; exit code 1 where the larger needs too much.

    This process stays small and leaves the writing to another: a child's peak begins with the
    memory of the process that it was started from.
    """
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=20_000, help="rows of the smaller file")
    parser.add_argument("--times", type=int, default=10, help="how many times larger the other is")
    parser.add_argument("--metrics", default=METRICS, help="names with commas between")
    parser.add_argument("--write", type=Path, help="only write --rows rows to this file")
    asked = parser.parse_args()
    if asked.write:
        write(asked.write, asked.rows)
        return 0
    peaks = []
    with tempfile.TemporaryDirectory() as folder:
        for rows in (asked.rows, asked.rows * asked.times):
            responses, ratings = Path(folder, "responses.parquet"), Path(folder, "ratings.parquet")
            made = [sys.executable, __file__, "--write", str(responses), "--rows", str(rows)]
            subprocess.run(made, check=True)
            megabytes, seconds = peak(responses, ratings, asked.metrics)
            print(f"{rows:9,} rows: peak {megabytes:4.0f} MB, {seconds:6.1f} s", flush=True)
            peaks.append(megabytes)
    ratio = peaks[1] / peaks[0]
    print(f"ratio {ratio:.3f} (at most {LIMIT})")
    return int(ratio > LIMIT)


if __name__ == "__main__":
    raise SystemExit(main())
