"""FLOP policies: what counts as a floating-point operation, as data (``policy.toml`` or a file of the user's)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from ..data_files.documents import parse_toml, read_toml
from ..data_files.values import Value
from ..errors import PolicyError
from ..ir.types import ElementType, ScalarType, TypeClass
from ..ir.values import Apply, Operation
from ..near_names import did_you_mean
from .results import OperationKey

RECIPROCAL = "reciprocal"
OF_LITERAL = "literal.div"  # a quotient of a literal, which is not zero: the cost of others, and no range
PAIR = ".pair"  # a cost with this behind its name is that of each of two numbers in one register
LITERAL = ".literal"  # a cost with this behind its name is that with a last operand which is a literal

MACHINE_CODE = "nvidia-sass"  # what an NVIDIA GPU executes: see :func:`policy_for`

_OF_CLANG = "sm_86"  # the target of the code of clang that ``nvidia-sass`` was measured on
_SOURCE = "source"
_MACHINE_CODE = "machine code"
_MOST_WEIGHT = 10**6  # FLOPs of one call


class Compiler(Enum):
    """Whose machine code it is: they differ in what they fuse and in what they compute in vain."""

    CLANG = "clang"
    NVCC = "nvcc"


_Entry = TypeVar("_Entry")

Costs = Mapping[ScalarType, Mapping[ScalarType, int]]
Ranges = Mapping[ScalarType, Mapping[ScalarType, tuple[int, int]]]


class FlopPolicy(Struct, frozen=True, eq=False):
    """Weights of operations and functions; ``name`` is stored in every report.  Each is loaded once, and equals itself.

    ``operations`` and ``functions`` are weights in the precision of the operation itself.  ``costs`` comes before
    them: by the name of a function or operation, the precision that it is asked for, and the precisions of the FLOPs
    that it is made of: a division of doubles takes FLOPs in single precision as well.  Where the argument decides,
    ``costs`` are those of most arguments, and ``ranges`` has the least and the most.  A policy that
    ``counts_machine_code`` weighs what a ``compiler`` makes of the source: see :mod:`analyzer.counts.instructions`.
    ``prologues`` names what functions begin with, which several with the same argument do once; the costs of the
    functions hold it.  ``kept`` are the FLOPs more for each argument of a function that is needed after it, by its name
    and precision: one that is not needed is scaled in its own register, and only where it is denormal.
    """

    name: str
    title: str
    operations: Mapping[Operation, int]
    functions: Mapping[str, int]
    costs: Mapping[str, Costs] = field(default_factory=dict)
    counts_machine_code: bool = False
    compiler: Compiler = Compiler.CLANG
    ranges: Mapping[str, Ranges] = field(default_factory=dict)
    prologues: Mapping[str, str] = field(default_factory=dict)
    kept: Mapping[str, Mapping[ScalarType, int]] = field(default_factory=dict)

    def has_cost(self, key: OperationKey) -> bool:
        """Return whether it is known how many FLOPs an operation is: of machine code a function has to be measured."""
        if not self.counts_machine_code or key.operation is not Operation.CALL or not key.precision.is_float:
            return True
        return key.function in self.functions or key.precision in self.costs.get(key.function, {})

    def flops(self, key: OperationKey) -> Mapping[ScalarType, int]:
        """Return FLOPs of one operation of this kind by precision, none of them 0.

        None are counted for integer operations, and for a function without a cost (:meth:`has_cost`).
        """
        if not key.precision.is_float or not self.has_cost(key):
            return {}
        for name in (key.function, key.operation.value):
            cost = self.costs.get(name, {}).get(key.precision)
            if cost is not None:
                return cost
        weight = self.functions.get(key.function, self.operations[key.operation])
        return {key.precision: weight} if weight else {}

    def flops_of_kept(self, value: Apply) -> int:
        """Return the FLOPs more of a function for each of its arguments that is needed after it."""
        if not self.kept:
            return 0
        found = self.kept.get(value.function) or self.kept.get(value.operation.value, {})
        return found.get(value.type.scalar, 0)

    def multiplies_by_fma(self, kind: ElementType) -> bool:
        """Return whether a product of this type is an FMA, which no sum takes in (bf16 before sm_90)."""
        costs = self.costs.get(Operation.MUL.value, {}).get(kind.scalar.component, {})
        return self.counts_machine_code and sum(costs.values()) > 1

    def range_of(self, key: OperationKey) -> Mapping[ScalarType, tuple[int, int]]:
        """Return the least and the most FLOPs by precision where the argument decides."""
        if key.function == OF_LITERAL:
            return {}
        for name in (key.function, key.operation.value):
            if key.precision in self.costs.get(name, {}):
                return self.ranges.get(name, {}).get(key.precision, {})
        return {}


def shipped_policies() -> tuple[str, ...]:
    """Return names of the policies that come with the program."""
    return (*_shipped(), *sorted(_of_compilers()))


def load_policy(name: str) -> FlopPolicy:
    """Return a shipped policy by name, or the only policy of a TOML file; raise ``PolicyError``."""
    if name in _shipped():
        return _policy(_shipped()[name])
    if name in _of_compilers():
        return _only_policy(parse_toml(_of_compilers()[name].read_text("utf-8"), f"{name}.toml", error=PolicyError))
    if not name.endswith(".toml"):
        shipped = shipped_policies()
        hint = did_you_mean(name, shipped, most=3) or f"shipped ones: {', '.join(shipped)}"
        raise PolicyError(f"unknown FLOP policy '{name}'", hint=hint)
    return _only_policy(read_toml(name, error=PolicyError))


def policy_for(name: str, targets: Iterable[str]) -> str:
    """Return the policy that a name means on GPUs of these targets (``sm_90``).

    ``nvidia-sass`` is what nvcc makes for their architecture, where that was measured, of a target without a policy the
    one before it of the same generation.  It stays as it is for several architectures, and for sm_86 and where nothing
    was measured: it is what clang makes for sm_86.
    """
    if name != MACHINE_CODE:
        return name
    known = {found for target in targets if (found := _target_of(target)) is not None}
    if len(known) != 1 or known == {_OF_CLANG}:
        return name
    (target,) = known
    return f"nvcc-{target}"


def _target_of(target: str) -> str | None:
    """Return the last target of the same generation, up to this one, for which nvcc's code was measured."""
    wanted = _capability(target)
    measured = {name.removeprefix("nvcc-"): _capability(name.removeprefix("nvcc-")) for name in _of_compilers()}
    found = {name: own for name, own in measured.items() if own and own[:-1] == wanted[:-1] and own <= wanted}
    return max(found, key=lambda name: found[name], default=None)


