"""The only door to isl and barvinok: integer sets and maps built from text, combined, and counted.

No isl object leaves this package except inside :class:`.sets.Points` and :class:`.sets.Relation`.  Symbols and
iterators travel under plain names (``s0``, ``i1``), because C++ names such as ``this->n`` are no isl identifiers;
:class:`~..formula.Names` keeps the mapping.  Counting is barvinok's ``card``; one call takes 0.3 to 10 ms on ordinary
nests.  Isl's values never change, so what was parsed, combined or counted once is remembered: the nests of a function
ask again what the whole has asked.
"""
