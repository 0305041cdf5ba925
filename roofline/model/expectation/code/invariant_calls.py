"""Calls of mathematical functions whose arguments stay the same in an innermost loop: before it, or in each iteration.

A function that may set ``errno`` is not a value alone: at ``-O3`` gcc calls ``exp(e)`` in each iteration, and
``sin(e)`` once (``ATTR_MATHFN_FPROUNDING_ERRNO`` in its builtins.def); clang calls all of them each time.  With
``-fno-math-errno`` (part of ``-ffast-math``, the default of icx) each is called once.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from analyzer.counts.results import InnerLoop, ObstacleKind, PerIteration
from analyzer.ir.values import Operation

from ...compilers import Compiler, call_cycles
from ...level_bytes import ProjectionOptions

_SET_NO_ERRNO = frozenset({"sin", "cos", "tan", "atan", "tanh", "asinh", "cbrt", "erf"})  # gcc's builtins.def


def stay_called(iteration: PerIteration, options: ProjectionOptions) -> tuple[str, ...]:
    """Return the functions of values that stay the same which a compiler calls in each iteration."""
    compiler = options.code.compiler
    if options.reassociate or compiler is Compiler.ICX:
        return ()
    hoisted = _SET_NO_ERRNO if compiler is Compiler.GCC else frozenset()
    return tuple(name for name in _same(iteration) if name.removesuffix("f") not in hoisted)


def likely_called(inner: InnerLoop, options: ProjectionOptions) -> InnerLoop:
    """Return a loop without the calls that a compiler moves before it."""
    stay = stay_called(inner.iteration, options)
    moved = [name for name in _same(inner.iteration) if name not in stay]
    return without_calls(inner, moved) if moved else inner


def without_calls(inner: InnerLoop, names: Collection[str]) -> InnerLoop:
    """Return a loop in which these functions of values that stay the same are called before it."""
    iteration = inner.iteration
    calls = {key: share for key, share in iteration.repeated.calls.items() if key.function in names}
    left = {key: share - calls.get(key, 0) for key, share in iteration.operations.items()}
    operations = {key: share for key, share in left.items() if share > 0}
    called = {key.function for key in operations if key.operation is Operation.CALL}
    obstacles = tuple(
        each
        for each in iteration.vectorization.obstacles
        if each.kind is not ObstacleKind.CALL or not called.isdisjoint(each.subjects) or not each.subjects
    )
    repeated = replace(
        iteration.repeated, calls={key: share for key, share in iteration.repeated.calls.items() if key not in calls}
    )
    loop = replace(iteration.vectorization, obstacles=obstacles)
    return replace(inner, iteration=replace(iteration, operations=operations, repeated=repeated, vectorization=loop))


def _same(iteration: PerIteration) -> tuple[str, ...]:
    """Return the functions of the library that are called for values that stay the same."""
    calls = iteration.repeated.calls
    return tuple(key.function for key in calls if key.operation is Operation.CALL and call_cycles(key.function))
