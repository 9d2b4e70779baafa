"""Who rates what: coverage, loads, who meets whom, and what stands where."""

import time
from collections import Counter, defaultdict
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attunement.errors import UserError
from attunement.studies.assignment import Slot, assign


def items(n: int, m: int = 4) -> dict[str, list[str]]:
    return {f"q{i}": [f"q{i}-{letter}" for letter in "abcdefgh"[:m]] for i in range(n)}


def main(plan: list[Slot]) -> list[Slot]:
    return [slot for slot in plan if slot.kind == "main"]


def loads(plan: list[Slot]) -> Counter[int]:
    return Counter(slot.rater for slot in main(plan))


def raters_of(plan: list[Slot]) -> dict[str, list[int]]:
    found = defaultdict(list)
    for slot in main(plan):
        found[slot.item_id].append(slot.rater)
    return found


def test_the_published_study_has_one_hundred_raters_of_five_questions() -> None:
    """CounselBench: 100 experts, 5 questions each with 4 answers, 5 experts a question."""
    plan = assign(items(100), raters_per_item=5, items_per_rater=5)
    assert loads(plan) == dict.fromkeys(range(100), 5)
    assert {len(set(raters)) for raters in raters_of(plan).values()} == {5}
    assert sum(len(slot.order) for slot in plan) == 2000  # the annotations that it published
    meetings = Counter(
        pair for raters in raters_of(plan).values() for pair in combinations(sorted(raters), 2)
    )
    # 1,000 meetings among 4,950 pairs: nobody needs to meet anybody twice, so that no two questions
    # share more than one expert. Drawn at random, about 1000 - 4950 (1 - exp(-1000 / 4950)) = 94
    # meetings would be of experts who met before.
    assert max(meetings.values()) == 1
    assert all(len(set(a) & set(b)) <= 1 for a, b in combinations(raters_of(plan).values(), 2))


