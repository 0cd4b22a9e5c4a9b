"""From sources to rows: reading, expanding, checking and writing."""
