"""FLOP policies: what counts as a floating-point operation, as data (``policy.toml`` or a file of the user's)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

from msgspec import Struct, field

from ..data_files.documents import parse_toml, read_toml
from ..data_files.values import Value
from ..errors import PolicyError
from ..ir.types import ScalarType, TypeClass
from ..ir.values import Operation
from .results import OperationKey

RECIPROCAL = "reciprocal"

_SOURCE = "source"
_MACHINE_CODE = "machine code"
_MOST_WEIGHT = 10**6  # FLOPs of one call

Costs = Mapping[ScalarType, Mapping[ScalarType, int]]


class FlopPolicy(Struct, frozen=True):
    """Weights of operations and functions; ``name`` is stored in every report.

    ``operations`` and ``functions`` are weights in the precision of the operation itself.  ``costs`` comes before them:
    by the name of a function or operation, the precision that it is asked for, and the precisions of the FLOPs that it
    is made of: a division of doubles takes FLOPs in single precision as well.  A policy that ``counts_machine_code``
    weighs what a compiler makes of the source: see :mod:`analyzer.counts.instructions`.  ``prologues`` names what
    functions begin with, which several with the same argument do once; the costs of the functions hold it.
    """

    name: str
    title: str
    operations: Mapping[Operation, int]
    functions: Mapping[str, int]
    costs: Mapping[str, Costs] = field(default_factory=dict)
    counts_machine_code: bool = False
    prologues: Mapping[str, str] = field(default_factory=dict)

    def flops(self, key: OperationKey) -> Mapping[ScalarType, int]:
        """Return FLOPs of one operation of this kind by precision, none of them 0; no FLOPs for integer operations."""
        if not key.precision.is_float:
            return {}
        for name in (key.function, key.operation.value):
            cost = self.costs.get(name, {}).get(key.precision)
            if cost is not None:
                return cost
        weight = self.functions.get(key.function, self.operations[key.operation])
        return {key.precision: weight} if weight else {}


def shipped_policies() -> tuple[str, ...]:
    """Return names of the policies that come with the program."""
    return tuple(_shipped())


def load_policy(name: str) -> FlopPolicy:
    """Return a shipped policy by name, or the only policy of a TOML file; raise ``PolicyError``."""
    if name in shipped_policies():
        return _policy(_shipped()[name])
    if not name.endswith(".toml"):
        raise PolicyError(f"unknown FLOP policy '{name}'", hint=f"shipped ones: {', '.join(shipped_policies())}")
    root = read_toml(name, error=PolicyError)
    tables = root.entries()
    if len(tables) != 1:
        raise root.error("must hold exactly one policy table", "write one [NAME]")
    (table,) = tables.values()
    return _policy(table)


@cache
def _shipped() -> dict[str, Value]:
    text = resources.files(__package__).joinpath("policy.toml").read_text("utf-8")
    return parse_toml(text, "policy.toml", error=PolicyError).entries()


def _policy(table: Value) -> FlopPolicy:
    name = str(table.position[-1])
    entries = table.entries(("operations",))
    title, functions, costs, counts, prologues = map(
        entries.get, ("title", "functions", "costs", "counts", "prologues")
    )
    return FlopPolicy(
        name,
        title.text() if title else name,
        _operations(entries["operations"], name),
        _weights(functions) if functions else {},
        _costs(costs) if costs else {},
        counts_machine_code=counts is not None and counts.choice((_SOURCE, _MACHINE_CODE)) == _MACHINE_CODE,
        prologues={key: value.text() for key, value in prologues.entries().items()} if prologues else {},
    )


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


def _precision(name: str, value: Value) -> ScalarType:
    known = {scalar.value: scalar for scalar in ScalarType if scalar.type_class is TypeClass.FLOAT}
    if name not in known:
        raise value.error(f"unknown precision '{name}'", f"precisions: {', '.join(known)}")
    return known[name]


def _weights(table: Value) -> dict[str, int]:
    return {key: weight.integer(0, _MOST_WEIGHT) for key, weight in table.entries().items()}
