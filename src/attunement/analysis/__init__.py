"""How close each source comes to the reference, on which metric and topic, and how sure that is."""

from attunement.analysis._analyze import analyze
from attunement.analysis._model import SCHEMAS, Analysis
from attunement.analysis._plan import plan

__all__ = ["SCHEMAS", "Analysis", "analyze", "plan"]
