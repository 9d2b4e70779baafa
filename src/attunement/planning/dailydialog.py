"""DailyDialog's splits: the original text files, tables with a dialogue or a turn a row, the hub.

Li, Y., Su, H., Shen, X., Li, W., Cao, Z. and Niu, S. 2017. DailyDialog: A Manually Labelled
Multi-turn Dialogue Dataset. IJCNLP. The data come under CC BY-NC-SA 4.0: nothing that was trained
on them may be used commercially, and nothing of it is part of this package.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from attunement.errors import UserError, nearest
from attunement.planning import _tables
from attunement.planning.dialogues import Dialogue, Fault, Split, build, repeated
from attunement.planning.labels import DAILYDIALOG, LabelSet

NAMES: dict[str, tuple[str, ...]] = {
    "train": ("train",),
    "validation": ("validation", "valid", "val", "dev"),
    "test": ("test",),
}
"""The splits, and how files and folders call them."""

END = "__eou__"
HUB = "hub:"
_SUFFIXES = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson")
_FIX = (
    "A folder holds the original files (train/dialogues_train.txt and so on) or tables "
    "(train.csv and so on); docs/planning.md says more."
)


def load_split(data: str | Path, split: str, labels: LabelSet | None = DAILYDIALOG) -> Split:
    """Return one split with what is wrong with it.

    Parameters
    ----------
    data
        A folder, or ``hub:OWNER/NAME[@REVISION][#PART]`` (needs the extra ``hub``).
    split
        ``train``, ``validation`` or ``test``.
    labels
        What the data's words or numbers mean; the original files need the groups ``act`` and
        ``emotion``. None reads the texts alone, and needs no labels to be there.

    Raises
    ------
    UserError
        Where the split is unknown or absent, or a file cannot be read.
    """
    if split not in NAMES:
        guess = nearest(split, list(NAMES))
        raise UserError(
            f"no split {split!r}; there are {', '.join(NAMES)}.",
            fix=f"Did you mean {guess!r}?" if guess else None,
        )
    if str(data).startswith(HUB):
        from attunement.datasets import hub

        paths, source = hub.split_files(str(data), NAMES[split])
        return _whole(split, _from_tables(paths, labels), source)
    folder = Path(data)
    if not folder.is_dir():
        raise UserError("no such folder.", where=str(data), fix=_FIX)
    original = _original(folder, split)
    if original is not None:
        return _whole(split, _from_original(original, labels), str(original))
    tables = _files(folder, split)
    if not tables:
        raise UserError(f"the folder has no {split} split.", where=str(data), fix=_FIX)
    return _whole(split, _from_tables(tables, labels), ", ".join(map(str, tables)))


def _whole(split: str, found: Iterator[tuple[Dialogue, list[Fault]]], source: str) -> Split:
    dialogues, faults = [], []
    for dialogue, wrong in found:
        faults += wrong
        if dialogue.turns:
            dialogues.append(dialogue)
    return Split(split, tuple(dialogues), (*faults, *repeated(dialogues, source)), source=source)


def _original(folder: Path, split: str) -> Path | None:
    for name in NAMES[split]:
        for place in (folder / name, folder):
            file = place / f"dialogues_{name}.txt"
            if file.is_file():
                return file
    return None


def _from_original(texts: Path, labels: LabelSet | None) -> Iterator[tuple[Dialogue, list[Fault]]]:
    """Yield the dialogues of a file, and their labels from one for each group, a line a dialogue.

    Raises
    ------
    UserError
        Where a file is missing or has other lines than the texts.
    """
    name = texts.stem.removeprefix("dialogues_")
    groups = labels.groups if labels is not None else ()
    files = {g.name: texts.with_name(f"dialogues_{g.name}_{name}.txt") for g in groups}
    lines = _lines(texts)
    numbers = {group: _lines(file) for group, file in files.items()}
    for group, found in numbers.items():
        if len(found) != len(lines):
            raise UserError(
                f"{len(found):,} lines, but {texts.name} has {len(lines):,}.",
                where=str(files[group]),
                fix="The files of a split have one line for each dialogue, in the same order.",
            )
    for i, line in enumerate(lines):
        where = f"{texts}:{i + 1}"
        turns = line.split(END)
        if not turns[-1].strip():
            turns.pop()
        cells = {group: found[i].split() for group, found in numbers.items()}
        sequences, faults = _tables.sequences(cells, labels, where)
        dialogue, more = build(where, f"{name}-{i + 1}", turns, sequences)
        yield dialogue, faults + more


def _lines(file: Path) -> list[str]:
    """Return a file's lines. Texts may hold signs that `str.splitlines` takes for line ends."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UserError("no such file.", where=str(file), fix=_FIX) from None
    except UnicodeDecodeError as error:
        raise UserError(f"it is not UTF-8 (byte {error.start}).", where=str(file)) from None
    lines = text.split("\n")
    if not lines[-1].strip():
        lines.pop()
    return lines


def _files(folder: Path, split: str) -> list[Path]:
    """Return the tables of a split: ``train.csv``, or shards such as ``train-00000-of-00002``."""
    for place in (folder, folder / "data"):
        for name in NAMES[split]:
            for suffix in _SUFFIXES:
                whole = place / f"{name}{suffix}"
                found = [whole] if whole.is_file() else []
                found = found or sorted(place.glob(f"{name}-?????-of-?????{suffix}"))
                if found:
                    return found
    return []


def _from_tables(
    paths: Sequence[Path], labels: LabelSet | None
) -> Iterator[tuple[Dialogue, list[Fault]]]:
    from attunement.tables import read_frame

    for path in paths:
        frame: pl.DataFrame = read_frame(path)
        prefix = path.name.split(".")[0]
        yield from _tables.dialogues(frame, labels, where=str(path), prefix=prefix)
