"""Explicit instantiations, whose functions libclang's tree does not show: source text and tree -> text that names them.

``template int run<float>(float *x, int n);`` becomes, on the same line, a pointer to that instance, which the tree
does show.  The members of ``template class Stream<double>;`` are named by a class behind the last line of the file,
which inherits them: the tree shows the declarations behind ``using Stream<double>::copy;``, and what was instantiated
has a body there.  Classes of templates that loops go over (``for (auto &x : ring)``) are named in the same way, once a
first reading has found them, and those of their iterators.  Such a class may name private members, for the parse then
controls no access.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ....python.regex import regex
from ..binding import Cursor
from ..cplusplus.templates import BASES, CONSTRUCT, DESTROY, DIFFER, MEMBERS, POINTERS, declarations_of
from ..kinds import CLASS_TEMPLATES, CLASSES, CursorKind
from ..unit import TranslationUnit

_FUNCTION = regex(
    r"^(?P<lead>[ \t]*(?:extern[ \t]+)?)template\s+(?!<|class\b|struct\b|union\b)"
    r"(?P<result>[^;{}()]*?[\s*&>])(?P<name>[A-Za-z_][\w:]*(?:\s*<[^;{}()]*>)?)\s*\((?P<parameters>[^;{}]*)\)\s*;",
    re.MULTILINE,
)
_MEMBER = regex(
    r"^[ \t]*template\s+(?!<|class\b|struct\b|union\b)(?:[^;{}()]*?[\s*&>])?"
    r"(?P<owner>(?:::)?[A-Za-z_][\w:]*\s*<[^;{}()]*>)\s*::\s*(?P<name>operator[^\w\s]+(?:\(\))?|\w+)\s*"
    r"\([^;{}]*\)[^;{}()]*;",
    re.MULTILINE,
)
_FINAL = regex(
    r"(?P<head>\btemplate\s*<[^{};]*>\s*(?:class|struct)\s+(?P<name>\w+)\s+)final\b(?=\s*[:{])", re.MULTILINE
)
_ATTRIBUTE = regex(r"\b(?:__global__|__host__|__device__|__launch_bounds__\s*\([^)]*\)|inline|static)\s*")
_NAMELESS = regex(r"\(anonymous namespace\)::")
_MEMBERS = frozenset({CursorKind.CXX_METHOD, CursorKind.CONSTRUCTOR})
_IN_BODY = frozenset({CursorKind.FIELD_DECL, CursorKind.DESTRUCTOR, CursorKind.CXX_BASE_SPECIFIER}) | _MEMBERS
_OF_RANGES = ("begin", "end", "operator++", "operator*")
WITHOUT_ACCESS_CONTROL = ("-Xclang", "-fno-access-control")


def with_instances(text: str) -> str:
    """Return the text with a name for every explicit instantiation of a function template or of one member.

    A class template with explicit instances is not final: their members have names in classes that inherit them.

    >>> with_instances("template int run<float>(float *x, int n);")
    'static int (*const ai_instance_0)(float *x, int n) = run<float>;'
    >>> with_instances("template void Grid<float>::fill(float);")
    'template void Grid<float>::fill(float); struct ai_members_0 : Grid<float> { using Grid<float>::fill; };'
    """
    if "template" not in text:
        return text
    count = 0

    def pointer(found: re.Match[str]) -> str:
        nonlocal count
        name = found["name"]
        if "extern" in found["lead"] or "operator" in name:
            return found[0]
        result = _ATTRIBUTE.sub("", found["result"]).strip()
        number, count = count, count + 1
        lines = "\n" * (found[0].count("\n") - result.count("\n") - name.count("\n") - found["parameters"].count("\n"))
        return f"{found['lead']}static {result} (*const {POINTERS}{number})({found['parameters']}) = {name};{lines}"

    def members(found: re.Match[str]) -> str:
        nonlocal count
        number, count = count, count + 1
        return f"{found[0]} {_members(number, found['owner'].replace(chr(10), ' '), [found['name']])}"

    def inherited(found: re.Match[str]) -> str:
        is_wanted = re.search(rf"\btemplate\s+(?:class|struct)\s+(?:\w*::)*{found['name']}\s*<", text)
        return f"{found['head']}{' ' * len('final')}" if is_wanted else found[0]

    return _FINAL.sub(inherited, _FUNCTION.sub(pointer, _MEMBER.sub(members, text)))


def members_of_instances(unit: TranslationUnit) -> str:
    """Return what to add to the file, so that the members of its explicitly instantiated classes have names."""
    library = unit.library
    added: list[str] = []
    for number, cursor in enumerate(_instances(unit)):
        kind = _NAMELESS.sub("", unit.type_text(library.canonical_type(library.type_of(cursor))))
        template = library.definition(library.template_of(cursor))
        members = {
            unit.spelling(template if child.kind == CursorKind.CONSTRUCTOR else child): None
            for child in unit.children(template)
            if child.kind in _MEMBERS
        }
        added.append(_members(number, f"::{kind}", list(members), of="class_"))
    return "\n" + "\n".join(added) if added else ""


def members_of_ranges(classes: Iterable[str]) -> str:
    """Return what to add to the file, so that what loops over these classes call has names.

    Iterators are compared by any function: a member, a friend, a template, one that is made of ``==``.
    """
    added = ""
    for number, text in enumerate(sorted(classes)):
        name = f"::{_NAMELESS.sub('', text.removeprefix('const '))}"
        test = f"static bool {DIFFER}{number}(const {name} &a, const {name} &b) {{ return a != b; }}"
        added += f"\n{_members(number, name, list(_OF_RANGES), of='range_')}\n{test}"
    return added


def methods_of_instances(classes: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Return what to add to the file, so that methods of instances, which may override others, have names."""
    named = ((f"::{_NAMELESS.sub('', text.removeprefix('const '))}", list(names)) for text, names in sorted(classes))
    return "".join(f"\n{_members(number, *each, of='methods_')}" for number, each in enumerate(named))


