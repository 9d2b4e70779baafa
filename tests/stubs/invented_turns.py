"""Invented windows in which what is said decides what follows."""

import numpy as np

from attunement.planning import Window


def invented(n: int, seed: int) -> list[Window]:
    """Questions are answered, requests are taken up, and bad news saddens."""
    rng = np.random.default_rng(seed)
    kinds = [
        ("where is the {} ?", ("inform",)),
        ("please bring the {} !", ("commissive",)),
        ("the {} broke , alas .", ("inform", "sadness")),
        ("i like the {} .", ("question",)),
    ]
    things = ["cup", "boat", "lamp", "book", "bike"]
    found = []
    for i in range(n):
        text, target = kinds[rng.integers(len(kinds))]
        said = [rng.choice(things) for _ in range(3)]
        context = (f"hello {said[0]} .", text.format(said[1]))[rng.integers(2) :]
        found.append(Window(f"d{i // 4}", i % 4 + 1, context, target))
    return found
