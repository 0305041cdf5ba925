"""FLOP policies: what counts as a floating-point operation, as data (``policy.toml`` or a file of the user's)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path

from ..errors import PolicyError
from ..ir.types import ScalarType, TypeClass
from ..ir.values import Operation
from .shapes import OperationKey

RECIPROCAL = "reciprocal"

_SOURCE = "source"
_MACHINE_CODE = "machine code"

Costs = Mapping[ScalarType, Mapping[ScalarType, int]]


@dataclass(frozen=True, slots=True)
class FlopPolicy:
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
        """FLOPs of one operation of this kind by precision, none of them 0; no FLOPs for integer operations."""
        if not key.precision.is_float:
            return {}
        for name in (key.function, key.operation.value):
            cost = self.costs.get(name, {}).get(key.precision)
            if cost is not None:
                return cost
        weight = self.functions.get(key.function, self.operations[key.operation])
        return {key.precision: weight} if weight else {}


def shipped_policies() -> tuple[str, ...]:
    """Names of the policies that come with the program."""
    return tuple(_shipped())


def load_policy(name: str) -> FlopPolicy:
    """A shipped policy by name, or the first policy of a TOML file; raises ``PolicyError``."""
    if name in _shipped():
        return _policy(name, _shipped()[name], path="policy.toml")
    if not name.endswith(".toml"):
        raise PolicyError(f"unknown FLOP policy '{name}'", hint=f"shipped ones: {', '.join(shipped_policies())}")
    try:
        tables = tomllib.loads(Path(name).read_text("utf-8"))
    except OSError as error:
        raise PolicyError(f"cannot be read: {error.strerror}", path=name) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PolicyError(f"is not a TOML file: {error}", path=name) from error
    if len(tables) != 1:
        raise PolicyError("must hold exactly one policy table", path=name)
    (title, table), *_ = tables.items()
    return _policy(title, table, path=name)


@cache
def _shipped() -> dict[str, object]:
    return tomllib.loads(resources.files(__package__).joinpath("policy.toml").read_text("utf-8"))


def _policy(name: str, table: object, *, path: str) -> FlopPolicy:
    if not isinstance(table, dict) or not isinstance(table.get("operations"), dict):
        raise PolicyError(f"policy '{name}' has no table '[{name}.operations]'", path=path)
    operations = _weights(table["operations"], path)
    kinds = {operation.value: operation for operation in Operation}
    unknown = sorted(operations.keys() - kinds.keys())
    missing = sorted(kinds.keys() - operations.keys())
    if unknown or missing:
        wrong = f"unknown operation '{unknown[0]}'" if unknown else f"no weight for operation '{missing[0]}'"
        raise PolicyError(f"policy '{name}': {wrong}", path=path, hint=f"operations: {', '.join(kinds)}")
    functions = _weights(table.get("functions", {}), path)
    by_kind = {kinds[kind]: weight for kind, weight in operations.items()}
    counts = table.get("counts", _SOURCE)
    if counts not in (_SOURCE, _MACHINE_CODE):
        raise PolicyError(f"policy '{name}': counts must be '{_SOURCE}' or '{_MACHINE_CODE}'", path=path)
    title = str(table.get("title", name))
    return FlopPolicy(
        name,
        title,
        by_kind,
        functions,
        _costs(table.get("costs", {}), path),
        counts_machine_code=counts == _MACHINE_CODE,
        prologues=_names(table.get("prologues", {}), path),
    )


def _costs(table: object, path: str) -> dict[str, Costs]:
    """``name = { fp64 = { fp64 = 15, fp32 = 2 } }``; weights of 0 are left out."""
    if not isinstance(table, dict) or not all(isinstance(row, dict) for row in table.values()):
        raise PolicyError("costs must be tables of tables by precision", path=path)
    return {
        function: {
            _precision(precision, path): {
                _precision(other, path): weight for other, weight in _weights(weights, path).items() if weight
            }
            for precision, weights in row.items()
        }
        for function, row in table.items()
    }


def _names(table: object, path: str) -> dict[str, str]:
    if not isinstance(table, dict) or not all(isinstance(name, str) for name in table.values()):
        raise PolicyError("prologues must be a table of names", path=path)
    return dict(table)


def _precision(name: str, path: str) -> ScalarType:
    known = {scalar.value: scalar for scalar in ScalarType if scalar.type_class is TypeClass.FLOAT}
    if name not in known:
        raise PolicyError(f"unknown precision '{name}'", path=path, hint=f"precisions: {', '.join(known)}")
    return known[name]


def _weights(table: object, path: str) -> dict[str, int]:
    if not isinstance(table, dict):
        raise PolicyError("weights must be a table of whole numbers", path=path)
    for key, weight in table.items():
        if not isinstance(weight, int) or isinstance(weight, bool) or weight < 0:
            raise PolicyError(f"weight of '{key}' must be a whole number that is not negative", path=path)
    return dict(table)