@pytest.mark.parametrize(
    ("n", "k", "raters", "times"),
    [
        (60, 3, 10, 4),  # 180 meetings of 45 pairs
        (300, 2, 4, 50),  # 300 of 6
        (13, 3, 13, 1),  # 39 of 78
        (100, 5, 20, 6),  # 1,000 of 190
    ],
)
def test_pairs_of_raters_meet_as_evenly_as_their_numbers_allow(
    n: int, k: int, raters: int, times: int
) -> None:
    plan = assign(items(n), raters_per_item=k, raters=raters)
    meetings = Counter(
        pair for raters in raters_of(plan).values() for pair in combinations(sorted(raters), 2)
    )
    every = [meetings[pair] for pair in combinations(range(raters), 2)]
    assert sum(every) == n * k * (k - 1) // 2
    assert max(every) == times == -(-sum(every) // len(every))
    assert sum(count < times - 1 for count in every) <= len(every) // 50


designs = st.fixed_dictionaries(
    {
        "n": st.integers(1, 25),
        "m": st.integers(0, 6),
        "k": st.integers(1, 6),
        "per_rater": st.integers(1, 12),
        "seed": st.integers(0, 1000),
    }
)


@given(designs)
@settings(max_examples=80, deadline=None)
def test_every_plan_covers_exactly_and_balances(design: dict[str, int]) -> None:
    n, m, k = design["n"], design["m"], design["k"]
    asked = items(n, m)
    plan = assign(
        asked, raters_per_item=k, items_per_rater=design["per_rater"], seed=design["seed"]
    )
    assert set(raters_of(plan)) == set(asked)
    for raters in raters_of(plan).values():
        assert len(raters) == len(set(raters)) == k
    load = loads(plan)
    assert max(load.values()) <= design["per_rater"]
    assert max(load.values()) - min(load.values()) <= 1
    assert sorted(load) == list(range(len(load)))
    for slot in plan:
        assert sorted(slot.order) == sorted(asked[slot.item_id])
    for item, responses in asked.items():
        for place in range(m):
            shown = Counter(slot.order[place] for slot in plan if slot.item_id == item)
            counts = [shown[r] for r in responses]
            assert max(counts) - min(counts) <= 1
    assert plan == assign(
        asked, raters_per_item=k, items_per_rater=design["per_rater"], seed=design["seed"]
    )


@given(designs, st.integers(0, 4))
@settings(max_examples=60, deadline=None)
def test_attention_items_never_come_first_and_repeats_come_last(
    design: dict[str, int], extra: int
) -> None:
    n, m, k = design["n"], design["m"], design["k"]
    checks = {f"check{i}": ["yes", "no"] for i in range(extra)}
    repeats = min(2, n * k // max(k, -(-n * k // design["per_rater"])))
    plan = assign(
        items(n, m),
        raters_per_item=k,
        items_per_rater=design["per_rater"],
        attention=checks,
        repeats=repeats,
        seed=design["seed"],
    )
    for rater in loads(plan):
        mine = [slot for slot in plan if slot.rater == rater]
        assert [slot.position for slot in mine] == list(range(len(mine)))
        assert mine[0].kind == "main"
        assert sorted(s.item_id for s in mine if s.kind == "attention") == sorted(checks)
        again = mine[len(mine) - repeats :] if repeats else []
        assert [slot for slot in mine if slot.kind == "repeat"] == again
        firsts = [slot for slot in mine if slot.kind == "main"][:repeats]
        for first, repeat in zip(firsts, again, strict=True):
            assert repeat.item_id == first.item_id
            if m > 1:
                assert all(a != b for a, b in zip(first.order, repeat.order, strict=True))


def test_attention_items_are_spread() -> None:
    checks = {"check0": ["x"], "check1": ["x"]}
    plan = assign(items(20), raters_per_item=3, raters=3, attention=checks)
    for rater in range(3):
        places = [s.position for s in plan if s.rater == rater and s.kind == "attention"]
        assert 1 <= places[0] <= 10 < places[1] <= 21
    assert len({s.position for s in plan if s.kind == "attention"}) > 2


def test_an_item_comes_early_for_one_rater_and_late_for_another() -> None:
    plan = assign(items(100), raters_per_item=5, raters=20)  # 25 items a rater
    places = defaultdict(list)
    for slot in plan:
        places[slot.item_id].append(slot.position)
    middles = [sum(p) / len(p) for p in places.values()]
    # Left to chance the mean of five places would stray from 12 by 3.2, in strata by 0.6.
    assert sum((x - 12) ** 2 for x in middles) / len(middles) < 1.5**2


def test_another_seed_gives_another_plan() -> None:
    one, two = (assign(items(10), raters_per_item=2, raters=4, seed=s) for s in (1, 2))
    assert one != two


def test_two_thousand_items_take_less_than_two_seconds() -> None:
    start = time.process_time()
    plan = assign(items(2000), raters_per_item=5, items_per_rater=20)
    assert time.process_time() - start < 2
    assert loads(plan) == dict.fromkeys(range(500), 20)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"raters_per_item": 0}, "at least one rater"),
        ({"raters_per_item": 3, "raters": 2}, "at most 2 raters an item"),
        ({"raters_per_item": 3, "raters": 4, "items_per_rater": 5}, "Take 6 raters, or 8 items"),
        ({"raters_per_item": 1, "raters": 11}, "Take at most 10 raters"),
        ({"raters_per_item": 1, "items_per_rater": 0}, "at least one item"),
        ({"raters_per_item": 1, "items_per_rater": 3, "repeats": 3}, "at most 2"),
        ({"raters_per_item": 1, "repeats": -1}, "fewer than no repeats"),
        ({"raters_per_item": 1, "attention": {"q1": ["x"]}}, "'q1' is both"),
        ({"raters_per_item": 1, "attention": {"check": ["x", "x"]}}, "'x' stands twice"),
    ],
)
def test_numbers_that_do_not_fit_are_refused_with_what_would(
    options: dict[str, object], said: str
) -> None:
    with pytest.raises(UserError) as error:
        assign(items(10), **options)  # type: ignore[arg-type]
    assert said in str(error.value)


def test_nothing_to_rate_is_refused() -> None:
    with pytest.raises(UserError, match="nothing to rate"):
        assign({}, raters_per_item=1)
