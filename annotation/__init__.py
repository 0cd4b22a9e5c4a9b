"""From stereotypes to surveys, and from answers to tiers."""
