"""Pure functions on arrays and frames."""
