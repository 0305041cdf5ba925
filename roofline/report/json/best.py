"""How good it could be, as JSON: the terms of the bound, and the intensities of each level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.bounds.results import BoundTerm, LiveTerm, LowerBound, SurfaceTerm

from ...model.best import BestIntensity
from ..best import formula_of, moved_formula
from .reasons import step_form


def best_form(bound: LowerBound, levels: Sequence[BestIntensity]) -> dict[str, Any]:
    """Return the terms of a bound and what could be at each level as an object."""
    return {
        "terms": [_term_form(term) for term in bound.terms],
        "live": [_live_form(term) for term in bound.live],
        "surfaces": [_surface_form(term) for term in bound.surfaces],
        "levels": [_level_form(level) for level in levels],
    }


def _live_form(term: LiveTerm) -> dict[str, Any]:
    return {
        "line": term.line,
        "lines": list(term.lines),
        "formula": formula_of(term),
        "paths": str(term.paths),
        "times": str(term.times),
    }


def _surface_form(term: SurfaceTerm) -> dict[str, Any]:
    return {
        "lines": list(term.lines),
        "formula": formula_of(term),
        "moved": moved_formula(term),
        "steps": [list(step) for step in term.steps],
        "volume": str(term.volume),
        "operations": str(term.operations),
        "inner": str(term.inner),
    }


def _term_form(term: BoundTerm) -> dict[str, Any]:
    return {
        "lines": list(term.lines),
        "formula": formula_of(term),
        "operations": str(term.operations),
        "charged": str(term.charged),
        "sigma": str(term.growth.sigma),
        "coefficient": term.growth.coefficient,
        "mirrored": list(term.mirrored),
        "projections": [
            {
                "reference": each.reference,
                "direction": each.direction or None,
                "exponent": str(each.exponent),
                "group": each.group,
            }
            for each in term.projections
        ],
    }


def _level_form(found: BestIntensity) -> dict[str, Any]:
    reached: dict[str, Any] | None = None
    if found.reached_bytes is not None:
        steps = [step_form(step) for step in found.steps]
        reached = {"bytes": found.reached_bytes, "intensity": found.reached, "kind": "found", "steps": steps}
    return {
        "level": found.level,
        "capacity_bytes": found.capacity_bytes,
        "now": {"bytes": found.now_bytes, "intensity": found.now, "kind": "as written"},
        "reached": reached,
        "least": {
            "bytes": found.least_bytes,
            "loaded_bytes": found.least_loaded_bytes,
            "intensity": found.most,
            "kind": "lower bound of bytes",
        },
        "terms": [list(term.lines) for term in found.terms],
    }
