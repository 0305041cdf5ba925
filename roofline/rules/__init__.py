"""Rules over reports: loops with the demands on them, to findings with stable codes (``ai-estimate check``).

:mod:`.subject` is what a rule looks at; :mod:`.budgets`, :mod:`.memory`, :mod:`.kernels`, :mod:`.fusion` and
:mod:`.arithmetic` hold the rules of one topic, each a function from a subject to findings, and end with the table of
their rules.  :mod:`.suppression`, :mod:`.baseline` and :mod:`.changes` take findings away, and :mod:`.checking` puts it
all together.  The codes are described in ``analyzer/codes.toml``.
"""
