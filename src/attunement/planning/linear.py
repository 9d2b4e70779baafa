"""The fast planner: hashed n-grams of each turn and a logistic regression for each label.

It trains in about a minute on a laptop and says what a planner without any language model can do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from attunement.planning import multilabel
from attunement.planning.features import ALGORITHM, Hashing, Vocabulary
from attunement.planning.labels import LabelSet
from attunement.planning.planner import Advance, Plan
from attunement.planning.thresholds import Cut, tune
from attunement.planning.windows import Target, Window
from attunement.stats.result import signature

if TYPE_CHECKING:
    from attunement.planning.features import Matrix

Floats = NDArray[np.float64]
_AT_ONCE = 20_000
ALWAYS = 20.0
"""The intercept of a label that every training turn has."""


@dataclass(frozen=True)
class Settings:
    """How a linear planner is trained.

    Parameters
    ----------
    words, bits
        N-grams and columns a place, see `Hashing`.
    fewest
        How many windows must have an n-gram.
    c
        The inverse strength of the L2 penalty.
    iterations
        The most iterations a label.
    threads
        Labels that are fitted at a time; the planner is the same.
    """

    words: int = 2
    bits: int = 18
    fewest: int = 2
    c: float = 1.0
    iterations: int = 200
    threads: int = 2


@dataclass(frozen=True)
class LinearPlanner:
    """A trained linear planner.

    Parameters
    ----------
    labels
        The label set.
    names
        The labels that it can plan: those that training turns had.
    hashing, vocabulary
        How it sees a context.
    weights, intercept
        Shapes (columns, names) and (names,), float32.
    cut
        Thresholds and lengths, tuned on validation turns.
    trained_on
        The signature of its training.
    """

    labels: LabelSet
    names: tuple[str, ...]
    hashing: Hashing
    vocabulary: Vocabulary
    weights: NDArray[np.float32]
    intercept: NDArray[np.float32]
    cut: Cut
    trained_on: str
    kind: str = "linear"

    @property
    def context(self) -> int:
        """How many turns it reads."""
        return self.hashing.context

    @property
    def signature(self) -> str:
        """What makes it what it is."""
        return self.trained_on

    def probabilities(
        self, contexts: Sequence[Sequence[str]], *, advance: Advance | None = None
    ) -> Floats:
        """Return the probability of each of ``names``, shape (contexts, names)."""
        found = np.empty((len(contexts), len(self.names)))
        for start in range(0, len(contexts), _AT_ONCE):
            part = contexts[start : start + _AT_ONCE]
            rows = self.vocabulary.rows(self.hashing.counts(part), self.hashing)
            found[start : start + len(part)] = _probability(rows, self.weights, self.intercept)
            if advance is not None:
                advance(len(part))
        return found

    def plan(
        self, contexts: Sequence[Sequence[str]], *, advance: Advance | None = None
    ) -> list[Plan]:
        """Return a plan for each context, the labels of a group in order of their sureness.

        A context without any text has none (``not_applicable``).
        """
        probability = self.probabilities(contexts, advance=advance)
        return multilabel.plans(
            self.labels, self.names, self.cut, contexts, probability, self.context
        )


def train(
    training: Sequence[Window],
    validation: Sequence[Window],
    labels: LabelSet,
    *,
    context: int,
    settings: Settings | None = None,
    target: Target = "next",
    inputs: str = "",
    advance: Advance | None = None,
) -> LinearPlanner:
    """Return a planner trained on windows, its thresholds and lengths tuned on others.

    The same windows give the same planner.

    Parameters
    ----------
    training, validation
        Windows of at most ``context`` turns.
    labels
        The label set.
    context
        Turns of context.
    settings
        By default chosen on DailyDialog's validation dialogues that do not stand in training:
        a weaker penalty gains only where dialogues are repeated.
    target
        Whose labels the windows have, for the signature.
    inputs
        A hash of the data, for the signature.
    advance
        Is told of each label that is done; there are as many steps as labels, and one before.

    Raises
    ------
    ValueError
        Where there are no windows.
    """
    if not training or not validation:
        raise ValueError("a planner needs training and validation turns")
    settings = settings or Settings()
    step = advance or (lambda _: None)
    names = multilabel.learned_labels(training, labels)
    hashing = Hashing(context, settings.words, settings.bits)
    counts = hashing.counts([w.context for w in training])
    vocabulary = Vocabulary.fit(counts, settings.fewest)
    rows = vocabulary.rows(counts, hashing)
    del counts
    step(1)
    truth = multilabel.truth(training, names)
    fitted = []
    for label in _fit(rows, truth, settings):
        fitted.append(label)
        step(1)
    weights = np.stack([w for w, _ in fitted], axis=1).astype(np.float32)
    intercept = np.array([b for _, b in fitted], dtype=np.float32)
    check = vocabulary.rows(hashing.counts([w.context for w in validation]), hashing)
    cut = tune(
        _probability(check, weights, intercept),
        multilabel.truth(validation, names),
        shortest=min(1, *(len(w.target) for w in training)),
    )
    made = signature(
        "plan-linear",
        labels=labels.name,
        context=context,
        target=None if target == "next" else target,
        features=f"1-{settings.words}-grams, {ALGORITHM}",
        bits=settings.bits,
        fewest=settings.fewest,
        c=settings.c,
        windows=f"{len(training)}+{len(validation)}",
        inputs=inputs or None,
    )
    return LinearPlanner(labels, names, hashing, vocabulary, weights, intercept, cut, made)


def _fit(
    rows: Matrix, truth: NDArray[np.bool_], settings: Settings
) -> Iterator[tuple[Floats, float]]:
    """Yield weights and intercept of each label's logistic regression, in order."""
    import warnings
    from concurrent.futures import ThreadPoolExecutor

    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    def fit(k: int) -> tuple[Floats, float]:
        if truth[:, k].all():  # always said: nothing to tell apart
            return np.zeros(rows.shape[1]), ALWAYS
        model = LogisticRegression(
            C=settings.c, solver="liblinear", tol=1e-2, max_iter=settings.iterations
        )
        model.fit(rows, truth[:, k])
        return model.coef_[0], float(model.intercept_[0])

    with warnings.catch_warnings(), ThreadPoolExecutor(settings.threads) as pool:
        # Stopped a little early is as good here: thresholds are tuned afterwards.
        warnings.simplefilter("ignore", ConvergenceWarning)
        # Threads are enough: the solver lets go of the interpreter. It draws nothing by chance.
        yield from pool.map(fit, range(truth.shape[1]))


def _probability(rows: Matrix, weights: NDArray[Any], intercept: NDArray[Any]) -> Floats:
    return np.asarray(expit((rows @ weights).astype(np.float64) + intercept), dtype=np.float64)
