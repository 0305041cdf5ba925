"""Two readers, one surface tree, one lowering: source text to IR.

:mod:`.reader` chooses a reader; :mod:`.fragment` (pycparser) reads snippets, :mod:`.clang` (libclang) whole translation
units; both give :mod:`.surface.nodes`, which :mod:`.lower` turns into IR.  The two readers do not see each other.

Recursion over a tree has one shape in all of them: a module of functions ``(state, node)`` for each kind of node, and
one state that is handed through.  A module calls the modules below it by import.  What it needs of those above (an
expression that holds a call, a call that runs statements) it calls through the state: a typed callback, or a table of
handlers by kind of node, which the topmost module fills in.  No class inherits from another to get at its methods;
a class holds state and the operations on it alone.
"""
