"""Snippets of C by pycparser: text as people write it in papers and issues to the surface tree."""
