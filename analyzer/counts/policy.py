"""FLOP policies: what counts as a floating-point operation, as data (``policy.toml`` or a file of the user's)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from ..errors import PolicyError
from ..ir.values import Operation
from .shapes import OperationKey


@dataclass(frozen=True, slots=True)
class FlopPolicy:
    """Weights of operations and functions; ``name`` is stored in every report."""

    name: str
    title: str
    operations: Mapping[Operation, int]
    functions: Mapping[str, int]

    def flops(self, key: OperationKey) -> int:
        """FLOPs of one operation of this kind; 0 for integer operations."""
        if not key.precision.is_float:
            return 0
        return self.functions.get(key.function, self.operations[key.operation])


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
    return FlopPolicy(name, str(table.get("title", name)), by_kind, functions)


def _weights(table: object, path: str) -> dict[str, int]:
    if not isinstance(table, dict):
        raise PolicyError("weights must be a table of whole numbers", path=path)
    for key, weight in table.items():
        if not isinstance(weight, int) or isinstance(weight, bool) or weight < 0:
            raise PolicyError(f"weight of '{key}' must be a whole number that is not negative", path=path)
    return dict(table)
