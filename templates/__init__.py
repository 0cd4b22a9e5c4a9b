"""What is said: one folder a dataset. Holds no code."""
