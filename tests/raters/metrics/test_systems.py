"""Numbers of whole systems, batch by batch; corpus scores from sacrebleu's public calls."""

import json
import math
from pathlib import Path

import polars as pl
import pytest
import sacrebleu

from attunement import tables
from attunement.raters.metrics import Summary, score_file
from attunement.raters.metrics import files as files_module
from attunement.raters.metrics.registry import SETS
from attunement.stats.result import Result

WORDS = "i hear how hard this week has been for you and it is not your fault".split()  # noqa: SIM905


def answers(n: int, step: int) -> list[str]:
    return [
        " ".join(WORDS[(i * step + k) % len(WORDS)] for k in range(4 + i % 9)) for i in range(n)
    ]


REFERENCES = answers(30, 5)


def scored(folder: Path, sources: dict[str, list[str]], metrics: list[str]) -> Summary:
    rows = [
        {"item_id": f"q{i}", "source": source, "text": text, "reference": REFERENCES[i]}
        for i in range(30)
        for source, texts in sources.items()
        for text in texts[i : i + 1]
    ]
    pl.DataFrame(rows).write_parquet(folder / "answers.parquet")
    return score_file(folder / "answers.parquet", folder / "ratings.parquet", metrics=metrics)


def by_name(results: list[Result]) -> dict[tuple[str, str], Result]:
    return {(r.group["source"], r.group["metric"]): r for r in results}


def test_corpus_scores_are_sacrebleus_whatever_the_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_module, "BATCH", 7)
    sources = {"a": answers(30, 3), "b": answers(30, 5)[::-1]}
    found = by_name(scored(tmp_path, sources, ["bleu", "chrf", "rouge1"]).by_system())
    for source, texts in sources.items():
        bleu, chrf, rouge = (found[source, m] for m in ("bleu", "chrf", "rouge1"))
        assert bleu.estimate == pytest.approx(sacrebleu.corpus_bleu(texts, [REFERENCES]).score)
        assert chrf.estimate == pytest.approx(sacrebleu.corpus_chrf(texts, [REFERENCES]).score)
        assert (bleu.name, chrf.name, rouge.name) == ("corpus", "corpus", "mean")
        assert bleu.ci_low < bleu.estimate < bleu.ci_high
        assert (bleu.n, bleu.n_missing) == (30, 0)
        assert "|eff:no|" in bleu.signature
        assert "bootstrap:items|level:0.95|replicates:300|seed:2" in repeated(tmp_path)
        assert "percentile bootstrap over items" in bleu.method


def repeated(folder: Path) -> str:
    summary = scored(folder, {"a": answers(30, 3)}, ["bleu"])
    first, again = (summary.by_system(replicates=300, seed=2)[0] for _ in range(2))
    assert first == again
    return first.signature


def test_an_interval_is_near_that_of_sacrebleus_own_bootstrap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = answers(30, 3)
    (found,) = scored(tmp_path, {"a": texts}, ["chrf"]).by_system(replicates=2000)
    monkeypatch.setenv("SACREBLEU_SEED", "12345")
    theirs = sacrebleu.CHRF().corpus_score(texts, [REFERENCES], n_bootstrap=2000)
    # sacrebleu gives the mean of the resamples and half the interval's width
    assert (found.ci_high - found.ci_low) / 2 == pytest.approx(theirs._ci, rel=0.1)


def test_candidates_of_one_item_are_drawn_together(tmp_path: Path) -> None:
    rows = [
        {"item_id": "q0", "source": "a", "candidate": i, "text": text, "reference": REFERENCES[0]}
        for i, text in enumerate(answers(5, 2))
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "answers.parquet")
    files = (tmp_path / "answers.parquet", tmp_path / "ratings.parquet")
    (found,) = score_file(*files, metrics=["chrf"]).by_system()
    assert (found.n, found.reason) == (5, "fewer than two items: no interval")
    assert math.isnan(found.ci_low)


def test_a_system_without_values_is_undefined_and_not_zero(tmp_path: Path) -> None:
    sources = {"a": [""] * 30, "reference": REFERENCES}
    found = by_name(scored(tmp_path, sources, ["bleu", "distinct_1"]).by_system())
    for key in (("a", "bleu"), ("a", "distinct_1"), ("reference", "bleu")):
        assert math.isnan(found[key].estimate)
        assert (found[key].n, found[key].n_missing, found[key].reason) == (0, 30, "no values")
    assert found["reference", "distinct_1"].n == 30


def test_every_answer_gets_a_value_or_a_reason(tmp_path: Path) -> None:
    odd = ["", " \n\t", "😂👍", "ok", "我很难过，没有人听我说话。", "Мне грустно", "a" * 50_000,
           "sono triste " * 4_500, "\x00", "…", "e\u0301"]  # fmt: skip
    items = [
        {
            "item_id": f"q{i}",
            "turns": [{"role": "user", "text": "I am sad"}],
            "reference": None if i == 3 else "I hear how sad you are.",
        }
        for i in range(len(odd))
    ]
    lines = "".join(json.dumps(item) + "\n" for item in items)
    (tmp_path / "items.jsonl").write_text(lines, encoding="utf-8")
    frame = pl.DataFrame({"item_id": [i["item_id"] for i in items], "source": "a", "text": odd})
    frame.write_parquet(tmp_path / "answers.parquet")
    files = [tmp_path / name for name in ("answers.parquet", "ratings.parquet", "items.jsonl")]
    summary = score_file(*files, metrics=["response"])
    ratings = tables.read_table(tmp_path / "ratings.parquet", "ratings")
    assert tables.check(ratings, "ratings") == []
    ratings = ratings.filter(pl.col("source") == "a")
    assert ratings.height == len(odd) * len(SETS["response"])
    missing = ratings.filter(pl.col("value").is_null())
    assert missing["status"].unique().to_list() == ["not_applicable"]
    assert missing["rationale"].null_count() == 0
    assert missing.filter(pl.col("unit_id") == "q0/a/0").height == 8
    whole = [r for r in summary.by_system(replicates=50) if r.group["source"] == "a"]
    assert [r.n + r.n_missing for r in whole] == [len(odd)] * len(SETS["response"])
