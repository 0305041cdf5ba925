"""Generic traversals of the surface tree, derived from the annotations of its node classes.

A pass over the tree names the nodes that it treats and leaves the descent to these functions, so that no pass forgets
a part.  Types of variables and of conversions are no parts: an extent is evaluated where its array is declared.

>>> from ...source import Span
>>> from .nodes import DOUBLE, Binary, Name, Number, Storage, Variable
>>> at = Span("x.c", 1, 1)
>>> x = Name(Variable("x", DOUBLE, Storage.LOCAL, at), at)
>>> tree = Binary("+", Number(1, DOUBLE, at), Binary("*", Number(2, DOUBLE, at), x, at), at)
>>> [node.value for node in walk(tree) if isinstance(node, Number)]
[1, 2]
>>> fold(tree, lambda node, below: 1 + max(below, default=0))
3
>>> map_children(tree, lambda part: x) == Binary("+", x, x, at)
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from msgspec import Struct
from msgspec.structs import replace

from . import nodes
from .nodes import Case, CType, Expression, Statement, Variable

Tree = Union[Expression, Statement]
Result = TypeVar("Result")
Root = TypeVar("Root", bound=Tree)

STATEMENTS: tuple[type[Statement], ...] = get_args(Statement)
EXPRESSIONS: tuple[type[Expression], ...] = get_args(Expression)
_NODES = frozenset({*STATEMENTS, *EXPRESSIONS, Case})
_NOT_TREES = frozenset({*get_args(CType), Variable})


def children(tree: Tree) -> Sequence[Tree]:
    """Return the nodes directly below one, in the order of the source; those of a switch are the ones of its cases."""
    return _below(tree)


def walk(*trees: Tree | None, not_into: tuple[type[Tree], ...] = ()) -> Iterator[Tree]:
    """Yield the nodes of some trees, each before those below it, in the order of the source.

    What is below nodes of the classes ``not_into`` is passed over.
    """
    waiting: list[Any] = [tree for tree in reversed(trees) if tree is not None]
    while waiting:
        node = waiting.pop()
        if type(node) is not Case:
            yield node
        if type(node) in not_into:
            continue
        for name in _PARTS_FROM_THE_LAST[type(node)]:
            part = getattr(node, name)
            if type(part) is tuple:
                waiting.extend(item for item in reversed(part) if item is not None)
            elif part is not None:
                waiting.append(part)


def fold(tree: Tree, combine: Callable[[Tree, Sequence[Result]], Result]) -> Result:
    """Return the result of ``combine`` for a node and the results of its children, from the leaves up."""
    results: list[Result] = []
    for node in reversed(list(walk(tree))):
        below = [results.pop() for _ in _below(node)]
        results.append(combine(node, below))
    return results.pop()


def map_children(tree: Root, function: Callable[[Tree], Tree]) -> Root:
    """Return the node with each node directly below it replaced; the node itself where none changes."""
    changed: Root = _with_parts(tree, function)
    return changed


def statements_in(tree: Tree) -> Iterator[Statement]:
    """Yield the statements of a tree, each before those below it, in the order of the source."""
    waiting: list[Tree] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, STATEMENTS):
            yield node
            waiting.extend(reversed(_below(node)))


def is_variable(expression: Expression | None, variable: Variable) -> bool:
    """Return whether an expression is nothing but a variable."""
    return isinstance(expression, nodes.Name) and expression.variable is variable


def mentions(tree: Tree, variable: Variable) -> bool:
    """Return whether a variable is named anywhere in a tree."""
    return any(isinstance(node, nodes.Name) and node.variable is variable for node in walk(tree))


@cache
def parts_of(kind: type[Struct]) -> tuple[str, ...]:
    """Return the names of the fields of a node class that hold a node, a node or None, or a tuple of these.

    Raises TypeError for a field that holds nodes in another way: the traversals would miss them.
    """
    found = []
    for name, hint in get_type_hints(kind, vars(nodes)).items():
        classes = set(_classes_in(hint))
        unknown = {item for item in classes - _NODES - _NOT_TREES if item.__module__ == nodes.__name__}
        if any(issubclass(item, Struct) for item in unknown) or (classes & _NODES and get_origin(hint) not in _HOLDERS):
            raise TypeError(f"{kind.__name__}.{name}: {hint} is not understood as a part of a tree")
        if classes & _NODES:
            found.append(name)
    return tuple(found)


_HOLDERS = (None, Union, UnionType, tuple)


def _classes_in(hint: Any) -> Iterator[type]:
    if get_origin(hint) is None:
        yield from (hint,) if isinstance(hint, type) else ()
    for argument in get_args(hint):
        yield from _classes_in(argument)


class _Parts(dict[type[Struct], tuple[str, ...]]):
    """The parts of the node classes met so far, by class: a file has half of them, and reading annotations takes time.

    In the order of the source, or ``from_the_last``.
    """

    def __init__(self, *, from_the_last: bool) -> None:
        super().__init__()
        self._step = -1 if from_the_last else 1

    def __missing__(self, kind: type[Struct]) -> tuple[str, ...]:
        if kind not in _NODES:
            raise KeyError(kind)
        self[kind] = found = parts_of(kind)[:: self._step]
        return found


_PARTS = _Parts(from_the_last=False)
_PARTS_FROM_THE_LAST = _Parts(from_the_last=True)


def _below(node: Tree | Case) -> list[Tree]:
    found: list[Tree] = []
    for name in _PARTS[type(node)]:
        part = getattr(node, name)
        for item in part if type(part) is tuple else (part,):
            if type(item) is Case:
                found.extend(_below(item))
            elif item is not None:
                found.append(item)
    return found


def _mapped(part: Any, function: Callable[[Any], Any]) -> Any:
    """Return a part with its nodes replaced, itself where nothing changes."""
    if part is None:
        return None
    if type(part) is tuple:
        items = tuple(_mapped(item, function) for item in part)
        return part if all(new is old for new, old in zip(items, part, strict=True)) else items
    return _with_parts(part, function) if type(part) is Case else function(part)


def _with_parts(node: Any, function: Callable[[Any], Any]) -> Any:
    changed = {}
    for name in _PARTS[type(node)]:
        old = getattr(node, name)
        new = _mapped(old, function)
        if new is not old:
            changed[name] = new
    return replace(node, **changed) if changed else node
