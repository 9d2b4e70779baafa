"""Which metrics there are: the package's own, and those that plug-ins bring."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import entry_points

from attunement.errors import UserError, nearest
from attunement.raters.metrics import (
    bert_score,
    bleu,
    chrf,
    distinct,
    emotion_consistency,
    length,
    perplexity,
    recycling,
    rouge,
    sentiment_change,
    sentiment_slope,
    simplicity,
)
from attunement.raters.metrics.base import Metric

GROUP = "attunement.metrics"
"""The entry-point group: ``name = "package.module:METRIC"``, a `Metric`."""

JUDGED = ("agreeability", "active_listening")
"""Metrics of the same paper that a language model rates: see ``attunement judge``."""

_log = logging.getLogger(__name__)

_OWN: dict[str, tuple[Metric, ...]] = {
    "nuance": tuple(
        module.METRIC
        for module in (
            emotion_consistency,
            sentiment_change,
            sentiment_slope,
            simplicity,
            recycling,
        )
    ),
    "response": (bleu.METRIC, chrf.METRIC, *rouge.METRICS, *distinct.METRICS, length.METRIC),
    "neural": (*bert_score.METRICS, perplexity.METRIC),
}
METRICS: dict[str, Metric] = {metric.name: metric for own in _OWN.values() for metric in own}
"""The package's own, by name; `metrics` adds those of plug-ins."""

SETS: dict[str, tuple[str, ...]] = {
    name: tuple(metric.name for metric in own) for name, own in _OWN.items()
}
"""Words that stand for several metrics: those of *nuance*, those that compare or count words, and
those that need a neural network (extra ``train``)."""


@cache
def metrics() -> dict[str, Metric]:
    """Return name -> metric, the package's own first; a plug-in that fails to load is logged."""
    found = dict(METRICS)
    for entry in entry_points(group=GROUP):
        try:
            metric = entry.load()
        except Exception as error:
            _log.warning("the metric plug-in %r does not load: %s", entry.value, error)
            continue
        if not isinstance(metric, Metric):
            _log.warning("the metric plug-in %r is not a Metric", entry.value)
        elif metric.name in found:
            _log.warning("the metric plug-in %r is left out: %r is there", entry.value, metric.name)
        else:
            found[metric.name] = metric
    return found


def named(names: Iterable[str]) -> list[Metric]:
    """Return the metrics of these names, in order and each once; a name of `SETS` is all of its.

    Raises
    ------
    UserError
        Where a name is not known; it says which is nearest.

    """
    each = (one for name in names for one in SETS.get(name, (name,)))
    return [_one(name) for name in dict.fromkeys(each)]


def _one(name: str) -> Metric:
    known = metrics()
    if name in known:
        return known[name]
    if name in JUDGED:
        raise UserError(
            f"{name!r} is not a text metric: a language model rates it.",
            fix="Use 'attunement judge'.",
        )
    guess = nearest(name, [*known, *JUDGED, *SETS])
    raise UserError(
        f"there is no metric {name!r}.",
        fix=(f"Did you mean {guess!r}? " if guess else "")
        + f"There are {', '.join(known)}, and the sets {', '.join(SETS)}.",
    )


def choose(
    wanted: Sequence[str] | None, given: Iterable[str]
) -> tuple[list[Metric], dict[str, str]]:
    """Return the metrics to compute, and why each of the others is left out.

    Parameters
    ----------
    wanted
        Names of metrics and of sets, or None for every metric that is computed by default. Of a
        set, what cannot be computed is left out.
    given
        Of ``question`` and ``reference``, what is there.

    Raises
    ------
    UserError
        Where a wanted metric is not known, or needs what is not given.

    """
    there = set(given)
    if wanted is not None and not list(wanted):
        raise UserError("no metric is asked for.", fix=f"There are {', '.join(metrics())}.")
    if wanted is None:
        asked = [metric for metric in metrics().values() if metric.by_default]
    else:
        asked = named(wanted)
    must = {name for name in wanted or () if name not in SETS}
    chosen: list[Metric] = []
    left_out: dict[str, str] = {}
    for metric in asked:
        lacking = [need for need in metric.needs if need not in there]
        if not lacking:
            chosen.append(metric)
        elif metric.name not in must:
            left_out[metric.name] = f"no {' and no '.join(lacking)} given"
        else:
            raise UserError(
                f"{metric.name} needs a {' and a '.join(lacking)}, and none is given.",
                fix=f"Add a column {lacking[0]!r} to the responses, or give the items table.",
            )
    return chosen, left_out
