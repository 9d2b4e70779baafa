"""Files of lines that only their owner reads and only one process writes to."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows has no flock; there nobody is kept out
    fcntl = None  # type: ignore[assignment]


def open_own(path: Path) -> IO[bytes]:
    """Open a file to read and append to, made with its folder where it is not there.

    Raises
    ------
    OSError
        Where it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(0o600)
    return path.open("a+b")


def hold(file: IO[bytes] | IO[str]) -> bool:
    """Keep other processes from holding an open file; False where one holds it already."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def wait_for(file: IO[bytes]) -> None:
    """Hold an open file as soon as nobody else does; closing it lets go."""
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX)


def open_beside(path: Path, other: Path) -> IO[bytes]:
    """Open a file, made for the same people as another one beside it where it is not there.

    Raises
    ------
    OSError
        Where it cannot be written, or the other one is not there.
    """
    about = other.stat()
    try:
        new = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.open("r+b")
    with contextlib.suppress(OSError):  # root's would keep the owner of the other one out
        os.chown(new, about.st_uid, about.st_gid)
    path.chmod(about.st_mode & 0o777)
    return os.fdopen(new, "r+b")


def append(file: IO[bytes], line: bytes) -> None:
    """Hand a line to the operating system before returning: a kill can tear this line at most."""
    written = 0
    while written < len(line):
        written += os.write(file.fileno(), line[written:])
