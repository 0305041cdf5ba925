"""Small builders of loop trees for tests of the stages behind the frontends."""

from analyzer.ir.index import Poly, const, var
from analyzer.ir.nodes import Guard, Loop, Region, RegionKind, Statement, Strided, Symbol
from analyzer.ir.types import FP64
from analyzer.ir.values import Access, Apply, Constant, Load, Operation, Register
from analyzer.source import NO_SPAN

N, M = var("N"), var("M")
TICK = Statement(Register("x", FP64), Constant(1, FP64), NO_SPAN)


def poly(value):
    return value if isinstance(value, Poly) else const(value)


def loop(iterator, start, stop, *body, step=1, header=()):
    return Loop(iterator, Strided(poly(start), poly(stop), step), tuple(body), NO_SPAN, header=tuple(header))


def guard(condition, *body, orelse=()):
    return Guard(condition, tuple(body), tuple(orelse), NO_SPAN)


def region(*body, **sizes):
    symbols = tuple(Symbol(name, sizes.get(name)) for name in ("M", "N"))
    return Region("test", RegionKind.FUNCTION, "test", NO_SPAN, (), symbols, tuple(body))


def element(array, *subscripts, strides=None, row=N):
    """An element of an array of doubles; square rows of ``row`` elements unless strides are given."""
    sizes = strides or [const(8)]
    while len(sizes) < len(subscripts):
        sizes = [sizes[0] * row, *sizes]
    return Access(array, tuple(map(poly, subscripts)), tuple(map(poly, sizes)), FP64)


def load(array, *subscripts, **options):
    return Load(element(array, *subscripts, **options))


def store(target, value):
    return Statement(target, value, NO_SPAN)


def add(left, right):
    return Apply(Operation.ADD, FP64, (left, right))


def mul(left, right):
    return Apply(Operation.MUL, FP64, (left, right))


SCALAR = Register("a", FP64)
