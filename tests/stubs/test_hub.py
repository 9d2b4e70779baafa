"""The stub hub answers the real client as the hub would."""

import subprocess
import sys

import pytest

from stubs.hub import serve

pytest.importorskip("huggingface_hub")


CLIENT = """
from pathlib import Path
from huggingface_hub import HfApi, hf_hub_download, snapshot_download, list_repo_files
from huggingface_hub.errors import EntryNotFoundError, RepositoryNotFoundError
from huggingface_hub.errors import RevisionNotFoundError
def raises(error, call, *a, **k):
    try:
        call(*a, **k)
    except error:
        return
    raise SystemExit(f"no {error.__name__}")
print(list_repo_files("someone/model"))
print(Path(hf_hub_download("someone/model", "sub/weights.bin")).stat().st_size)
folder = Path(snapshot_download("someone/model"))
print(sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()))
print(list_repo_files("someone/data", repo_type="dataset"))
path = hf_hub_download("someone/data", "caf\u00e9 1.csv", repo_type="dataset", revision="main")
print(ascii(Path(path).read_text(encoding="utf-8")))
print([f.path for f in HfApi().get_paths_info("someone/model", ["config.json", "none"])])
print(HfApi().dataset_info("someone/data").sha)
raises(EntryNotFoundError, hf_hub_download, "someone/model", "none.txt")
raises(RepositoryNotFoundError, snapshot_download, "someone/none")
raises(RevisionNotFoundError, hf_hub_download, "someone/model", "config.json", revision="v9")
"""


def test_client_lists_and_downloads_models_and_datasets(tmp_path):
    model = tmp_path / "hub" / "someone" / "model"
    data = tmp_path / "hub" / "datasets" / "someone" / "data"
    (model / "sub").mkdir(parents=True)
    data.mkdir(parents=True)
    (model / "config.json").write_text("{}")
    (model / "sub" / "weights.bin").write_bytes(b"\0" * 3000)
    (data / "café 1.csv").write_text("ü\n", encoding="utf-8")
    with serve(tmp_path / "hub") as hub:
        run = subprocess.run(
            [sys.executable, "-c", CLIENT],
            env=hub.env(tmp_path / "cache") | {"PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            text=True,
            timeout=60,
        )
        commit = hub.commit("someone/data", dataset=True)
        requests = list(hub.requests)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == [
        "['config.json', 'sub/weights.bin']",
        "3000",
        "['config.json', 'sub/weights.bin']",
        "['café 1.csv']",
        r"'\xfc\n'",
        "['config.json']",
        commit,
    ]
    assert "GET /someone/model/resolve/main/sub/weights.bin" in requests


def test_ranges_and_paths_outside_the_repository(tmp_path):
    import urllib.error
    import urllib.request

    (tmp_path / "hub" / "a" / "b").mkdir(parents=True)
    (tmp_path / "hub" / "a" / "b" / "f").write_bytes(b"0123456789")
    (tmp_path / "secret").write_text("x")
    with serve(tmp_path / "hub") as hub:
        ask = urllib.request.Request(
            f"{hub.url}/a/b/resolve/main/f", headers={"Range": "bytes=2-4"}
        )
        with urllib.request.urlopen(ask) as answer:
            assert (answer.status, answer.read()) == (206, b"234")
        with pytest.raises(urllib.error.HTTPError, match="404") as error:
            urllib.request.urlopen(f"{hub.url}/a/b/resolve/main/..%2F..%2F..%2Fsecret")
        error.value.close()
