"""An endpoint that answers plainly and to a plan, over a real connection."""

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from attunement.inspect_bridge import ModelSpec
from attunement.planning import DAILYDIALOG, ConstantPlanner
from attunement.respond.endpoint import Endpoint
from attunement.respond.presets import preset
from attunement.respond.serving import Server
from attunement.respond.sources import Model
from attunement.respond.turn_journal import TurnJournal
from stubs.rule_tagger import RuleTagger


@contextmanager
def planned_server(
    spec: ModelSpec, journal: Path, planner: Any = None, **how: Any
) -> Iterator[Server]:
    """Serve a model; without a planner of the test's own, turns are to ask a question."""
    plans = planner or ConstantPlanner(DAILYDIALOG, ("question",))
    with closing(TurnJournal(journal)) as kept:
        source = Model(spec, preset("none"))
        endpoint = Endpoint(source, plans, RuleTagger(), kept, **{"candidates": 3, **how})
        server = Server(endpoint)
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            yield server
        finally:
            server.stop()
            thread.join(10)
