"""A whole study from one file: questions, answers, ratings, analysis and report."""

from attunement.pipeline.config import Study, load_study
from attunement.pipeline.stages import run_study

__all__ = ["Study", "load_study", "run_study"]
