"""What rates a response: metrics and judges."""
