"""Figures, tables and the HTML page."""
