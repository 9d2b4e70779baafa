"""Text models that others use: emotion, sentiment, language model."""
