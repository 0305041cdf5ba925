"""What docstrings refer to exists: modules, functions, classes and constants that have moved or gone are found here."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("analyzer", "roofline", "cli", "tests")
_NO_VERBS = frozenset({"A", "An", "The", "What", "Where", "Whether", "Which", "With", "Without"})
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


def name_of(path: Path) -> str:
    """The dotted name of a module, that of its package for ``__init__``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(path for each in PACKAGES for path in (ROOT / each).rglob("*.py"))}


@cache
def names_in(module: str) -> set[str]:
    """What a module of ours defines or imports, found when first asked for."""
    return names_of(ast.parse(MODULES[module].read_text("utf-8")))


def exists(target: str) -> bool:
    """Whether a dotted name is a module, or a name of one."""
    parts = target.split(".")
    for length in range(len(parts), 0, -1):
        module = ".".join(parts[:length])
        if module in MODULES:
            return length == len(parts) or parts[length] in names_in(module)
    return False


@pytest.mark.parametrize("name", MODULES)
def test_references_exist(name: str) -> None:
    path = MODULES[name]
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for dots, rest in REFERENCE.findall(path.read_text("utf-8")):
        if dots:
            base = package.split(".")
            assert exists(".".join([*base[: len(base) - len(dots) + 1], rest])), f"{dots}{rest}"
        else:
            assert rest.split(".")[0] in names_in(name) or exists(rest), rest


def begins_without_verb(text: str) -> bool:
    """Whether a docstring begins as a noun or a condition does."""
    first = text.split()[0]
    return first in _NO_VERBS or first.startswith("``") or first.endswith(".")


@pytest.mark.parametrize("name", [name for name in MODULES if not name.startswith("tests")])
def test_docstrings_of_functions_begin_with_a_verb(name: str) -> None:
    tree = ast.parse(MODULES[name].read_text("utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    texts = [(each.name, ast.get_docstring(each)) for each in functions]
    assert [each for each, text in texts if text and begins_without_verb(text)] == []


def test_a_docstring_without_a_verb_is_found() -> None:
    assert all(map(begins_without_verb, ("The sum.", "Sum.", "Whether it holds.", "``n`` is a size.")))
    assert not begins_without_verb("Return the sum.")


def test_a_module_that_is_gone_is_found() -> None:
    assert exists("roofline.estimation.estimate")
    assert not exists("roofline.estimation.no_such_function")
    assert not exists("analyzer.poly.backend")
