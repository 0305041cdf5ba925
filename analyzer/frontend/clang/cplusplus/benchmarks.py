"""Registrations of Google Benchmark: the sizes with which functions run, and the fixtures that set them up.

``BENCHMARK(f)->Arg(64)->Args({8, 9})`` runs ``f`` with these values of ``state.range(0)``, ``state.range(1)``; the
largest run, by the product of its sizes, stands for all.  Sizes without a constant, and those of ``Apply``, are not
known.  A benchmark of a fixture is one object, its ``SetUp`` and the body, by a function of our header.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Union

from msgspec.structs import replace

from ...surface.nodes import Call, Function
from ...surface.traverse import walk
from ..binding import Cursor
from ..kinds import CursorKind
from ..scope import Scope
from ..unit import TranslationUnit

Given = Union[int, list["Given"], None]
"""A number, a list, or None for what is not constant."""
Run = tuple[int, ...]

_REGISTERED = "ai_benchmark_"  # the names of the variables of our header
_REGISTERS = "RegisterBenchmark"
_FIXTURE, _SET_UP, _BODY = "ai_fixture", "SetUp", "BenchmarkCase"
_CALLS = frozenset({CursorKind.CALL_EXPR, CursorKind.MEMBER_REF_EXPR, CursorKind.UNEXPOSED_EXPR})
_ONE_BY_ONE = frozenset({"Arg", "ArgPair"})
_LEAST_FIRST = frozenset({"Range", "RangePair", "Ranges"})
_UNKNOWN = frozenset({"Apply"})
_OF_DENSE_RANGE = 3


def registered_sizes(scope: Scope, declarations: Iterable[Cursor]) -> dict[str, Run]:
    """Return the sizes of the largest registered run of each function, by its key."""
    runs: dict[str, list[Run | None]] = {}
    for cursor in declarations:
        if cursor.kind == CursorKind.VAR_DECL and scope.unit.spelling(cursor).startswith(_REGISTERED):
            calls = list(_calls(scope.unit, cursor))
            function = _registered(scope, calls)
            if function is not None:
                runs.setdefault(function, []).extend(run for call in calls for run in _runs(scope.unit, call))
    largest: dict[str, Run] = {}
    for function, found in runs.items():
        known = [run for run in found if run is not None]
        if known and len(known) == len(found):
            largest[function] = max(known, key=lambda run: (prod(run), run))
    return largest


def with_benchmarks(functions: Mapping[str, Function], sizes: Mapping[str, Run]) -> dict[str, Function]:
    """Return functions with the sizes of their benchmarks; the row of a fixture's is that of its object, set up."""
    found: dict[str, Function] = {}
    fixtures = {function.name.rpartition("::")[0] for function in functions.values() if _is_fixture(function)}
    bodies = (body for function in functions.values() for body in _bodies_of_set_up(function))
    set_up = {key for owner, key in bodies if owner in fixtures}
    for key, function in functions.items():
        owner, _, name = function.name.rpartition("::")
        if _is_fixture(function):
            function = replace(function, name=f"{owner}::{_BODY}")
        elif key in set_up or (name == _BODY and owner in fixtures):
            function = replace(function, listed=False)
        found[key] = replace(function, sizes=sizes[key]) if key in sizes else function
    return found


def _is_fixture(function: Function) -> bool:
    return function.name.rpartition("::")[2] == _FIXTURE


def _bodies_of_set_up(function: Function) -> Iterator[tuple[str, str]]:
    """Yield the classes and the methods that a call of ``SetUp`` by our header may run."""
    if function.name.rpartition("::")[2] in (_FIXTURE, _SET_UP):
        for node in walk(function.body):
            if isinstance(node, Call) and node.name == _SET_UP:
                yield from node.bodies


def _calls(unit: TranslationUnit, variable: Cursor) -> Iterator[Cursor]:
    """Yield the calls of a registration from the last to the first: ``...->Arg(8)``, ``RegisterBenchmark(...)``."""
    waiting = unit.operands(variable)[-1:]
    while waiting:
        cursor = waiting.pop()
        if cursor.kind == CursorKind.CALL_EXPR:
            yield cursor
        if cursor.kind in _CALLS:
            waiting = unit.operands(cursor)[:1]


def _registered(scope: Scope, calls: Sequence[Cursor]) -> str | None:
    """Return the key of the function that a registration names."""
    waiting = [argument for call in calls[-1:] for argument in scope.unit.arguments(call)[1:2]]
    while waiting:
        cursor = waiting.pop()
        if cursor.kind == CursorKind.DECL_REF_EXPR:
            return scope.function_key(scope.library.referenced(cursor))
        waiting += scope.unit.children(cursor)
    return None


def _runs(unit: TranslationUnit, call: Cursor) -> list[Run | None]:
    """Return the largest run that a call adds, and each one where it lists them; None for what is not known."""
    name = unit.spelling(call)
    given = [_given(unit, argument) for argument in unit.arguments(call)]
    if name in _UNKNOWN:
        return [None]
    if name in _ONE_BY_ONE:
        return [_numbers(given)]
    if name == "Args":
        return [_numbers(given[0])]
    if name == "DenseRange":
        return [_last(_numbers(given))]
    if name in _LEAST_FIRST:
        numbers = _numbers(given)
        return [None if numbers is None or len(numbers) % 2 else numbers[1::2]]
    if name == "ArgsProduct":
        lists = given[0]
        each = [_numbers(one) for one in lists] if isinstance(lists, list) else [None]
        return [tuple(max(one) for one in each if one) if all(each) else None]
    return []


def _given(unit: TranslationUnit, argument: Cursor) -> Given:
    """Return the number, or the list of lists and numbers, that an argument is."""
    if argument.kind == CursorKind.INIT_LIST_EXPR:
        return [_given(unit, item) for item in unit.children(argument)]
    number = unit.evaluate(argument)
    if isinstance(number, int):
        return number
    if argument.kind == CursorKind.CALL_EXPR:
        given = [_given(unit, part) for part in unit.arguments(argument) if unit.source_of(part)]
        name = unit.spelling(argument)
        if name in ("CreateRange", "CreateDenseRange"):
            numbers = _numbers(given)
            last = _last(numbers) if name == "CreateDenseRange" else numbers[1:2] if numbers else None
            return None if last is None else list(last)
        if unit.library.referenced(argument).kind != CursorKind.CONSTRUCTOR:
            return None
        return given[0] if len(given) == 1 else given
    parts = unit.operands(argument)
    return _given(unit, parts[0]) if len(parts) == 1 else None


def _last(numbers: Run | None) -> Run | None:
    """Return the last of the numbers from a first to a last one in steps.

    >>> _last((0, 1000, 300)), _last((1, 8, 1)), _last((1, 8, 0))
    ((900,), (8,), None)
    """
    if numbers is None or len(numbers) != _OF_DENSE_RANGE or numbers[2] <= 0:
        return None
    first, last, step = numbers
    return (last - (last - first) % step,)


def _numbers(given: Given) -> Run | None:
    """Return the numbers of a list and of the lists in it; None where one is not known.

    >>> _numbers([[8, 64], [1, 9]]), _numbers([8, None])
    ((8, 64, 1, 9), None)
    """
    if isinstance(given, int):
        return (given,)
    if given is None:
        return None
    parts = [_numbers(each) for each in given]
    return None if None in parts else tuple(number for part in parts if part is not None for number in part)
