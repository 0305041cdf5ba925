"""Which calls of libraries run on a device, and which of these are kernels whose loops our headers have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from pathlib import PurePath

from ...known_functions import table
from ...surface import nodes as sx
from ...surface.traverse import walk
from ...surface.types import type_of

_THRUST = "thrust"
_LIBRARIES = frozenset({_THRUST, "cub"})  # folders of our headers
_ON_DEVICE, _ON_HOST = frozenset({"device", "par", "par_nosync"}), frozenset({"host", "seq"})  # policies of Thrust
_LOOP = "library("  # in the pragmas of our headers
_OPEN_KERNEL = "__rest_of_"  # by which our headers call the kernels that a function of CUB launches


def library_of(function: sx.Function) -> str:
    """Return the library whose header a function is from, empty for none."""
    return _of_path(function.span.path)


def runs_on_device(call: sx.Call, library: str) -> bool | None:
    """Return whether a call of a library runs on a device; None where that is not known.

    One of Thrust does by its policy, else by its containers.
    """
    if library != _THRUST:
        return bool(library)
    used = [node for each in call.arguments for node in walk(each) if isinstance(node, sx.Name | sx.Member)]
    policies = {node.variable.name for node in used if isinstance(node, sx.Name) and _of_path(node.variable.span.path)}
    if policies & (_ON_DEVICE | _ON_HOST):
        return not policies & _ON_HOST
    kinds = [type_of(node) for node in used]
    owning = [kind.device for kind in kinds if isinstance(kind, sx.PointerT) and kind.owns]
    return all(owning) if owning else None


def functions_with_loops(functions: Mapping[str, sx.Function]) -> dict[str, str]:
    """Return the library of each function whose loops, or those of functions that it calls, are kernels; by keys."""
    own = {key: function for key, function in functions.items() if library_of(function)}
    return {key: library_of(own[key]) for key in _reaching(own, _is_kernel)}


def functions_with_open_kernels(functions: Mapping[str, sx.Function]) -> Set[str]:
    """Return the keys of the functions of libraries that launch kernels whose loops our headers do not have."""
    own = {key: function for key, function in functions.items() if library_of(function)}
    return _reaching(own, lambda node: isinstance(node, sx.Call) and node.name.startswith(_OPEN_KERNEL))


def is_open_algorithm(call: sx.Call) -> bool:
    """Return whether a call is of an algorithm of Thrust that has no body, and runs on a device."""
    return call.function in table().algorithms and bool(runs_on_device(call, _THRUST))


def _reaching(functions: Mapping[str, sx.Function], is_wanted: Callable[[object], bool]) -> set[str]:
    """Return the functions with a wanted node, and those that call such ones."""
    found = {key for key, function in functions.items() if any(map(is_wanted, walk(function.body)))}
    before = -1
    while before < len(found):
        before = len(found)
        found |= {key for key, function in functions.items() if not found.isdisjoint(_called(function))}
    return found


def _is_kernel(node: object) -> bool:
    return isinstance(node, sx.For) and any(_LOOP in pragma for pragma in node.pragmas)


def _called(function: sx.Function) -> Set[str]:
    return {node.function for node in walk(function.body) if isinstance(node, sx.Call)}


def _of_path(path: str) -> str:
    return next((part for part in PurePath(path).parts[:-1] if part in _LIBRARIES), "")
