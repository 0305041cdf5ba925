"""Mutants of Python source: every small change to an expression or a statement that a test should notice.

Changed are comparisons, arithmetic and logical operators, numbers (+1, -1), ``not``, ``min`` and ``max``, ``any`` and
``all``, rounding up and down, the arms of a conditional, filters of comprehensions, ``break`` and ``continue``, and
calls for their effect, which are left out.  Annotations, assertions, decorators, options of classes and text stay.
"""

from __future__ import annotations

import ast
import copy
import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_FUNCTIONS = {
    "min": "max",
    "any": "all",
    "ceil": "floor",
    "minimum": "maximum",
    "floor_div": "trunc_div",
}
_FUNCTIONS |= {other: name for name, other in _FUNCTIONS.items()}


class Mutant(Struct, frozen=True, order=True):
    """One changed source: the range of bytes ``start`` to ``end`` of a file becomes ``text``."""

    path: str
    line: int
    start: int
    end: int
    text: str

    def source(self, root: Path) -> str:
        """Return the file with the change."""
        whole = (root / self.path).read_bytes()
        return (whole[: self.start] + self.text.encode() + whole[self.end :]).decode()

    def diff(self, root: Path) -> str:
        """Return the lines that differ."""
        lines = difflib.unified_diff((root / self.path).read_text().splitlines(), self.source(root).splitlines(), n=0)
        return "\n".join(line for line in lines if line[:3] not in ("---", "+++") and line[:2] != "@@")


def mutants_in(root: Path, paths: Sequence[str]) -> list[Mutant]:
    """Return all mutants of the files at and below some paths, sorted; each compiles."""
    files = sorted({file for path in paths for file in _files(root / path)})
    return sorted({mutant for file in files for mutant in _of_file(root, file)})


def _files(path: Path) -> Iterator[Path]:
    yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def _of_file(root: Path, file: Path) -> Iterator[Mutant]:
    source = file.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, changed in _changes(ast.parse(source)):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        mutant = Mutant(str(file.relative_to(root)), node.lineno, start, end, changed)
        if _compiles(mutant.source(root)):
            yield mutant


def _compiles(source: str) -> bool:
    try:
        compile(source, "mutant", "exec")
    except SyntaxError:
        return False
    return True


def _changes(node: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Yield every node that can be changed, with its new text."""
    if isinstance(node, ast.expr | ast.stmt):
        for changed in _changed(node):
            text = ast.unparse(changed)
            yield node, text if isinstance(changed, ast.stmt | ast.Name | ast.Call) else f"({text})"
    if isinstance(node, ast.If):
        yield node.test, f"(not ({ast.unparse(node.test)}))"
    if isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield test, "True"
    for child in _children(node):
        yield from _changes(child)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.JoinedStr | ast.Assert):
        return
    unchanged = {"annotation", "returns", "decorator_list", "keywords"} if _defines(node) else {"annotation"}
    for name, value in ast.iter_fields(node):
        if name not in unchanged:
            yield from (item for item in (value if isinstance(value, list) else [value]) if isinstance(item, ast.AST))


def _defines(node: ast.AST) -> bool:
    return isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)


def _changed(node: ast.expr | ast.stmt) -> Iterator[ast.expr | ast.stmt]:
    match node:
        case ast.Compare(left, operators, operands):
            for position, operator in enumerate(operators):
                for other in _COMPARISONS[type(operator)]:
                    ops = [*operators[:position], other(), *operators[position + 1 :]]
                    yield ast.Compare(left, ops, operands)
        case ast.UnaryOp(ast.USub(), ast.BinOp(ast.UnaryOp(ast.USub(), top), ast.FloorDiv(), bottom)):
            yield ast.BinOp(top, ast.FloorDiv(), bottom)
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            yield operand
        case ast.BinOp(top, ast.FloorDiv(), bottom):
            yield ast.UnaryOp(ast.USub(), ast.BinOp(ast.UnaryOp(ast.USub(), top), ast.FloorDiv(), bottom))
        case ast.BinOp(left, operator, right) if type(operator) in _ARITHMETIC:
            yield ast.BinOp(left, _ARITHMETIC[type(operator)](), right)
        case ast.BoolOp(operator, operands):
            yield ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), operands)
        case ast.IfExp(test, body, orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            yield from (ast.Constant(value + 1), ast.Constant(value - 1))
        case ast.Name(name) if name in _FUNCTIONS:
            yield ast.Name(_FUNCTIONS[name])
        case ast.Attribute(value, name) if name in _FUNCTIONS:
            yield ast.Attribute(value, _FUNCTIONS[name])
        case _:
            yield from _changed_statement(node)


def _changed_statement(node: ast.expr | ast.stmt) -> Iterator[ast.stmt]:
    match node:
        case ast.Expr(ast.Call()):
            yield ast.Pass()
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()
        case ast.AugAssign(_, operator, _) if type(operator) in _ARITHMETIC:
            changed = copy.copy(node)
            changed.op = _ARITHMETIC[type(operator)]()
            yield changed