def destructors_of_instances(classes: Iterable[str]) -> str:
    """Return what to add to the file, so that the destructors of these instances have names.

    >>> print(destructors_of_instances(["Guard<float>"]).strip())
    static void ai_members_destroy_0(::Guard<float> *at) { typedef ::Guard<float> destroyed; at->~destroyed(); }
    """
    names = (f"::{_NAMELESS.sub('', text.removeprefix('const '))}" for text in sorted(classes))
    return "".join(
        f"\nstatic void {DESTROY}{number}({name} *at) {{ typedef {name} destroyed; at->~destroyed(); }}"
        for number, name in enumerate(names)
    )


def constructors_of_instances(classes: Iterable[str]) -> str:
    """Return what to add to the file, so that the default constructors of these instances have names.

    >>> print(constructors_of_instances(["Point<float>"]).strip())
    static void ai_members_construct_0() { ::Point<float> made; }
    """
    names = (f"::{_NAMELESS.sub('', text.removeprefix('const '))}" for text in sorted(classes))
    return "".join(f"\nstatic void {CONSTRUCT}{number}() {{ {name} made; }}" for number, name in enumerate(names))


def without_final(text: str, classes: Iterable[str]) -> str:
    """Return the text whose class templates of these instances may be inherited, so that their methods have names.

    >>> without_final("template <class T> struct Up final : Op<T> {};", ["Up<float>"])
    'template <class T> struct Up       : Op<T> {};'
    """
    names = {each.partition("<")[0].rpartition("::")[2] for each in classes}

    def inherited(found: re.Match[str]) -> str:
        return f"{found['head']}{' ' * len('final')}" if found["name"] in names else found[0]

    return _FINAL.sub(inherited, text)


def bases_of_instances(classes: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Return what to add to the file, so that base classes of instances have names, which the instances inherit.

    >>> print(bases_of_instances([("Grid<float>", ["Store"])]).strip())
    struct ai_members_bases_0 { ::Grid<float> *of; ::Grid<float>::Store *base_0; };
    """
    added = ""
    for number, (text, names) in enumerate(sorted(classes)):
        owner = f"::{_NAMELESS.sub('', text.removeprefix('const '))}"
        bases = "".join(f" {owner}::{name} *base_{position};" for position, name in enumerate(names))
        added += f"\nstruct {BASES}{number} {{ {owner} *of;{bases} }};"
    return added


def _members(number: int, owner: str, names: list[str], *, of: str = "") -> str:
    uses = " ".join(f"using {owner}::{name};" for name in names)
    return f"struct {MEMBERS}{of}{number} : {owner} {{ {uses} }};"


def _instances(unit: TranslationUnit) -> Iterator[Cursor]:
    """Yield the classes of the main file that an explicit instantiation makes: they have no body of their own."""
    for cursor in declarations_of(unit, unit.cursor, CLASSES):
        template = unit.library.template_of(cursor)
        if template.kind in CLASS_TEMPLATES and not any(child.kind in _IN_BODY for child in unit.children(cursor)):
            yield cursor
