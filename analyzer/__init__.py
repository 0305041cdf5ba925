"""What code does, on any machine: operations, references, footprints and traffic, counted from the source.

Glossary: an *iteration domain* is the set of iterations of a statement; an *access relation* maps iterations to
array elements; a *footprint* is the set of elements (or cache lines) that some iterations touch; *intensity* is
FLOPs per byte.  The stages are described in :mod:`analyzer.pipeline`, the only module that sees them all.
"""
