"""Tags of the studies' templates."""
