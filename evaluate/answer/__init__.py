"""Ways to get an answer from a model."""
