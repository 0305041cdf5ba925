"""The language server: lenses over loops, derivations on hover, findings as diagnostics.

``server`` speaks the protocol and waits for nothing, ``worker`` is a process of its own that analyzes (a crash or an
endless analysis costs only that), ``editor_analysis`` makes the lenses, hovers and
diagnostics of one text, ``messages`` has their types,
``settings`` reads the options of the editor.
"""
