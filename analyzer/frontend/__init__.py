"""Two readers, one surface tree, one lowering: source text to IR.

``registry`` chooses a reader; ``fragment*`` (pycparser) reads snippets, ``clang_*`` (libclang) whole translation units;
both give :mod:`.syntax`, which :mod:`.lower` turns into IR.  The readers share no code but what has neither prefix.
"""
