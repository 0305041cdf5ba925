"""Flags: symbols that only choose between alternatives, which no loop bound, subscript or extent depends on.

A parameter that conditions alone compare with numbers (``dir == 1``) is a flag, and so is a condition on data around
nests (``if (al == 1.0) for ... else for ...``): :func:`with_flags` puts a symbol in its place.  So is a symbol that
only picks one of a few rows (``u[k][i]`` of ``double u[2][n]``), and one that stands for the equality of two sizes
(:mod:`.equal_sizes`).  A flag does not grow: it has some ``values`` that tell its alternatives apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count
from math import ceil, floor

from msgspec.structs import replace

from ..conditions import leaves, map_leaves
from ..flags import Flag, crossing_of
from ..index import Poly, const, var
from ..names import in_source, is_temporary
from ..nodes import (
    Compare,
    Comparison,
    Condition,
    DataDependent,
    Guard,
    Loop,
    Node,
    Region,
    Statement,
    Symbol,
    SymbolOrigin,
)
from ..traverse import accesses, all_nodes, children_of, map_bodies
from ..values import Operation
from .drivers import decisive_names

_DATA = "?"  # before the name of a condition on data, as part of the name of its symbol
_NOT_OF_SOURCE = ("?{", f"{Operation.BITWISE.value}(")  # what the IR prints for values and operators without a name
_FEW_ROWS = 8
_MOST_OF_DATA = 64  # conditions as symbols: time grows by their cube, 140 branches of a test by name took 50 s


def flags_of(region: Region, values: Mapping[str, int]) -> tuple[Flag, ...]:
    """Return the flags among the symbols of a region that have no value."""
    free = {symbol.name for symbol in region.symbols if not is_of_data(symbol)} - values.keys()
    if not free:
        return ()
    free -= {name for node in all_nodes(region.body) if not isinstance(node, Guard) for name in sizes_in(node)}
    free -= {n for array in region.arrays for extent in array.extents if extent is not None for n in extent.names()}
    found: dict[str, set[int]] = {}
    for guard in all_nodes(region.body):
        for leaf in leaves(guard.condition) if isinstance(guard, Guard) else ():
            if isinstance(leaf, Compare):
                names = leaf.difference.names()
                points = _turning_points(leaf)
                for name in names if points else ():
                    found.setdefault(name, set()).update(points)
                free -= frozenset() if points else names
    for name, rows in _picked_rows(region).items():
        if name not in values and rows:
            free, found[name] = free | {name}, {*rows}
    equal = [one for one in region.symbols if one.origin is SymbolOrigin.CONDITION and one.name not in values]
    free -= {symbol.name for symbol in equal}
    chosen = (Flag(name, tuple(sorted(found[name], key=abs))) for name in sorted(free & found.keys()))
    return (*chosen, *(_of_sizes(symbol) for symbol in equal))


def _of_sizes(symbol: Symbol) -> Flag:
    """Return the flag of a symbol that stands for the equality of sizes."""
    name = symbol.name
    return Flag(name, (1, 0), (name, f"not ({name})"), usual=0, difference=symbol.difference)


def _picked_rows(region: Region) -> Mapping[str, frozenset[int]]:
    """Return the rows that symbols choose from, of those that do nothing else, and of arrays of a few rows."""
    extents = {array.name: array.extents for array in region.arrays}
    names = {symbol.name for symbol in region.symbols if not is_of_data(symbol)}
    found: dict[str, frozenset[int]] = {}
    for node in all_nodes(region.body):
        if isinstance(node, Statement):
            for name, rows in _subscripted_rows(node, extents):
                found[name] = found.get(name, rows) & rows
        else:
            names -= set(sizes_in(node)) | (node.condition.names if isinstance(node, Guard) else frozenset())
    names -= {n for array in region.arrays for extent in array.extents if extent is not None for n in extent.names()}
    return {name: rows for name, rows in found.items() if name in names}


def _subscripted_rows(
    statement: Statement, extents: Mapping[str, Sequence[Poly | None]]
) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield each name in a subscript with the values that pick one of a few rows by it; without any, where it does
    more than that.
    """
    for access, _ in accesses(statement):
        for subscript, extent in zip(access.subscripts, extents.get(access.array, ()), strict=False):
            rows = extent.constant if extent is not None else None
            for name in subscript.names():
                shift = (subscript - var(name)).constant
                if shift is None or not rows or rows > _FEW_ROWS:
                    yield name, frozenset()
                else:
                    yield name, frozenset(range(-shift, rows - shift))


