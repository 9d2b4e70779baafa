"""Figures, tables and the HTML page."""

from attunement.report.page import write_report

__all__ = ["write_report"]
