"""CounselBench: what its two parts ask of ratings, as analyses of any table of ratings.

Source: Li et al. (2025), arXiv:2506.08584. `evaluate` is CounselBench-Eval, `adversarial` is
CounselBench-Adv, and `question_set` builds the questions as the paper did.
"""

from attunement.counselbench.adversarial import Adversarial, adversarial
from attunement.counselbench.agreement import agreement, meaning, reliability_of_mean, size_table
from attunement.counselbench.annotators import (
    Bands,
    band_analysis,
    rationale_words,
)
from attunement.counselbench.attributes import experience_bands, time_quartiles, with_attributes
from attunement.counselbench.evaluation import Evaluation, evaluate
from attunement.counselbench.issues import Issues, low_rating_issues
from attunement.counselbench.questions import (
    PAPER_TOPICS,
    SETTINGS,
    question_set,
    study_file,
    write_question_set,
)
from attunement.counselbench.scores import Scores, question_means, scores
from attunement.counselbench.sources import not_sure_rates, pairwise, source_means

__all__ = [
    "PAPER_TOPICS",
    "SETTINGS",
    "Adversarial",
    "Bands",
    "Evaluation",
    "Issues",
    "Scores",
    "adversarial",
    "agreement",
    "band_analysis",
    "evaluate",
    "experience_bands",
    "low_rating_issues",
    "meaning",
    "not_sure_rates",
    "pairwise",
    "question_means",
    "question_set",
    "rationale_words",
    "reliability_of_mean",
    "scores",
    "size_table",
    "source_means",
    "study_file",
    "time_quartiles",
    "with_attributes",
    "write_question_set",
]