def with_flags(region: Region) -> tuple[Region, tuple[Flag, ...]]:
    """Return the region with symbols in place of the conditions on data around nests, and these; not of very many."""
    subjects: dict[str, list[DataDependent]] = {}
    lines: dict[str, int] = {}
    for leaf, line in _around_nests(region.body):
        subject = leaf.subject or leaf.name
        lines.setdefault(subject, line)
        known = subjects.setdefault(subject, [])
        if all(leaf.name != other.name for other in known):
            known.append(leaf)
    if not 0 < len(subjects) <= _MOST_OF_DATA:
        return region, ()
    meaning: dict[str, Condition] = {}
    flags: list[Flag] = []
    for subject, cases in subjects.items():
        name = _symbol_of(subject, lines[subject], {flag.name for flag in flags})
        texts = [_text_of(case, lines[subject]) for case in cases]
        other = f"not ({texts[0]})" if len(texts) == 1 else "none of the cases"
        flags.append(Flag(name, (*range(1, len(cases) + 1), 0), (*texts, other)))
        for value, case in enumerate(cases, 1):
            meaning[case.name] = Compare(Comparison.EQ, var(name), const(value))
    symbols = tuple(Symbol(flag.name, None, SymbolOrigin.PARAMETER) for flag in flags)
    return replace(region, symbols=(*region.symbols, *symbols), body=_decided(region.body, meaning)), tuple(flags)


def _text_of(case: DataDependent, line: int) -> str:
    """Return a condition as the source has it; of one that has no such form, where it is."""
    is_written = case.text and not any(sign in case.text for sign in _NOT_OF_SOURCE)
    return in_source(case.text) if is_written else f"the condition on data in line {line}"


def _symbol_of(subject: str, line: int, others: Collection[str]) -> str:
    """Return the name of the symbol of a condition: by its line where the source has no name for what it is on."""
    if not is_temporary(subject):
        return _DATA + subject
    name = f"{_DATA}L{line}"
    return next(each for number in count(1) if (each := name if number == 1 else f"{name}_{number}") not in others)


def is_of_data(symbol: Symbol) -> bool:
    """Return whether a symbol stands for a condition on data."""
    return symbol.name.startswith(_DATA)


def is_condition(symbol: Symbol) -> bool:
    """Return whether a symbol stands for a condition, so that no value can be given for it."""
    return is_of_data(symbol) or symbol.origin is SymbolOrigin.CONDITION


def sizes_in(node: Node) -> Iterator[str]:
    """Yield the names that how often a node runs or which elements it touches depends on, without its conditions."""
    yield from decisive_names(map_bodies(node, lambda _: ()))


def _turning_points(leaf: Compare) -> tuple[int, ...]:
    """Return values on both sides of where a comparison of one symbol with a number changes; () where there is none."""
    crossings = crossing_of(leaf.difference).values()
    return tuple(value for at in crossings for value in (floor(at) - 1, floor(at), ceil(at), ceil(at) + 1))


def _around_nests(nodes: Sequence[Node]) -> Iterator[tuple[DataDependent, int]]:
    """Yield the conditions on data of conditionals that are in no loop, and have one in them, with their lines."""
    for node in nodes:
        if isinstance(node, Guard):
            inside = children_of(node)
            if any(isinstance(inner, Loop) for inner in all_nodes(inside)):
                line = node.span.line
                yield from ((leaf, line) for leaf in leaves(node.condition) if isinstance(leaf, DataDependent))
            yield from _around_nests(inside)


def _decided(nodes: Collection[Node], meaning: Mapping[str, Condition]) -> tuple[Node, ...]:
    """Return nodes with comparisons in place of conditions on data, wherever these are."""

    def decided(node: Node) -> Node:
        if isinstance(node, Guard):
            condition = map_leaves(
                node.condition,
                lambda leaf: meaning.get(leaf.name, leaf) if isinstance(leaf, DataDependent) else leaf,
            )
            node = replace(node, condition=condition)
        return map_bodies(node, lambda body: _decided(body, meaning))

    return tuple(decided(node) for node in nodes)
