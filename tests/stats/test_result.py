import json
import math

import numpy as np

from attunement.stats.result import Result, TestResult, input_hash, report_json, signature


def test_undefined_is_null_with_a_reason() -> None:
    row = Result("mean", math.nan, 0, "mean", reason="no values").as_json()
    assert row["estimate"] is row["ci_low"] is None
    assert row["reason"] == "no values"


def test_the_report_holds_exactly_the_documented_keys() -> None:
    report = json.loads(json.dumps(report_json([Result("mean", 1.0, 3, "mean")], tests=[])))
    assert set(report) == {"schema_version", "results", "tests"}
    assert list(report["results"][0]) == [
        "name", "group", "estimate", "ci_low", "ci_high", "ci_level",
        "n", "n_missing", "method", "signature", "reason",
    ]  # fmt: skip


def test_a_test_says_its_effect_and_adjusted_p() -> None:
    row = TestResult("wilcoxon", 3.0, 0.04, 12, "signed rank", p_adjusted=0.08).as_json()
    assert row["p_adjusted"] == 0.08
    assert row["effect_size"] is None


def test_the_input_hash_changes_with_any_value_and_the_shape() -> None:
    values = np.arange(6.0)
    changed = values.copy()
    changed[3] += 1e-12
    hashes = {input_hash(values), input_hash(changed), input_hash(values.reshape(2, 3))}
    assert len(hashes) == 3
    assert input_hash(values) == input_hash(np.arange(6.0))


def test_a_signature_keeps_its_separator_to_itself() -> None:
    assert signature("m", model="a|b", seed=None, ties=True).startswith(
        "m|model:a/b|ties:yes|version:"
    )
