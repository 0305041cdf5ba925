"""The language server: lenses over loops, derivations on hover, findings as diagnostics.

``server`` speaks the protocol and waits for nothing, ``worker`` is a process of its own that analyzes (a crash or an
endless analysis costs only that), ``insight`` makes of one text what an editor shows, ``shown`` has the shapes of that,
``settings`` reads what the editor asks for.
"""
