"""How a generator is trained where nothing is said, and on what."""

from pathlib import Path

import pytest

from attunement.errors import UserError
from attunement.respond import training


def test_the_papers_settings_are_those_of_table_iv() -> None:
    # Table IV: epochs, learning rate, batch size.
    table = {
        ("causal", "gpt2"): (12, 2e-5, 32),
        ("causal", "openai-community/gpt2-medium"): (5, 2e-5, 16),
        ("causal", "microsoft/DialoGPT-small"): (8, 2e-5, 32),
        ("causal", "microsoft/DialoGPT-medium/"): (4, 2e-5, 16),
        ("seq2seq", "facebook/bart-base"): (10, 2e-5, 32),
        ("seq2seq", "facebook/bart-large"): (6, 2e-5, 16),
        ("seq2seq", "someone/other"): (10, 2e-5, 32),
        ("causal", "someone/other"): (12, 2e-5, 32),
    }
    for (kind, base), expected in table.items():
        found = training.defaults(kind, base)
        assert (found.epochs, found.learning_rate, found.batch_size) == expected
    with pytest.raises(UserError, match="Did you mean 'causal'"):
        training.require("casual")


@pytest.mark.shared
@pytest.mark.parametrize(
    ("full", "learned", "held"),
    # Counted by a plain loop over the files. One more than a planner's windows: the training
    # line that has a label too few (7,852) has a text for its last turn.
    [(False, 76053, 7069), (True, 54300, 5109)],
)
def test_dailydialog_has_an_answer_for_every_turn_but_a_dialogues_first(
    shared: Path, full: bool, learned: int, held: int
) -> None:
    found = training.material(shared / "data" / "dailydialog", full=full)
    assert (len(found.training), len(found.validation)) == (learned, held)
    assert max(len(e.context) for e in found.training) == 3
