"""Where responses come from."""
