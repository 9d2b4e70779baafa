"""Figures, tables and the HTML pages: of a run, of a scale, of a Delphi round."""

from attunement.report.delphi_page import write_delphi_report
from attunement.report.page import write_report
from attunement.report.scale_page import write_scale_report

__all__ = ["write_delphi_report", "write_report", "write_scale_report"]
