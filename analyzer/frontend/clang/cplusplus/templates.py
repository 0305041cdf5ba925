"""Templates of one file: which functions explicit instantiations name, and which templates nothing instantiates.

A template has no body that could be counted: its instances have.  One without any is reported with the line that would
make one (``template class Stream<double>;``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from ....python.regex import regex
from ..binding import Cursor, Type
from ..kinds import CLASS_TEMPLATES, CLASSES, FUNCTIONS, CursorKind
from ..scope import Scope
from ..unit import TranslationUnit

POINTERS, MEMBERS = "ai_instance_", "ai_members_"
DIFFER, BASES = f"{MEMBERS}differ_", f"{MEMBERS}bases_"
DESTROY, CONSTRUCT = f"{MEMBERS}destroy_", f"{MEMBERS}construct_"
DESTRUCTOR = "~"
"""What the names begin with that the reader adds to a text: pointers to instances, classes that inherit them, tests,
classes with pointers to an instance and its base classes, and functions that destroy an object."""

_ENCLOSING = CLASSES | {CursorKind.NAMESPACE, CursorKind.LINKAGE_SPEC}
_TYPE, _VALUE, _TEMPLATE = (
    CursorKind.TEMPLATE_TYPE_PARAMETER,
    CursorKind.TEMPLATE_NON_TYPE_PARAMETER,
    CursorKind.TEMPLATE_TEMPLATE_PARAMETER,
)
_PARAMETERS = frozenset({_TYPE, _VALUE, _TEMPLATE})
_BODIES = FUNCTIONS - {CursorKind.FUNCTION_DECL, CursorKind.DESTRUCTOR}
_LOOPS = frozenset({CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.DO_STMT, CursorKind.CXX_FOR_RANGE_STMT})
_WORK = _LOOPS | {CursorKind.CALL_EXPR}
_SAMPLE_TYPE, _SAMPLE_VALUE = "double", "1"
_CALLED_TYPES = regex(r"^(?:const )?(?P<name>\w+)(?: ?&{1,2})?$")
_MOST_NAMES = 5


def declarations_of(unit: TranslationUnit, parent: Cursor, kinds: Collection[int]) -> Iterator[Cursor]:
    """Yield the declarations of these kinds in the source, with those in namespaces and classes."""
    is_outermost = parent is unit.cursor
    for cursor in unit.in_source if is_outermost else unit.children(parent):
        if cursor.kind not in kinds and cursor.kind not in _ENCLOSING:
            continue
        if is_outermost or unit.is_in_source(cursor):
            if cursor.kind in kinds:
                yield cursor
            if cursor.kind in _ENCLOSING:
                yield from declarations_of(unit, cursor, kinds)


def named_instances(unit: TranslationUnit, cursor: Cursor) -> Iterator[Cursor]:
    """Yield the functions that a declaration of the reader's own names, and instances of templates that a global does.

    Those of the user are in tables of functions, in values that a program begins with, and in what registers them
    (``BENCHMARK_TEMPLATE``).
    """
    name = unit.spelling(cursor)
    if cursor.kind == CursorKind.VAR_DECL:
        waiting = unit.children(cursor)
        while waiting:
            inner = waiting.pop()
            if inner.kind == CursorKind.DECL_REF_EXPR:
                found = unit.library.referenced(inner)
                if name.startswith(POINTERS) or unit.is_in_source(unit.library.template_of(found)):
                    yield found
            waiting += unit.children(inner)
    elif cursor.kind in CLASSES and name.startswith(MEMBERS):
        uses = (child for child in unit.children(cursor) if child.kind == CursorKind.USING_DECLARATION)
        for use in uses:
            yield from overloads(unit, use)


def named_members(unit: TranslationUnit, cursor: Cursor) -> Iterator[tuple[int, str, Cursor]]:
    """Yield the classes, names and functions that a declaration of the reader's own names: for loops over ranges,
    and for objects that are constructed or destroyed."""
    if cursor.kind == CursorKind.FUNCTION_DECL and unit.spelling(cursor).startswith(DIFFER):
        kind = unit.library.canonical_type(unit.library.type_of(unit.library.argument(cursor, 0)))
        yield unit.library.declaration(unit.library.pointee(kind)).identity, "operator!=", cursor
    elif cursor.kind == CursorKind.FUNCTION_DECL and unit.spelling(cursor).startswith(DESTROY):
        for found in _called(unit, cursor, CursorKind.DESTRUCTOR):
            yield unit.library.semantic_parent(found).identity, DESTRUCTOR, found
    elif cursor.kind == CursorKind.FUNCTION_DECL and unit.spelling(cursor).startswith(CONSTRUCT):
        for found in _called(unit, cursor, CursorKind.CONSTRUCTOR):
            yield unit.library.semantic_parent(found).identity, unit.spelling(found), found
    elif cursor.kind in CLASSES:
        for found in named_instances(unit, cursor):
            yield unit.library.semantic_parent(found).identity, unit.spelling(found), found


def _called(unit: TranslationUnit, cursor: Cursor, kind: CursorKind) -> Iterator[Cursor]:
    """Yield the functions of a kind that calls in a tree run, and those declared in it."""
    waiting = unit.children(cursor)
    while waiting:
        called = waiting.pop()
        found = unit.library.referenced(called) if called.kind == CursorKind.CALL_EXPR else called
        if found.kind == kind:
            yield found
        waiting += unit.children(called)


def named_bases(unit: TranslationUnit, cursor: Cursor) -> Iterator[tuple[int, list[Type]]]:
    """Yield a class and its base classes where a declaration of the reader's own names them; none for the user's."""
    if cursor.kind in CLASSES and unit.spelling(cursor).startswith(BASES):
        library = unit.library
        kinds = (library.canonical_type(library.type_of(field)) for field in unit.fields(library.type_of(cursor)))
        found = [*map(library.pointee, kinds)]
        if found:  # else a type has no name here, as that of a class in a function, and the declaration is invalid
            owner, *bases = found
            yield library.definition(library.declaration(owner)).identity, bases


def overloads(unit: TranslationUnit, use: Cursor) -> Iterator[Cursor]:
    """Yield the functions that a name may stand for, of several with this name."""
    for child in unit.children(use):
        if child.kind == CursorKind.OVERLOADED_DECL_REF:
            for number in range(unit.library.overload_count(child)):
                found = unit.library.overload(child, number)
                if found.kind in FUNCTIONS:
                    yield found


def is_dependent(unit: TranslationUnit, function: Cursor) -> bool:
    """Return True for a method of a class template; its instantiations are what runs."""
    parent = unit.library.semantic_parent(function)
    while parent.kind in CLASSES or parent.kind in CLASS_TEMPLATES:
        if parent.kind in CLASS_TEMPLATES:
            return True
        parent = unit.library.semantic_parent(parent)
    return False


def report_templates(scope: Scope) -> None:
    """Report the templates of the main file that have work and no instance."""
    unit = scope.unit
    kinds = {*CLASS_TEMPLATES, *CLASSES, CursorKind.FUNCTION_TEMPLATE, *_BODIES}
    classes: dict[str, list[Cursor]] = {}
    templates: dict[str, Cursor] = {}
    instantiated: set[str] = set()
    bases: set[str] = set()
    for cursor in declarations_of(unit, unit.cursor, kinds):
        if cursor.kind == CursorKind.FUNCTION_TEMPLATE:
            _report_function(scope, cursor)
            continue
        if cursor.kind in CLASSES:
            instantiated.add(unit.text(unit.library.usr(unit.library.template_of(cursor))))
            bases.update(_templates_below(unit, cursor))
            continue
        methods = unit.children(cursor) if cursor.kind in CLASS_TEMPLATES else [cursor]
        owner = cursor if cursor.kind in CLASS_TEMPLATES else unit.library.semantic_parent(cursor)
        if owner.kind in CLASS_TEMPLATES:
            key = unit.text(unit.library.usr(owner))
            templates.setdefault(key, owner)
            classes.setdefault(key, []).extend(method for method in methods if method.kind in _BODIES)
    for key, methods in classes.items():
        if key not in instantiated:  # else what has no body there did not parse
            _report_class(scope, templates[key], methods, is_base=key in bases)


def _templates_below(unit: TranslationUnit, cursor: Cursor) -> Iterator[str]:
    """Yield the templates whose instances are base classes of a class."""
    for child in unit.children(cursor):
        if child.kind == CursorKind.CXX_BASE_SPECIFIER:
            base = unit.library.declaration(unit.library.canonical_type(unit.library.type_of(child)))
            yield unit.text(unit.library.usr(unit.library.template_of(base)))


def _report_function(scope: Scope, template: Cursor) -> None:
    usr = scope.unit.text(scope.library.usr(template))
    if usr in scope.instantiated or scope.body_of(template) is None:
        return
    name = scope.unit.spelling(template)
    line = _instantiation(scope, template)
    scope.span = scope.span_of(template)
    if line:
        scope.report("AI206", "template", name=name, line=line)
    else:
        scope.report("AI206", "template-call", name=name)


def _report_class(scope: Scope, template: Cursor, methods: list[Cursor], *, is_base: bool) -> None:
    is_used = is_base or any(scope.unit.text(scope.library.usr(method)) in scope.instantiated for method in methods)
    lost = [method for method in methods if _is_lost(scope, method, _LOOPS if is_used else _WORK)]
    if not lost:
        return
    name = scope.unit.spelling(template)
    names = tuple(dict.fromkeys(f"{name}::{scope.unit.spelling(method).partition('<')[0]}" for method in lost))
    line = f"template class {_sample(scope, template)};"
    scope.span = scope.span_of(lost[0])
    if len(names) > _MOST_NAMES:
        shown, more = names[:_MOST_NAMES], len(names) - _MOST_NAMES
        scope.report("AI206", "more-methods", names=shown, more=more, template=name, line=line)
    else:
        form = "methods" if len(names) > 1 else "method"
        scope.report("AI206", form, names=names, template=name, line=line)


def _is_lost(scope: Scope, method: Cursor, work: Collection[int]) -> bool:
    """Return True for a method with work of these kinds of which no instance was analyzed."""
    usr = scope.unit.text(scope.library.usr(method))
    body = scope.body_of(method)
    return usr not in scope.instantiated and body is not None and _has_work(scope.unit, body, work)


def _has_work(unit: TranslationUnit, body: Cursor, work: Collection[int]) -> bool:
    waiting = [body]
    while waiting:
        cursor = waiting.pop()
        if cursor.kind in work:
            return True
        waiting += unit.children(cursor)
    return False


def _sample(scope: Scope, template: Cursor) -> str:
    """Return ``Stream<double>``: the template with arguments where it has no default for them."""
    arguments = [_argument(scope, child) for child in scope.unit.children(template) if child.kind in _PARAMETERS]
    while arguments and arguments[-1] is None:
        arguments.pop()
    name = scope.unit.spelling(template)
    parent = scope.library.semantic_parent(template)
    while parent.kind in CLASSES or parent.kind == CursorKind.NAMESPACE:
        if scope.unit.spelling(parent):
            name = f"{scope.unit.spelling(parent)}::{name}"
        parent = scope.library.semantic_parent(parent)
    return f"{name}<{', '.join(text or _SAMPLE_TYPE for text in arguments)}>"


def _argument(scope: Scope, parameter: Cursor) -> str | None:
    """Return an argument for a parameter of a template, None where it has a default."""
    text = scope.unit.source_of(parameter)
    if "=" in text:
        return None
    if parameter.kind == _VALUE:
        return _SAMPLE_VALUE
    return _SAMPLE_TYPE if parameter.kind == _TYPE else "std::vector"


def _instantiation(scope: Scope, template: Cursor) -> str:
    """Return the explicit instantiation of a function template; empty where an argument is something to call."""
    unit = scope.unit
    children = unit.children(template)
    samples = {unit.spelling(child): _argument(scope, child) for child in children if child.kind in _PARAMETERS}
    given = [child for child in children if child.kind == CursorKind.PARM_DECL]
    body = unit.source_of(children[-1])
    signature = unit.type_text(unit.library.type_of(template))
    result = signature.partition("(")[0].strip()
    texts = []
    for parameter in given:
        text = unit.type_text(unit.library.type_of(parameter))
        found = _CALLED_TYPES.match(text)
        if found and found["name"] in samples and re.search(rf"\b{re.escape(unit.spelling(parameter))}\s*\(", body):
            return ""
        texts.append(_with_samples(text, samples))
    if is_dependent(unit, template):
        return ""
    arguments = [text for text in samples.values() if text is not None]
    name = _sample(scope, template).partition("<")[0]
    after = signature.rpartition(")")[2]
    return f"template {_with_samples(result, samples)} {name}<{', '.join(arguments)}>({', '.join(texts)}){after};"


def _with_samples(text: str, samples: dict[str, str | None]) -> str:
    for name, sample in samples.items():
        if name:
            text = re.sub(rf"\b{re.escape(name)}\b", sample or _SAMPLE_TYPE, text)
    return text
