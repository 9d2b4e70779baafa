"""Demonstrations: a study on the bundled sample, or one of each protocol side by side."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from attunement.cli._common import console
from attunement.errors import UserError

ALL = "all"


def make_demo(folder: Path | None, protocol: str) -> Path:
    """Make a demonstration study, in a temporary folder where none is named; return the folder."""
    from attunement.studies import demo
    from attunement.studies.folder import SECRET

    text = demo.example(protocol)
    made = folder or Path(tempfile.mkdtemp(prefix="attunement-demo-")) / "study"
    if (made / SECRET).exists():
        return made
    from attunement.cli._study_new import make

    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "study.yaml"
        file.write_text(text, encoding="utf-8")
        demo.write_tables(Path(scratch))
        make(file, made, password=None, demo=True)
    console().print(
        f"A demonstration was made in {made}. The folder stays when this ends: delete it, or go on "
        f"with 'attunement study serve {made} --demo'.",
        markup=False,
    )
    return made


@contextmanager
def beside(folder: Path | None, protocol: str, host: str, port: int) -> Iterator[str]:
    """Serve the demonstrations of the other protocols meanwhile, where all are asked for.

    Gives the protocol that is served by this process. A database holds one study, and a process one
    database: the others are processes of their own, on the ports that follow.
    """
    from attunement.studies.demo import PROTOCOLS

    if protocol != ALL:
        yield protocol
        return
    if folder is not None:
        raise UserError(
            "a folder holds one study, and all protocols are asked for.",
            where="--protocol",
            fix="Leave the folder out, or name one protocol.",
        )
    first, *others = PROTOCOLS
    running: list[subprocess.Popen[bytes]] = []
    try:
        for place, other in enumerate(others, start=1):
            running.append(
                _start(["--protocol", other, "--host", host, "--port", str(port + place)])
            )
        yield first
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait()


def _start(words: Sequence[str]) -> subprocess.Popen[bytes]:
    program = "from attunement.cli import main; main()"
    return subprocess.Popen([sys.executable, "-c", program, "study", "serve", "--demo", *words])