def _capability(target: str) -> tuple[int, ...]:
    """Return major and minor of ``sm_90`` and ``sm_90a``; nothing of what is no target of NVIDIA's compiler."""
    digits = target.removeprefix("sm_").rstrip("af")
    return (int(digits[:-1]), int(digits[-1])) if target.startswith("sm_") and digits.isdigit() else ()


def _only_policy(root: Value) -> FlopPolicy:
    tables = root.entries()
    if len(tables) != 1:
        raise root.error("must hold exactly one policy table", "write one [NAME]")
    (table,) = tables.values()
    return _policy(table)


@cache
def _shipped() -> dict[str, Value]:
    text = Path(__file__).with_name("policy.toml").read_text("utf-8")
    return parse_toml(text, "policy.toml", error=PolicyError).entries()


@cache
def _of_compilers() -> dict[str, Path]:
    """Return the files of ``policies/`` by name: made by a script, one for each compiler and architecture."""
    folder = Path(__file__).with_name("policies")
    return {file.stem: file for file in folder.glob("*.toml")}


def _policy(table: Value) -> FlopPolicy:
    name = str(table.position[-1])
    like = table.entries().get("like")
    base = load_policy(like.choice(tuple(_shipped()))) if like else None
    entries = table.entries(() if base else ("operations",))
    title, counts, compiler = map(entries.get, ("title", "counts", "compiler"))
    functions, costs, ranges, kept = map(entries.get, ("functions", "costs", "ranges", "kept"))
    prologues = entries.get("prologues")
    own = FlopPolicy(
        name,
        title.text() if title else name,
        _operations(entries["operations"], name) if "operations" in entries else {},
        _weights(functions) if functions else {},
        _costs(costs) if costs else {},
        counts_machine_code=counts is not None and counts.choice((_SOURCE, _MACHINE_CODE)) == _MACHINE_CODE,
        compiler=Compiler(compiler.choice([each.value for each in Compiler])) if compiler else Compiler.CLANG,
        ranges=_ranges(ranges) if ranges else {},
        prologues={key: value.text() for key, value in prologues.entries().items()} if prologues else {},
        kept=_kept(kept) if kept else {},
    )
    return _completed(own, base) if base else own


