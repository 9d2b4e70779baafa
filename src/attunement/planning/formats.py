"""What each kind of planner keeps in its folder, and how it is made from that again."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attunement.inspect_bridge import ModelSpec, Settings
from attunement.models import hf_models
from attunement.planning import encoder, seq2seq
from attunement.planning.baselines import ConstantPlanner, RandomPlanner
from attunement.planning.encoder import EncoderPlanner
from attunement.planning.features import Hashing, Vocabulary
from attunement.planning.labels import LabelSet
from attunement.planning.linear import LinearPlanner
from attunement.planning.networks import Network
from attunement.planning.planner import Planner
from attunement.planning.prompted import PromptedPlanner
from attunement.planning.prompts import Prompt
from attunement.planning.seq2seq import Seq2SeqPlanner
from attunement.planning.thresholds import Cut

ARRAYS, NETWORK = "arrays.npz", "network"
LARGEST = 2**31
"""Bytes that the arrays may have once unpacked."""

Arrays = Mapping[str, NDArray[Any]]
Parts = tuple[dict[str, Any], dict[str, NDArray[Any]], Network | None]


def parts(planner: Planner) -> Parts:
    """Return what a planner's JSON file holds beside what all have, its arrays and its network."""
    if isinstance(planner, ConstantPlanner | RandomPlanner):
        return planner.state(), {}, None
    if isinstance(planner, EncoderPlanner):
        base = planner.network.base
        state = {"names": list(planner.names), **_cut_state(planner.cut), "base": base}
        return state, {}, planner.network
    if isinstance(planner, PromptedPlanner):
        return prompted_state(planner), {}, None
    if isinstance(planner, Seq2SeqPlanner):
        return {"longest": planner.longest, "base": planner.network.base}, {}, planner.network
    if not isinstance(planner, LinearPlanner):
        raise TypeError(f"no way to write a planner of kind {planner.kind!r}")
    state = {
        "names": list(planner.names),
        "words": planner.hashing.words,
        "bits": planner.hashing.bits,
        **_cut_state(planner.cut),
    }
    arrays = {
        "columns": planner.vocabulary.columns,
        "idf": planner.vocabulary.idf,
        "weights": planner.weights,
        "intercept": planner.intercept,
    }
    return state, arrays, None


def _cut_state(cut: Cut) -> dict[str, Any]:
    thresholds = cut.thresholds.tolist()
    return {"longest": cut.longest, "shortest": cut.shortest, "thresholds": thresholds}


def _constant(header: dict[str, Any], labels: LabelSet, _: Path) -> Planner:
    sequence = labels.sequence([str(label) for label in header["sequence"]])
    return ConstantPlanner(labels, sequence, header["kind"], _whole(header, "context", 1, 1000))


def _random(header: dict[str, Any], labels: LabelSet, _: Path) -> Planner:
    lengths = {int(k): int(n) for k, n in header["lengths"].items()}
    if not lengths or min(lengths) < 0 or max(lengths) > len(labels.labels) - len(labels.silent):
        raise ValueError("lengths are not numbers of labels")
    if min(lengths.values()) < 0 or not sum(lengths.values()):
        raise ValueError("lengths say how often each was seen")
    seed = _whole(header, "seed", 0, 2**63)
    return RandomPlanner(labels, lengths, seed, _whole(header, "context", 1, 1000))


def _linear(header: dict[str, Any], labels: LabelSet, folder: Path) -> Planner:
    names, cut = _names(header, labels), _cut(header)
    hashing = Hashing(
        _whole(header, "context", 1, 1000),
        _whole(header, "words", 1, 5),
        _whole(header, "bits", 1, 24),
    )
    arrays = _arrays(folder / ARRAYS)
    used = len(arrays["columns"])
    shapes = {
        "columns": (np.int32, (used,)), "idf": (np.float32, (used,)),
        "weights": (np.float32, (used, len(names))), "intercept": (np.float32, (len(names),)),
    }  # fmt: skip
    for name, (dtype, shape) in shapes.items():
        if arrays[name].dtype != dtype or arrays[name].shape != shape:
            raise ValueError(f"{name} is {arrays[name].dtype}{arrays[name].shape}")
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} holds what is no number")
    columns = arrays["columns"]
    if used and ((np.diff(columns) <= 0).any() or columns[0] < 0 or columns[-1] >= hashing.columns):
        raise ValueError("the columns are not ascending")
    return LinearPlanner(
        labels,
        names,
        hashing,
        Vocabulary(columns, arrays["idf"]),
        arrays["weights"],
        arrays["intercept"],
        cut,
        str(header["signature"]),
    )


