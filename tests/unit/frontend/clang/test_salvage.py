"""What breaks a parse costs only itself: modules, and functions that clang cannot take."""

from __future__ import annotations

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.options import Parsed, ParseOptions
from analyzer.source import Language, SourceFile
from cli.run.isolated_worker import can_fork

LOOP = "for (int i = 0; i < n; i++) a[i] += 1;"


def parsed(text: str, language: Language = Language.CXX) -> Parsed:
    return parse_clang(SourceFile("x.cpp", text, language), ParseOptions())


def functions(found: Parsed) -> list[str]:
    return [function.name for function in found.unit.functions.values()]


@pytest.mark.parametrize(
    "text",
    [
        f"import std;\nvoid f(int n) {{ std::vector<double> a(n); {LOOP} }}",
        f"module;\nexport module m;\nimport std.compat; // all of it\nexport void f(int n, double *a) {{ {LOOP} }}",
        f"import <vector>;\nexport module m:part;\nexport {{\nvoid f(int n) {{ std::vector<double> a(n); {LOOP} }}\n}}",
        f"export module m;\nexport namespace k {{ void f(int n, double *a) {{ {LOOP} }} }}\nmodule :private;\n",
    ],
)
def test_a_module_is_read_as_a_file(text: str):
    found = parsed(text)
    assert [name for name in functions(found) if "f" in name] in (["f"], ["k::f"])
    assert found.diagnostics == ()
    (function,) = (item for item in found.unit.functions.values() if item.name.endswith("f"))
    assert text.split("\n")[function.span.line - 1].count("f(int n")


def test_a_module_that_cannot_be_read_costs_what_needs_it():
    found = parsed(f"import m;\nvoid f(int n, double *a) {{ {LOOP} }}\nvoid g() {{ m::h(); }}")
    assert functions(found) == ["f"]
    assert ("AI002", 1) in {(item.code, item.span.line) for item in found.diagnostics}


def test_words_of_modules_elsewhere_are_left_alone():
    found = parsed(f"int module, import;\nvoid f(int n, double *a) {{ import = 1; {LOOP} }}")
    assert (functions(found), found.diagnostics) == (["f"], ())


@pytest.mark.skipif(not can_fork(), reason="nothing can be tried in a child here")
def test_the_time_of_what_is_tried_counts(monkeypatch: pytest.MonkeyPatch):
    from analyzer.frontend.clang.reading import salvage as clang_salvage

    counted: list[None] = []
    without_bombs(monkeypatch)
    monkeypatch.setattr(clang_salvage, "count_children", lambda: counted.append(None))
    parsed(f"void f(double *a) {{ BOMB; }}\nvoid g(int n, double *a) {{ {LOOP} }}\n", Language.C)
    assert len(counted) == 3  # neither, f, g


def without_bombs(monkeypatch: pytest.MonkeyPatch) -> None:
    from analyzer.errors import SourceError
    from analyzer.frontend.clang.reading import confined_files as clang_guard

    real = clang_guard.TranslationUnit

    def fragile(path: str, text: bytes, *rest: object, **more: object) -> object:
        if b"BOMB" in text:
            raise SourceError("clang could not parse the file (code 2)", path=path)
        return real(path, text, *rest, **more)

    monkeypatch.setattr(clang_guard, "TranslationUnit", fragile)


@pytest.mark.skipif(not can_fork(), reason="nothing can be tried in a child here")
def test_a_large_initialiser_that_no_parse_survives_costs_only_itself(monkeypatch: pytest.MonkeyPatch):
    without_bombs(monkeypatch)
    data = f"double t[9][2] = {{\n{{BOMB, 1}},\n{'{1, 2},' * 20_000} }};\n"
    found = parsed(f"void f(int n, double *a) {{ {LOOP} }}\n{data}void g(int n, double *a) {{ {LOOP} }}\n", Language.C)
    assert [item.name for item in found.unit.functions.values() if item.body.statements] == ["f", "g"]
    assert [(told.code, told.span.line) for told in found.diagnostics] == [("AI213", 2)]
    assert found.diagnostics[0].message == "t is left out: clang could not parse it"
    assert [item.span.line for item in found.unit.functions.values()] == [1, 5]


@pytest.mark.slow
@pytest.mark.skipif(not can_fork(), reason="nothing can be tried in a child here")
@pytest.mark.parametrize("place", [0, 1, 2, 3, 4])
def test_a_function_that_no_parse_survives_costs_only_itself(place: int, monkeypatch: pytest.MonkeyPatch):
    without_bombs(monkeypatch)
    bodies = [f"double v{k} = BOMB; {LOOP}" if k == place else LOOP for k in range(5)]
    found = parsed("".join(f"void f{k}(int n, double *a) {{ {body} }}\n" for k, body in enumerate(bodies)), Language.C)
    loops = [item.name for item in found.unit.functions.values() if item.body.statements]
    assert loops == [f"f{k}" for k in range(5) if k != place]
    (told,) = found.diagnostics
    assert (told.code, told.span.line) == ("AI213", place + 1)
    assert told.message == f"f{place} is left out: clang could not parse it"
