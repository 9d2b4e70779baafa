"""Where items come from, one file a source."""
