"""What docstrings refer to exists: modules, functions, classes and constants that have moved or gone are found here."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("analyzer", "roofline", "cli", "tests")
REFERENCE = re.compile(r":(?:mod|class|func|data|exc):`~?(\.*)([\w.]+)`")


def names_of(tree: ast.Module) -> set[str]:
    """Everything that a module defines or imports, members of classes included."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                found.add(name)
            case ast.ImportFrom(names=names) | ast.Import(names=names):
                found |= {alias.asname or alias.name for alias in names}
    return found


def modules() -> dict[str, tuple[Path, str, set[str]]]:
    """The path, the package and the names of every module."""
    found = {}
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        package = name if is_package else name.rpartition(".")[0]
        found[name] = (path, package, names_of(ast.parse(path.read_text("utf-8"))))
    return found


MODULES = modules()


def exists(target: str) -> bool:
    """Whether a dotted name is a module, or a name of one."""
    parts = target.split(".")
    for length in range(len(parts), 0, -1):
        module = ".".join(parts[:length])
        if module in MODULES:
            return length == len(parts) or parts[length] in MODULES[module][2]
    return False


@pytest.mark.parametrize("name", MODULES)
def test_references_exist(name: str) -> None:
    path, package, names = MODULES[name]
    for dots, rest in REFERENCE.findall(path.read_text("utf-8")):
        if dots:
            base = package.split(".")
            assert exists(".".join([*base[: len(base) - len(dots) + 1], rest])), f"{dots}{rest}"
        else:
            assert rest.split(".")[0] in names or exists(rest), rest


def test_a_module_that_is_gone_is_found() -> None:
    assert exists("roofline.estimation.estimate")
    assert not exists("roofline.estimation.no_such_function")
    assert not exists("analyzer.poly.backend")
