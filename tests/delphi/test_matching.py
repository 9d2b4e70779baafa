"""Which items of two rounds are the same sentence."""

import polars as pl

from attunement.delphi import PanelRound, aligned, read_round, stability


def panel(number: int, *words: str, ratings: tuple[int, ...] = (5, 4, 3)) -> PanelRound:
    """Return a round whose items have no ids but their place, as papers print them."""
    rows = [
        {"expert": e, "item": w, "dimension": "UR", "relevance": ratings[i] - (e == "e2")}
        for e in ("e1", "e2")
        for i, w in enumerate(words)
    ]
    return read_round(pl.DataFrame(rows), number=number)


def test_an_item_that_moved_up_is_compared_with_itself() -> None:
    first = panel(1, "It hears me.", "I rephrase a lot.", "It asks back.")
    second = panel(2, "It hears me.", "It asks  back.", ratings=(5, 3))
    matched, lost = aligned(first, second)
    assert [(i.id, i.text) for i in matched.items] == [
        ("UR1", "It hears me."),
        ("UR2", "It asks back."),
    ]
    assert lost == ()
    found = stability(first, second, replicates=0)
    assert found[""].unchanged.estimate == 1  # nobody changed a rating of either sentence


def test_another_sentence_under_the_same_id_is_not_compared() -> None:
    first = panel(1, "It hears me.", "I rephrase a lot.")
    second = panel(2, "It hears me.", "It is kind.")
    matched, lost = aligned(first, second)
    assert [i.id for i in matched.items] == ["UR1"]
    assert lost == ("UR2",)


def test_without_wording_the_ids_decide() -> None:
    rows = pl.DataFrame({"expert": ["e1", "e1"], "item": ["A1", "A2"], "relevance": [5, 4]})
    first, second = read_round(rows, number=1), read_round(rows, number=2)
    matched, lost = aligned(first, second)
    assert [i.id for i in matched.items] == ["A1", "A2"]
    assert lost == ()
