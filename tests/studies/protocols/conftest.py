"""A panel that is past its first round."""

import pytest

from attunement.studies import opening
from attunement.studies.models import Study
from studies.panel_rounds import Make, both, decide, first_round, give, page, stage


@pytest.fixture
def second(make_panel: Make) -> Study:
    """A panel whose second round has begun; ur3 was reworded, and ease1 left out."""
    study = make_panel()
    first_round({"ease1": [1, 1, 2, 1], "ur1": [5, 5, 4, 3]})
    give(page("R001", "ur"), "ur1", "comment", "My own words.")
    give(page("R002", "ur"), "ur1", "comment", "Another's words.")
    decide("modify", "ur3", into=[{"id": "ur3", "wording": both("It knows what I mean.")}])
    opening.open_stage(stage(2), by="owner")
    return study
