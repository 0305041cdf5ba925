"""Bare loops and snippets of C to a surface tree, as people write them in papers, issues and slides.

Text -> directives (:mod:`.preprocess`) -> dialects (:mod:`.prepare`) -> items
(:mod:`.parse`) -> types of undeclared names (:mod:`.infer`) -> ``Unit``.  Bare statements become one
function named after the file.  Declarations above them without a value are globals, so that a size or a factor that
the snippet only declares is an input; those with a value run as part of the function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from pycparser import c_ast

from ...diagnostics import Diagnostic
from ...ir.types import ElementType, ScalarType
from ...limits.recursion import deep_recursion
from ...source import STANDARD_INPUT, SourceFile, Span
from ..optional_files import without_optional_files
from ..options import Parsed, ParseOptions
from ..surface.goto import structured
from ..surface.nodes import Block, CType, Declare, Function, FunctionKind, Statement, Storage, Unit, Variable
from ..text.items import ItemKind, statement_end
from ..text.pragmas import collect_pragmas, without_pragmas
from .expressions import ExpressionReader
from .infer import infer_uses
from .names import Names
from .parse import ParsedItem, SyntaxProblem, parse_items
from .prepare import Prepared, prepare
from .preprocess import preprocess
from .statements import StatementReader
from .type_names import looks_like_index

_WITH_END = (c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.If, c_ast.Switch, c_ast.Compound)


def parse_fragment(source: SourceFile, options: ParseOptions) -> Parsed:
    """Read a snippet; whatever cannot be parsed is a diagnostic and the rest is kept."""
    text, diagnostics = preprocess(source.text, options.defines, source.path, source.first_line)
    pragmas = collect_pragmas(text, first_line=source.first_line)
    prepared = prepare(without_pragmas(text))
    with deep_recursion():
        parsed = list(parse_items(prepared))
        items = [item for item in parsed if isinstance(item, ParsedItem)]
        unit = _UnitReader(source, options.element_type, items, pragmas, _spans(source, prepared)).read()
    problems = [item for item in parsed if isinstance(item, SyntaxProblem)]
    found = [
        *diagnostics,
        *(_syntax_error(source, problem) for problem in problems),
        *_assumed_types(source, prepared, items, options.element_type),
    ]
    return Parsed(unit, tuple(sorted(found, key=lambda item: item.span)), "fragment")


class _UnitReader:
    """Builds the unit of one text out of its parsed items."""

    def __init__(
        self,
        source: SourceFile,
        element: ScalarType,
        items: Sequence[ParsedItem],
        pragmas: Mapping[int, tuple[str, ...]],
        span: Callable[[Any], Span],
    ) -> None:
        self._source = source
        self._items = items
        self._span = span
        self._keys = {_name(node): _name(node) for item in items for node in item.nodes if _is_function(node)}
        uses = infer_uses(node for item in items for node in item.nodes)
        self._names = Names(uses, ElementType(element))
        self._expressions = ExpressionReader(self._names, element, self._keys, span)
        self._statements = StatementReader(self._names, self._expressions, pragmas, span)

    def read(self) -> Unit:
        """Read every item in order."""
        has_functions = bool(self._keys)
        functions: dict[str, Function] = {}
        variables: list[Variable] = []
        bare: list[Statement] = []
        for item in self._items:
            for node in item.nodes:
                if _is_function(node):
                    function = self._function(node, item)
                    functions.setdefault(function.key, function)
                elif item.kind is ItemKind.STATEMENT:
                    bare.extend(self._statements.read(node))
                elif has_functions or getattr(node, "init", None) is None:
                    variables.extend(variable for variable, _ in self._statements.declare(node, Storage.GLOBAL))
                else:
                    bare.extend(self._initialised(node))
        if any(not isinstance(statement, Declare) for statement in bare):
            fragment = self._fragment(bare, functions)
            functions[fragment.key] = fragment
        else:
            variables.extend(statement.variable for statement in bare if isinstance(statement, Declare))
        return Unit(self._source.path, functions, tuple(variables))

    def _initialised(self, node: Any) -> Iterator[Declare]:
        """Yield a declaration above bare loops with a value; its array lies in memory like those without a value."""
        storage = Storage.GLOBAL if isinstance(node.type, c_ast.ArrayDecl) else Storage.LOCAL
        for variable, initial in self._statements.declare(node, storage):
            yield Declare(variable, initial, self._span(node))

    def _fragment(self, statements: Sequence[Statement], functions: Mapping[str, Function]) -> Function:
        path = self._source.path
        name = "stdin" if path in (STANDARD_INPUT, "-", "") else PurePath(path).stem
        key = name if name not in functions else f"{name}.fragment"
        first = next((item for item in statements if not isinstance(item, Declare)), statements[0])
        last = max(statement.span.end_line for statement in statements)
        span = Span(path, first.span.line, max(last, first.span.line))
        void: CType = self._expressions.types.resolve(c_ast.IdentifierType(["void"]))
        body = self._structured(Block(tuple(statements), span))
        return Function(
            key=key, name=name, parameters=(), result=void, body=body, kind=FunctionKind.FRAGMENT, span=span
        )

    def _structured(self, body: Block) -> Block:
        body = without_optional_files(body) if self._expressions.opens_files else body
        return structured(body) if self._statements.has_labels else body

    def _function(self, node: Any, item: ParsedItem) -> Function:
        first_line = self._source.first_line - 1
        span = Span(self._source.path, item.line + first_line, item.end_line + first_line)
        name = _name(node)
        result = self._expressions.types.resolve(node.decl.type.type)
        self._names.functions[name] = result
        self._names.push()
        parameters = tuple(self._parameters(node))
        body = self._structured(self._statements.block(node.body.block_items, self._span(node.body)))
        self._names.pop()
        return Function(
            key=name, name=name, parameters=parameters, result=result, body=body, kind=FunctionKind.HOST, span=span
        )

    def _parameters(self, node: Any) -> list[Variable]:
        arguments = node.decl.type.args
        listed = [] if arguments is None else list(arguments.params)
        old_style = {declaration.name: declaration for declaration in node.param_decls or ()}
        parameters: list[Variable] = []
        for item in listed:
            declaration = old_style.get(item.name, item) if isinstance(item, c_ast.ID) else item
            if isinstance(declaration, c_ast.ID):
                parameters.append(self._names.undeclared(declaration.name, self._span(declaration)))
            elif isinstance(declaration, c_ast.Decl):
                parameters.extend(variable for variable, _ in self._statements.declare(declaration, Storage.PARAMETER))
        return parameters


def _spans(source: SourceFile, prepared: Prepared) -> Callable[[Any], Span]:
    """Return the span of a node: from the line where it starts, for a compound statement to where it ends."""
    indices = {(token.line, token.column): index for index, token in enumerate(prepared.tokens)}
    offset = source.first_line - 1

    def span(node: Any) -> Span:
        coordinates = getattr(node, "coord", None)
        line = getattr(coordinates, "line", None) or 1
        end = line
        index = indices.get((line, getattr(coordinates, "column", None) or 0))
        if index is not None and isinstance(node, _WITH_END):
            last, _ = statement_end(prepared.tokens, index)
            end = prepared.tokens[last].line
        return Span(source.path, line + offset, end + offset)

    return span


def _syntax_error(source: SourceFile, problem: SyntaxProblem) -> Diagnostic:
    line = problem.line + source.first_line - 1
    return Diagnostic(problem.what.code, Span(source.path, line, line), problem.what.form, problem.what.fields)


def _assumed_types(
    source: SourceFile, prepared: Prepared, items: Sequence[ParsedItem], element: ScalarType
) -> list[Diagnostic]:
    diagnostics: list[Diagnostic] = []
    for name, first in prepared.assumed.items():
        if not any(item.line <= first <= item.end_line for item in items):
            continue  # what did not parse assumes nothing
        line = first + source.first_line - 1
        taken = "int32" if looks_like_index(name) else element.value
        diagnostics.append(Diagnostic.of("AI301", Span(source.path, line, line), "type", name=name, type=taken))
    return diagnostics


def _is_function(node: Any) -> bool:
    return isinstance(node, c_ast.FuncDef)


def _name(node: Any) -> str:
    return str(node.decl.name)
