"""``ai-estimate check``: the demands on each file, and the findings that are known."""
