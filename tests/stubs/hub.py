"""A stub of the Hugging Face hub on localhost, for tests that download.

It serves a folder: ``<root>/<owner>/<name>/`` is the model repository ``owner/name`` and
``<root>/datasets/<owner>/<name>/`` the dataset repository ``owner/name``. Every repository has one
revision, ``main``, whose commit hash follows from the content of its files. What the clients
``huggingface_hub``, ``transformers`` and ``datasets`` ask for when they read is there: repository
information, trees, path information, and files with ETag, Range and X-Repo-Commit.

    with serve(tmp_path) as hub:
        subprocess.run([...], env=hub.env(tmp_path / "cache"))
        assert "GET /owner/name/resolve/main/config.json" in hub.requests

``huggingface_hub`` reads HF_ENDPOINT once, when it is imported. So either run the code in a child
process with ``hub.env(cache)``, or pass ``endpoint=hub.url`` to the ``huggingface_hub`` call.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

_FILE = re.compile(r"^/(datasets/)?([^/]+(?:/[^/]+)?)/resolve/([^/]+)/(.+)$")
_API = re.compile(
    r"^/api/(models|datasets)/(.+?)(?:/(revision|tree|paths-info|refs|commits)(?:/([^/]+)(?:/(.*))?)?)?$"
)


@dataclass
class Hub:
    """A running stub.

    ``url`` is what HF_ENDPOINT should be; ``requests`` lists every request as "METHOD path"
    (percent-decoded, without the query), in the order of arrival.
    """

    root: Path
    url: str = ""
    requests: list[str] = field(default_factory=list)

    def env(self, cache: Path) -> dict[str, str]:
        """Return this process's environment, pointed at the stub and at an empty cache."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "HUGGING"))}
        return {
            **kept,
            "HF_ENDPOINT": self.url,
            "HF_HOME": str(cache),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "NO_PROXY": "127.0.0.1,localhost",
            "no_proxy": "127.0.0.1,localhost",
        }

    def use(self, patch: pytest.MonkeyPatch, cache: Path) -> None:
        """Point this process at the stub and at an empty cache, until ``patch`` is undone."""
        from huggingface_hub import constants

        for name, value in self.env(cache).items():
            if name.startswith("HF_") or name.lower() == "no_proxy":
                patch.setenv(name, value)
        # The client read its settings when it was imported
        patch.setattr(constants, "HF_HUB_CACHE", str(cache))
        patch.setattr(constants, "HF_HUB_DISABLE_XET", True)

    def commit(self, repo: str, *, dataset: bool = False) -> str | None:
        """Return the commit hash (40 hexadecimal digits) of ``repo``, None where it is unknown."""
        folder = self._folder("datasets" if dataset else "models", repo)
        return None if folder is None else _commit(folder)

    def _folder(self, kind: str, repo: str) -> Path | None:
        base = (self.root / "datasets" if kind == "datasets" else self.root).resolve()
        folder = (base / repo).resolve()
        return folder if folder.is_relative_to(base) and folder.is_dir() else None


@contextmanager
def serve(root: Path) -> Iterator[Hub]:
    """Serve the repositories under ``root`` on a free port of localhost while the block runs."""
    hub = Hub(root)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("_Bound", (_Handler,), {"hub": hub}))
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _files(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.is_file())


def _oid(path: Path) -> str:
    content = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def _commit(folder: Path) -> str:
    lines = [f"{p.relative_to(folder).as_posix()} {_oid(p)}" for p in _files(folder)]
    return hashlib.sha1("\n".join(lines).encode()).hexdigest()


def _entry(path: Path, folder: Path) -> dict[str, Any]:
    name = path.relative_to(folder).as_posix()
    if path.is_dir():
        return {"type": "directory", "path": name, "oid": "0" * 40, "size": 0}
    return {"type": "file", "path": name, "oid": _oid(path), "size": path.stat().st_size}


