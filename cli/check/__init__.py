"""``ai-estimate check``: what is asked of which files, and what is known already."""
