from attunement import tables


def test_only_answered_items_without_a_reference_among_the_answers_get_one() -> None:
    gold = {"a": "A.", "b": "B.", "c": None, "d": "D."}
    answered = [("a", "bot"), ("b", "bot"), ("b", "reference"), ("c", "bot")]
    made = tables.missing_references(gold, answered)
    assert made.select("item_id", "source", "text").rows() == [("a", "reference", "A.")]
    assert made["response_id"].to_list() == ["a/reference/0"]


def test_nothing_missing_is_an_empty_table() -> None:
    assert tables.missing_references({}, []).equals(tables.empty("responses"))
