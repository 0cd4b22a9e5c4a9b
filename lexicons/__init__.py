"""Who and what it is said of: one folder a language. Holds no code."""
