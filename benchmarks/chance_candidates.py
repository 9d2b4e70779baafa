"""What the similarity to a plan is worth: how high it gets by choosing among unrelated turns.

    python benchmarks/chance_candidates.py --data DIR [--windows 3000] [--seeds 3]

DIR holds DailyDialog's splits. Windows of the test split are drawn, and to each ten turns from
other conversations, which answer nothing. The linear planner plans, the embedded tagger tags, and
the most similar of the ten is chosen, as by ``attunement respond``. Each seed draws anew; the
figures stand in docs/respond.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import polars as pl

from attunement import tables
from attunement.planning import Order, Window, load_tagger, material, train, turns_of
from attunement.respond import plans, record
from attunement.respond.candidates import contexts_of
from attunement.respond.planned import CANDIDATES, respond
from attunement.respond.sources import Existing

ROLES = ("user", "assistant")


def items_of(turns: list[Window]) -> pl.DataFrame:
    """Return an item for each window; its last turn is the user's."""
    rows = [
        {
            "item_id": f"{w.dialogue}/{w.turn}",
            "turns": [
                {"role": ROLES[(len(w.context) - 1 - n) % 2], "text": text}
                for n, text in enumerate(w.context)
            ],
        }
        for w in turns
    ]
    return tables.conform(pl.DataFrame(rows), "items")


def unrelated(turns: list[Window], others: list[tuple[str, str]], seed: int) -> pl.DataFrame:
    """Return ten turns for each window, drawn without replacement from other conversations.

    ``others`` are all turns, each with its dialogue.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for w in turns:
        drawn = [others[n] for n in rng.choice(len(others), 2 * CANDIDATES, replace=False)]
        texts = [text for dialogue, text in drawn if dialogue != w.dialogue][:CANDIDATES]
        rows += [
            {
                "response_id": f"{w.dialogue}/{w.turn}/{n}",
                "item_id": f"{w.dialogue}/{w.turn}",
                "source": "unrelated",
                "text": text,
                "candidate": n,
            }
            for n, text in enumerate(texts)
        ]
    return tables.conform(pl.DataFrame(rows), "responses")


def main() -> None:
    """Print the mean similarities of the first and of the chosen, for each seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--windows", type=int, default=3000)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    order = Order()
    planner = train("linear", material(given.data, order), order)
    tagger = load_tagger("embedded")
    split, everything = turns_of(given.data, "test", order)
    said = [(dialogue.id, text) for dialogue in split.dialogues for text in dialogue.turns]
    for seed in range(1, given.seeds + 1):
        places = np.random.default_rng(seed).choice(len(everything), given.windows, replace=False)
        turns = [everything[n] for n in sorted(places)]
        items = items_of(turns)
        found = respond(
            items,
            Existing(unrelated(turns, said, seed)),
            "rerank",
            name="unrelated",
            plans=plans.predicted(planner, contexts_of(items)),
            tagger=tagger,
        )
        for result in record.results(record.candidates_table(found)):
            limits = f"{result.ci_low:.4f} to {result.ci_high:.4f}"
            print(f"seed {seed}: {result.name} {result.estimate:.4f} ({limits}), n {result.n}")


if __name__ == "__main__":
    main()