def _completed(policy: FlopPolicy, base: FlopPolicy) -> FlopPolicy:
    """Return a policy with what only the one that it is ``like`` has.

    The least and the most FLOPs, and those more for an argument that is needed afterwards, belong to the cost of their
    function and precision: they are inherited with it, and not where the policy states its own.
    """
    return replace(
        policy,
        operations={**base.operations, **policy.operations},
        functions={**base.functions, **policy.functions},
        prologues={**base.prologues, **policy.prologues},
        costs={
            name: {**base.costs.get(name, {}), **policy.costs.get(name, {})} for name in {**base.costs, **policy.costs}
        },
        ranges=_inherited(policy.ranges, base.ranges, policy.costs),
        kept=_inherited(policy.kept, base.kept, policy.costs),
    )


def _inherited(
    own: Mapping[str, Mapping[ScalarType, _Entry]],
    others: Mapping[str, Mapping[ScalarType, _Entry]],
    costs: Mapping[str, Costs],
) -> dict[str, dict[ScalarType, _Entry]]:
    """Return the entries of a policy, and others of the functions and precisions whose cost it does not state."""
    found = {name: dict(entries) for name, entries in own.items()}
    for name, entries in others.items():
        for precision, entry in entries.items():
            if precision not in costs.get(name, {}):
                found.setdefault(name, {}).setdefault(precision, entry)
    return found


def _operations(table: Value, policy: str) -> dict[Operation, int]:
    weights = _weights(table)
    kinds = {operation.value: operation for operation in Operation}
    unknown = sorted(weights.keys() - kinds.keys())
    missing = sorted(kinds.keys() - weights.keys())
    if unknown or missing:
        wrong = f"unknown operation '{unknown[0]}'" if unknown else f"no weight for operation '{missing[0]}'"
        raise table.error(f"policy '{policy}': {wrong}", f"operations: {', '.join(kinds)}")
    return {kinds[kind]: weight for kind, weight in weights.items()}


def _costs(table: Value) -> dict[str, Costs]:
    """Read ``name = { fp64 = { fp64 = 15, fp32 = 2 } }``; weights of 0 are left out."""
    return {
        function: {
            _precision(precision, weights): {
                _precision(other, weights): weight for other, weight in _weights(weights).items() if weight
            }
            for precision, weights in row.entries().items()
        }
        for function, row in table.entries().items()
    }


def _ranges(table: Value) -> dict[str, Ranges]:
    """Read ``name = { fp32 = { fp32 = [16, 20] } }``."""
    return {
        function: {
            _precision(precision, weights): {
                _precision(other, pair): _span(pair) for other, pair in weights.entries().items()
            }
            for precision, weights in row.entries().items()
        }
        for function, row in table.entries().items()
    }


def _kept(table: Value) -> dict[str, dict[ScalarType, int]]:
    """Read ``log = { fp32 = 1 }``."""
    return {
        function: {_precision(precision, row): weight for precision, weight in _weights(row).items()}
        for function, row in table.entries().items()
    }


def _span(pair: Value) -> tuple[int, int]:
    items = [item.integer(0, _MOST_WEIGHT) for item in pair.items()]
    if len(items) != 2 or items[0] > items[1]:
        raise pair.error("must be the least and the most", "write [16, 20]")
    return items[0], items[1]


def _precision(name: str, value: Value) -> ScalarType:
    known = {scalar.value: scalar for scalar in ScalarType if scalar.type_class is TypeClass.FLOAT}
    if name not in known:
        raise value.error(f"unknown precision '{name}'", f"precisions: {', '.join(known)}")
    return known[name]


def _weights(table: Value) -> dict[str, int]:
    return {key: weight.integer(0, _MOST_WEIGHT) for key, weight in table.entries().items()}
