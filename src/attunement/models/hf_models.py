"""Load, save and measure Hugging Face models (extra ``train``); nothing in them is executed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from attunement.errors import UserError

_NO_LIMIT = 1_000_000
_USUAL = 512
_COMMIT = "attunement_commit"
_PATIENCE_S = 5.0


def libraries(where: str) -> tuple[Any, Any]:
    """Return the modules torch and transformers.

    Raises
    ------
    UserError
        Where one of them, or accelerate, is not installed.
    """
    try:
        torch, transformers, _ = map(import_module, ("torch", "transformers", "accelerate"))
    except ImportError as error:
        raise UserError(
            f"this needs torch, transformers and accelerate ({error}).",
            where=where,
            fix="Install them: pip install 'attunement[train]'.",
        ) from error
    return torch, transformers


def local_only(name: str) -> dict[str, bool]:
    """Return what keeps a load on this machine where the hub does not answer: ``load(**...)``.

    The client would ask six times for every file of a model, a minute each, before it takes the
    copy that it has.
    """
    from huggingface_hub import constants, get_session

    if Path(name).exists() or constants.HF_HUB_OFFLINE:
        return {}
    try:
        get_session().head(constants.ENDPOINT, timeout=_PATIENCE_S)
    except Exception:  # of the HTTP client that the hub's client uses, which was another before
        return {"local_files_only": True}
    return {}


def not_loaded(what: str, name: str, error: Exception, here: Mapping[str, bool]) -> UserError:
    """Return the error of a model that cannot be loaded; ``here`` is of `local_only`."""
    said = _first(error)
    if here:
        said = f"the hub does not answer, and no copy on this machine can be loaded: {said}"
    return UserError(
        f"{what} cannot be loaded: {said}",
        where=name,
        fix="Check its name, the revision and the network (HF_ENDPOINT, HF_HUB_OFFLINE).",
    )


def load_base(
    name: str, auto: str, *, revision: str | None = None, seed: int = 1, **config: Any
) -> tuple[Any, Any]:
    """Return a model to be trained, and its tokenizer.

    Parameters
    ----------
    name
        On the hub, or a folder.
    auto
        The class that loads it, such as ``AutoModelForCausalLM``.
    revision
        Branch, tag or commit on the hub.
    seed
        Of layers that the base model has not; the process's random numbers start from it.
    config
        Changes to the model's configuration, such as ``num_labels``.

    Raises
    ------
    UserError
        Where the extra is not installed, or there is no such model or none of this class.
    """
    _, transformers = libraries(name)
    transformers.set_seed(seed)
    here = local_only(name)
    how = {"revision": revision, **here}
    try:
        # Some are stored in half precision, in which small steps of training are lost.
        model, tokenizer, _ = _load(name, auto, dtype="float32", **how, **config)
        hub = transformers.utils.hub
        file = hub.cached_file(name, "config.json", **how)
        setattr(model, _COMMIT, hub.extract_commit_hash(file, None))
    except Exception as error:  # a damaged file fails in many ways, in Rust too
        raise not_loaded("the base model", name, error, here) from error
    return model, tokenizer


def commit(model: Any, revision: str | None = None) -> str | None:
    """Return the commit that `load_base` found on the hub; None of a folder."""
    found = getattr(model, _COMMIT, None) or revision
    return None if found is None else str(found)


def save(model: Any, tokenizer: Any, folder: Path) -> None:
    """Write a model's configuration, tokenizer and weights (safetensors) to a folder."""
    with quiet():
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    for file in folder.glob("*.safetensors"):  # written so that nobody else can read them
        file.chmod(folder.stat().st_mode & 0o666)


def read(folder: Path, auto: str) -> tuple[Any, Any]:
    """Return a model that `save` wrote, ready to be asked, and its tokenizer.

    Only safetensors are read, no pickles; code in the folder is not run, and nothing is fetched.

    Raises
    ------
    UserError
        Where the extra is not installed, or the folder is damaged.
    """
    torch, _ = libraries(str(folder))
    try:
        model, tokenizer, info = _load(
            str(folder), auto, use_safetensors=True, local_files_only=True
        )
        # Transformers would draw what is not there by chance, and say nothing.
        gone = [*info["missing_keys"], *info["mismatched_keys"]]
        if gone:
            raise ValueError(f"it has no weights {gone[0]}")
        if len(tokenizer) > model.get_input_embeddings().num_embeddings:
            raise ValueError("its tokenizer has more tokens than the model")
        if not all(torch.isfinite(p).all() for p in model.parameters()):
            raise ValueError("a weight is no number")
    except Exception as error:  # a damaged file fails in many ways, in Rust too
        raise UserError(
            f"the model cannot be read: {_first(error)}", where=str(folder), fix="Train it again."
        ) from error
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return model.eval().to(device), tokenizer


def window(model: Any, tokenizer: Any) -> int:
    """Return how many tokens, special ones counted, a model takes at once.

    The smaller of what the model and its tokenizer say; 512 where neither does.
    """
    said = [
        getattr(model.config, "max_position_embeddings", None),
        getattr(tokenizer, "model_max_length", None),
    ]
    known = [int(n) for n in said if n is not None and 0 < n < _NO_LIMIT]
    return min(known, default=_USUAL)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers' bars and remarks off the terminal while the block runs."""
    logging = libraries("transformers")[1].utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _load(name: str, auto: str, **how: Any) -> tuple[Any, Any, dict[str, Any]]:
    _, transformers = libraries(name)
    where = {k: how[k] for k in ("revision", "local_files_only") if k in how}
    with quiet():
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            name, trust_remote_code=False, **where
        )
        model, info = getattr(transformers, auto).from_pretrained(
            name, trust_remote_code=False, output_loading_info=True, **how
        )
    return model, tokenizer, info


def _first(error: Exception) -> str:
    lines = str(error).splitlines()
    said = next((line.strip() for line in lines if line.strip()), repr(error))
    return said if said.endswith(".") else f"{said}."
