"""Index expressions: polynomials in iterators and symbols, in one normal form.

Subscripts, loop bounds, guard operands, and (with rational coefficients) exact counts are all values of
:class:`Poly`.  An *atom* of a monomial is a name (iterator or symbol) or a :class:`Form`, one of the small
non-polynomial forms of the modules here.  Equal polynomials compare equal and print the same.

>>> i, j, n = var("i"), var("j"), var("N")
>>> str((i - 1) * n + j + 2 * n)
'N*i + N + j'
>>> str(trunc_div(n + 1, 2))
'(N + 1)/2'
"""

from .bits import BitAnd, bit_and, bit_runs, is_power_of_two
from .blocks import has_blocks
from .divisions import FloorDiv, TruncDiv, exact_quotient, floor_div, floor_mod, trunc_div, trunc_mod
from .elements import Element, element_of, given_elements, is_given, open_arrays
from .extrema import Extremum, extremum, indicated, maximum, minimum
from .poly import (
    ONE,
    ZERO,
    Atom,
    Climb,
    Form,
    Monomial,
    Number,
    Poly,
    TooManyTerms,
    Unknown,
    const,
    names_in,
    single_atom,
    unknown,
    var,
)
from .powers import Log, Power, Root, logarithm, power, root
from .sums import Sum, Tree, sum_of, tree_of

__all__ = [
    "ONE",
    "ZERO",
    "Atom",
    "BitAnd",
    "Climb",
    "Element",
    "Extremum",
    "FloorDiv",
    "Form",
    "Log",
    "Monomial",
    "Number",
    "Poly",
    "Power",
    "Root",
    "Sum",
    "TooManyTerms",
    "Tree",
    "TruncDiv",
    "Unknown",
    "bit_and",
    "bit_runs",
    "const",
    "element_of",
    "exact_quotient",
    "extremum",
    "floor_div",
    "floor_mod",
    "given_elements",
    "has_blocks",
    "indicated",
    "is_given",
    "is_power_of_two",
    "logarithm",
    "maximum",
    "minimum",
    "names_in",
    "open_arrays",
    "power",
    "root",
    "single_atom",
    "sum_of",
    "tree_of",
    "trunc_div",
    "trunc_mod",
    "unknown",
    "var",
]
