"""``ai-estimate compare``: its options."""