def _encoder(header: dict[str, Any], labels: LabelSet, folder: Path) -> Planner:
    names, cut = _names(header, labels), _cut(header)
    context = _whole(header, "context", 1, 1000)
    network = Network(*hf_models.read(folder / NETWORK, encoder.MODEL), str(header["base"]))
    if network.model.config.num_labels != len(names):
        raise ValueError("the network's outputs are not one for each label")
    return EncoderPlanner(labels, names, network, cut, context, str(header["signature"]))


def _seq2seq(header: dict[str, Any], labels: LabelSet, folder: Path) -> Planner:
    longest, context = _whole(header, "longest", 1, 10_000), _whole(header, "context", 1, 1000)
    network = Network(*hf_models.read(folder / NETWORK, seq2seq.MODEL), str(header["base"]))
    return Seq2SeqPlanner(labels, network, longest, context, str(header["signature"]))


def prompted_state(planner: PromptedPlanner) -> dict[str, Any]:
    """Return whom a prompted planner asks, and what; the key is named by its variable only."""
    spec, prompt = planner.model, planner.prompt
    return {
        "model": {name: getattr(spec, name) for name in _MODEL},
        "settings": {name: getattr(spec.settings, name) for name in _SETTINGS},
        "prompt": {"id": prompt.id, "text": prompt.text, "examples": list(prompt.examples)},
    }


_MODEL = ("name", "model", "base_url", "api_key_env")
_SETTINGS = (
    "temperature",
    "top_p",
    "max_tokens",
    "seed",
    "max_connections",
    "max_retries",
    "timeout",
)


def _prompted(header: dict[str, Any], labels: LabelSet, _: Path) -> Planner:
    model = {name: header["model"][name] for name in _MODEL}
    for name in ("name", "model"):
        if not isinstance(model[name], str) or not model[name]:
            raise ValueError(f"the model's {name} is no text")
    for name in ("base_url", "api_key_env"):
        if not isinstance(model[name], str | None):
            raise ValueError(f"the model's {name} is no text")
    settings = {name: header["settings"][name] for name in _SETTINGS}
    for name, value in settings.items():
        if isinstance(value, bool) or not isinstance(value, int | float | None):
            raise ValueError(f"{name} is no number")
    said = header["prompt"]
    examples = tuple((str(turn), str(reply)) for turn, reply in said["examples"])
    return PromptedPlanner(
        labels,
        ModelSpec(**model, settings=Settings(**settings)),
        Prompt(str(said["id"]), str(said["text"]), examples),
        _whole(header, "context", 1, 1000),
    )


def _names(header: Mapping[str, Any], labels: LabelSet) -> tuple[str, ...]:
    names = tuple(str(name) for name in header["names"])
    labels.sequence(names)  # refuses unknown ones
    return names


def _cut(header: Mapping[str, Any]) -> Cut:
    count = len(header["names"])
    thresholds = np.array(header["thresholds"], dtype=np.float64)
    if thresholds.shape != (count,) or not (thresholds > 0).all():
        raise ValueError("the thresholds are not one for each label, above 0")
    return Cut(
        thresholds, _whole(header, "longest", 0, count), _whole(header, "shortest", 0, count)
    )


def _arrays(file: Path) -> Arrays:
    if not file.is_file():
        raise ValueError(f"{file.name} is missing")
    # Opened here, because NumPy leaves a file open that turns out not to be a zip archive.
    with file.open("rb") as raw:
        with zipfile.ZipFile(raw) as archive:
            if sum(part.file_size for part in archive.infolist()) > LARGEST:
                raise ValueError("its arrays are too large")
        raw.seek(0)
        with np.load(raw, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}


def _whole(header: Mapping[str, Any], key: str, least: int, most: int) -> int:
    value = header[key]
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"{key} is no whole number from {least} to {most}")
    return value


Reader = Callable[[dict[str, Any], LabelSet, Path], Planner]

READERS: dict[str, Reader] = {
    "linear": _linear,
    "encoder": _encoder,
    "seq2seq": _seq2seq,
    "prompted": _prompted,
    "random": _random,
    "majority": _constant,
    "constant": _constant,
}
"""Kind of planner -> what makes it from its file. Further kinds are entered here."""
