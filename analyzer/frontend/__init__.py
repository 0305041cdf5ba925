"""Two readers, one surface tree, one lowering: source text to IR.

:mod:`.reader` chooses a reader; :mod:`.fragment` (pycparser) reads snippets, :mod:`.clang` (libclang) whole translation
units; both give :mod:`.surface.nodes`, which :mod:`.lower` turns into IR.  The two readers do not see each other.
"""
