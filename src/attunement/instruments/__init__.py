"""What is asked of a rater, as YAML files and their schema."""