class _Handler(BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._route(b"")

    def do_HEAD(self) -> None:
        self._route(b"")

    def do_POST(self) -> None:
        self._route(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet: the requests are in ``Hub.requests``."""

    def _route(self, body: bytes) -> None:
        raw = urlsplit(self.path)
        self.hub.requests.append(f"{self.command} {unquote(raw.path)}")
        if found := _FILE.match(raw.path):
            prefix, repo, revision, name = found.groups()
            self._file("datasets" if prefix else "models", repo, unquote(revision), unquote(name))
        elif found := _API.match(raw.path):
            kind, repo, what, revision, path = found.groups()
            self._api(
                kind,
                repo,
                what or "revision",
                unquote(revision or "main"),
                unquote(path or ""),
                body,
            )
        else:
            self._send(404, b"", {"X-Error-Message": "no such page"})

    def _repository(self, kind: str, repo: str, revision: str) -> tuple[Path, str] | None:
        """Return the folder and commit of a repository, or answer 404 as the hub does."""
        folder = self.hub._folder(kind, repo)
        if folder is None:
            self._send(404, b"", {"X-Error-Code": "RepoNotFound"})
            return None
        commit = _commit(folder)
        if revision not in ("main", "refs/heads/main", commit):
            self._send(404, b"", {"X-Error-Code": "RevisionNotFound"})
            return None
        return folder, commit

    def _file(self, kind: str, repo: str, revision: str, name: str) -> None:
        known = self._repository(kind, repo, revision)
        if known is None:
            return
        folder, commit = known
        headers = {"X-Repo-Commit": commit}
        path = (folder / name).resolve()
        if not path.is_relative_to(folder) or not path.is_file():
            self._send(404, b"", {**headers, "X-Error-Code": "EntryNotFound"})
            return
        content = path.read_bytes()
        headers |= {
            "ETag": f'"{_oid(path)}"',
            "Accept-Ranges": "bytes",
            "Content-Type": "application/octet-stream",
        }
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if wanted is None:
            self._send(200, content, headers)
            return
        start = int(wanted[1])
        stop = min(int(wanted[2]) + 1 if wanted[2] else len(content), len(content))
        if start >= stop:
            self._send(416, b"", {**headers, "Content-Range": f"bytes */{len(content)}"})
            return
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(content)}"
        self._send(206, content[start:stop], headers)

    def _api(self, kind: str, repo: str, what: str, revision: str, path: str, body: bytes) -> None:
        known = self._repository(kind, repo, revision)
        if known is None:
            return
        folder, commit = known
        headers = {"X-Repo-Commit": commit}
        answer: Any
        if what == "revision":
            names = [p.relative_to(folder).as_posix() for p in _files(folder)]
            answer = {
                "_id": commit[:24],
                "id": repo,
                "modelId": repo,
                "sha": commit,
                "private": False,
                "gated": False,
                "disabled": False,
                "tags": [],
                "siblings": [{"rfilename": name} for name in names],
            }
        elif what == "tree":
            top = (folder / path).resolve()
            if not top.is_relative_to(folder) or not top.exists():
                self._send(404, b"", {**headers, "X-Error-Code": "EntryNotFound"})
                return
            recursive = parse_qs(urlsplit(self.path).query).get("recursive", ["false"])[0]
            found = top.rglob("*") if recursive.lower() in ("true", "1") else top.iterdir()
            answer = [_entry(p, folder) for p in sorted(found)]
        elif what == "paths-info":
            wanted = _paths(body)
            answer = [_entry(folder / p, folder) for p in wanted if (folder / p).exists()]
        elif what == "refs":
            main = {"name": "main", "ref": "refs/heads/main", "targetCommit": commit}
            answer = {"branches": [main], "tags": [], "converts": []}
        else:
            answer = [{"id": commit, "title": "files", "message": "", "authors": [], "date": _DATE}]
        self._send(
            200, json.dumps(answer).encode(), {**headers, "Content-Type": "application/json"}
        )

    def _send(self, code: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


_DATE = "2024-01-01T00:00:00.000Z"


def _paths(body: bytes) -> list[str]:
    """Return the paths of a paths-info request, which comes as JSON or as a form."""
    text = body.decode()
    try:
        paths = json.loads(text)["paths"]
    except (ValueError, KeyError):
        paths = parse_qs(text).get("paths", [])
    return [paths] if isinstance(paths, str) else list(paths)
