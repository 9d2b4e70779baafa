"""Planners: which dialogue acts and emotions the next turn should show.

A planner reads up to three turns and answers with an ordered sequence of labels, as in *Socio-
Emotional Response Generation* (section III-A and appendix A). This package holds the data, the fast
planners and how a planner is scored; docs/planning.md says how good they are.
"""

from attunement.planning.baselines import ConstantPlanner, RandomPlanner
from attunement.planning.dailydialog import load_split
from attunement.planning.dialogues import Dialogue, Fault, Split, duplicates, without_duplicates
from attunement.planning.evaluation import Evaluation, evaluate
from attunement.planning.labels import DAILYDIALOG, LabelGroup, LabelSet
from attunement.planning.linear import LinearPlanner
from attunement.planning.nls import similarity
from attunement.planning.planner import Plan, Planner
from attunement.planning.storage import read as read_planner
from attunement.planning.storage import write as write_planner
from attunement.planning.tag_scores import accuracies
from attunement.planning.tagging import EmbeddedTagger, Tagger, load_tagger
from attunement.planning.training import Order, material, train, turns_of
from attunement.planning.windows import Window, windows

__all__ = [
    "DAILYDIALOG",
    "ConstantPlanner",
    "Dialogue",
    "EmbeddedTagger",
    "Evaluation",
    "Fault",
    "LabelGroup",
    "LabelSet",
    "LinearPlanner",
    "Order",
    "Plan",
    "Planner",
    "RandomPlanner",
    "Split",
    "Tagger",
    "Window",
    "accuracies",
    "duplicates",
    "evaluate",
    "load_split",
    "load_tagger",
    "material",
    "read_planner",
    "similarity",
    "train",
    "turns_of",
    "windows",
    "without_duplicates",
    "write_planner",
]
