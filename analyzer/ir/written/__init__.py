"""The loop tree as text, values as people write them, and index expressions that people write."""
