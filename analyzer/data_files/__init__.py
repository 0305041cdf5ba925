"""The one way to read data that a user names: bytes (:mod:`.files`), documents (:mod:`.documents`), values.

A file is opened without waiting and must be regular; its size, nesting, number of values and numbers are within limits
before a parser sees it; a value is asked for by its type and range, and an error is reported with its path:
``ceilings[2].bandwidth must be a number, not "x"``.  Every error is of the class that the caller names.
"""
