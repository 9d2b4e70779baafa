"""How well raters agree: coefficients with intervals, missing ratings included.

Every statistic is written as a function of item weights, so that all replicates of its bootstrap
over items are one matrix product. Ratings are a matrix, items x raters, NaN where missing;
`from_long` makes it.
"""

from attunement.stats.agreement.fleiss import fleiss_kappa
from attunement.stats.agreement.grouped import Grouped, grouped
from attunement.stats.agreement.gwet import gwet_ac
from attunement.stats.agreement.icc import KINDS, Kind, icc
from attunement.stats.agreement.kappa import cohen_kappa
from attunement.stats.agreement.krippendorff import LEVELS, Level, alpha, alpha_with_distance
from attunement.stats.agreement.matrix import as_matrix, from_long, without_raters
from attunement.stats.agreement.meaning import is_reliability, study_size
from attunement.stats.agreement.percent import percent_agreement
from attunement.stats.agreement.resampling import Bootstrap
from attunement.stats.agreement.sets import SET_DISTANCES, alpha_of_sets, set_distances
from attunement.stats.agreement.spans import sentence_f1, token_f1, tokens_of
from attunement.stats.agreement.unitizing import unitizing_alpha
from attunement.stats.agreement.weighting import WEIGHTS, Weights, agreement_weights

__all__ = [
    "KINDS",
    "LEVELS",
    "SET_DISTANCES",
    "WEIGHTS",
    "Bootstrap",
    "Grouped",
    "Kind",
    "Level",
    "Weights",
    "agreement_weights",
    "alpha",
    "alpha_of_sets",
    "alpha_with_distance",
    "as_matrix",
    "cohen_kappa",
    "fleiss_kappa",
    "from_long",
    "grouped",
    "gwet_ac",
    "icc",
    "is_reliability",
    "percent_agreement",
    "sentence_f1",
    "set_distances",
    "study_size",
    "token_f1",
    "tokens_of",
    "unitizing_alpha",
    "without_raters",
]
