"""Data sets on the Hugging Face hub: ``hub:OWNER/NAME[@REVISION][#FILE, FOLDER or CONFIGURATION]``.

Needs the extra ``hub``. Only the files that are loaded are downloaded, into the hub client's own
cache, and from the commit that was resolved first; telemetry is switched off.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from attunement.datasets import files
from attunement.datasets.base import Loaded, Options
from attunement.decoding import decode_yaml
from attunement.errors import UserError, nearest

PREFIX = "hub:"
_ADDRESS = re.compile(
    r"(?P<repo>[\w.-]+(?:/[\w.-]+)?)(?:@(?P<revision>[^#\s]+))?(?:#(?P<part>.+))?"
)
_NOT_DATA = {"dataset_infos.json", "dataset_info.json", "dataset_dict.json", "state.json"}
_SHARD = re.compile(r"-\d{5}-of-\d{5}(?=\.)")


@dataclass(frozen=True)
class Address:
    """Where on the hub: repository, revision (None: the default branch) and part (None: all)."""

    repo: str
    revision: str | None = None
    part: str | None = None


def parse(address: str) -> Address:
    """Return the parts of ``hub:OWNER/NAME[@REVISION][#PART]``; the prefix may be absent.

    >>> parse("hub:someone/chats@v1#data/train.csv")
    Address(repo='someone/chats', revision='v1', part='data/train.csv')

    Raises
    ------
    UserError
        Where the address does not have that shape.

    """
    found = _ADDRESS.fullmatch(address.removeprefix(PREFIX).strip())
    if found is None:
        raise UserError(
            f"{address!r} is not an address on the hub.",
            fix="Write hub:OWNER/NAME, and @REVISION or #FILE after it where needed.",
        )
    return Address(**found.groupdict())


def load(address: str | Path | None, options: Options) -> Loaded:
    """Download the data files that an address means, and load them as local files.

    Raises
    ------
    UserError
        Where the address, the repository or the part of it is wrong, the hub cannot be reached, or
        the extra is not installed.

    """
    if address is None:
        raise UserError("which data set? Write hub:OWNER/NAME.")
    at = parse(str(address))
    with _said(at):
        api = _api()
        info = api.dataset_info(at.repo, revision=at.revision)
        names = [s.rfilename for s in info.siblings or []]
        card = _card(api, at.repo, info.sha) if "README.md" in names else {}
        chosen = choose(names, at, _configurations(card))
        paths = [_download(api, at.repo, info.sha, name) for name in chosen]
    commit = (info.sha or "unknown")[:12]
    loaded = files.load_all(paths, options, name=f"hub:{at.repo}@{commit}")
    notes = [f"From the data set {at.repo}, commit {commit}: {', '.join(chosen)}."]
    if card.get("license"):
        notes.append(f"License as its card says: {card['license']}.")
    return replace(loaded, notes=[*notes, *loaded.notes], name=f"hub:{at.repo}@{commit}")


def split_files(address: str, names: Sequence[str]) -> tuple[list[Path], str]:
    """Download the files of one split of a data set, and return them and where they are from.

    Parameters
    ----------
    address
        As for `load`; its part is a folder that holds the split's files.
    names
        What the split may be called, such as ``validation`` and ``dev``: a file's name begins with
        it, or its folder has it.

    Raises
    ------
    UserError
        Where the address is wrong, it has no such split, or the hub cannot be reached.

    """
    at = parse(address)
    with _said(at):
        api = _api()
        info = api.dataset_info(at.repo, revision=at.revision)
        data = [s.rfilename for s in info.siblings or []]
        chosen = _of_split(data, at, names)
        if not chosen:
            raise UserError(
                f"the data set has no table of the split {names[0]!r}.",
                where=address,
                fix="Name the folder that has it (hub:OWNER/NAME#FOLDER), or the revision "
                "refs/convert/parquet.",
            )
        paths = [_download(api, at.repo, info.sha, name) for name in chosen]
    return paths, f"hub:{at.repo}@{(info.sha or 'unknown')[:12]}"


def _of_split(files_: list[str], at: Address, names: Sequence[str]) -> list[str]:
    suffixes = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson")
    inside = f"{at.part.rstrip('/')}/" if at.part else ""
    data = sorted(f for f in files_ if f.startswith(inside) and f.lower().endswith(suffixes))
    for suffix in suffixes:  # one form is enough where a data set has several
        for name in names:
            called = re.compile(rf"{re.escape(name)}(?![a-z])", re.IGNORECASE)
            found = [
                f
                for f in data
                if f.lower().endswith(suffix)
                and (called.match(Path(f).name) or Path(f).parent.name.lower() == name)
            ]
            if found:
                return found
    return []


def choose(names: list[str], at: Address, configurations: dict[str, list[str]]) -> list[str]:
    """Return which files of a repository to load.

    With a part: that file, the files of that configuration, or the files of that folder. Without:
    the only data file, the shards of the only split, or the configuration called ``default``.

    Raises
    ------
    UserError
        Where nothing fits, or it is not clear which file is meant.

    """
    data = sorted(
        n for n in names if n.lower().endswith(files.SUFFIXES) and Path(n).name not in _NOT_DATA
    )
    if not data:
        raise UserError(
            f"the data set has no {', '.join(files.SUFFIXES)} file.", where=f"hub:{at.repo}"
        )
    part = at.part or "default"
    if part in data:
        return [part]
    if part in configurations:
        found = [n for n in data if any(fnmatch(n, p) for p in configurations[part])]
    else:
        found = [n for n in data if n.startswith(f"{part.rstrip('/')}/")]
    if at.part is None and not found:
        found = data if len({_SHARD.sub("", n) for n in data}) == 1 else []
    if found:
        return found
    known = [*configurations, *data]
    if at.part is None:
        raise UserError(
            f"the data set has several files: {', '.join(data[:20])}.",
            where=f"hub:{at.repo}",
            fix=f"Say which: hub:{at.repo}#{data[0]}.",
        )
    guess = nearest(at.part, known)
    raise UserError(
        f"the data set has no {at.part!r}; it has {', '.join(known[:20])}.",
        where=f"hub:{at.repo}",
        fix=f"Did you mean #{guess}?" if guess else None,
    )


def _api() -> Any:
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    try:
        from huggingface_hub import HfApi, constants
    except ImportError:
        raise UserError(
            "loading from the hub needs the package huggingface_hub.",
            fix="Install it: pip install 'attunement[hub]'.",
        ) from None
    constants.HF_HUB_DISABLE_TELEMETRY = True
    # The client reads HF_ENDPOINT when it is imported, which may have been before it was set.
    return HfApi(endpoint=os.environ.get("HF_ENDPOINT"))


def _download(api: Any, repo: str, commit: str | None, name: str) -> Path:
    return Path(api.hf_hub_download(repo, name, repo_type="dataset", revision=commit))


def _card(api: Any, repo: str, commit: str | None) -> dict[str, Any]:
    """Return the settings at the head of the data set's card."""
    text = _download(api, repo, commit, "README.md").read_text(encoding="utf-8", errors="replace")
    head = re.match(r"---\s*\n(.*?)\n---", text, re.DOTALL)
    try:
        found = decode_yaml(head[1]) if head else None
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {}


def _configurations(card: dict[str, Any]) -> dict[str, list[str]]:
    """Return the patterns of the files of each configuration that the card names."""
    found: dict[str, list[str]] = {}
    configs = card.get("configs")
    for config in configs if isinstance(configs, list) else []:
        if isinstance(config, dict) and "data_files" in config:
            name = str(config.get("config_name", "default"))
            found[name] = list(_patterns(config["data_files"]))
    return found


def _patterns(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value.removeprefix("./")
    elif isinstance(value, list):
        for one in value:
            yield from _patterns(one)
    elif isinstance(value, dict):
        yield from _patterns(value.get("path"))


@contextmanager
def _said(at: Address) -> Iterator[None]:
    """Say what the hub's errors mean."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        known = {type(error).__name__, *(c.__name__ for c in type(error).__mro__)}
        where = f"hub:{at.repo}"
        if "GatedRepoError" in known:
            raise UserError(
                "the data set is gated.",
                where=where,
                fix="Accept its terms on the hub and log in with: hf auth login.",
            ) from error
        if "RepositoryNotFoundError" in known:
            raise UserError(
                "no such data set, or it is private.", where=where, fix="Check owner and name."
            ) from error
        if "RevisionNotFoundError" in known:
            raise UserError(f"no revision {at.revision!r}.", where=where) from error
        if known & {"HfHubHTTPError", "HTTPError", "TransportError", "OSError"}:
            first = str(error).strip().splitlines() or [type(error).__name__]
            raise UserError(
                f"the hub could not be reached: {first[0]}",
                where=where,
                fix="Check the connection, or download the file and load it from its path.",
            ) from error
        raise
