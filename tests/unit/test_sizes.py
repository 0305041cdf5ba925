"""Modules end at 400 lines, functions at 60, packages at 16 modules; what is larger is listed, and may only shrink."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
MODULES = sorted(path for package in ("analyzer", "roofline", "cli") for path in (ROOT / package).rglob("*.py"))
MOST_LINES, MOST_OF_A_FUNCTION = 400, 60
LONGER = {
    "analyzer/ir/nodes.py": 590,  # the grammar of the loop tree, on one page
    "analyzer/frontend/surface/nodes.py": 510,  # the grammar of the surface tree, on one page
    "analyzer/ir/index/poly.py": 534,  # polynomials and the forms in them, which are defined by one another
}

MOST_MODULES = 16  # of a package, with its ``__init__``
LARGER = {
    "roofline/measured/formats": 18,  # one module for each format
}


def longer_than(most: int) -> dict[str, int]:
    """Return the lines of the modules that have more than ``most``."""
    lines = {str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines()) for path in MODULES}
    return {name: number for name, number in lines.items() if number > most}


def long_functions(source: str, most: int) -> list[str]:
    """Return the names of the functions of a source that have more than ``most`` lines."""
    functions = [
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return [each.name for each in functions if (each.end_lineno or 0) - each.lineno >= most]


def test_no_module_is_longer_than_it_may_be() -> None:
    found = longer_than(MOST_LINES)
    assert {name: number for name, number in found.items() if number > LONGER.get(name, MOST_LINES)} == {}


def test_what_has_become_short_is_no_longer_listed() -> None:
    assert sorted(LONGER.keys() - longer_than(MOST_LINES).keys()) == []


def test_no_function_is_longer_than_60_lines() -> None:
    assert [name for path in MODULES for name in long_functions(path.read_text("utf-8"), MOST_OF_A_FUNCTION)] == []


def test_no_package_has_more_modules_than_it_may() -> None:
    modules = Counter(str(path.parent.relative_to(ROOT)) for path in MODULES)
    assert {name: found for name, found in modules.items() if found > LARGER.get(name, MOST_MODULES)} == {}
    assert [name for name in LARGER if modules[name] <= MOST_MODULES] == []


def test_a_long_function_is_found() -> None:
    assert long_functions("def f():\n" + "    pass\n" * 3, 3) == ["f"]
    assert long_functions("def f():\n" + "    pass\n" * 2, 3) == []
