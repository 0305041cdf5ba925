"""Members of structures whose initialisers or arguments tell them."""

import pytest

from analyzer.frontend.lower import lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.frontend.reader import read
from analyzer.ir.nodes import Loop
from analyzer.ir.traverse import all_nodes
from analyzer.source import Language, SourceFile

TYPES = """
struct P { int s; double w; struct { int a, b; } in; };
struct B { int a, b; }; struct D : B { int k; };
struct C { int s; C(int k) : s(2 * k) {} };
static const P p = {4, 2.0, {5, 6}}; constexpr P q{7}; constexpr D d{{1, 9}, 2}; static const C c{4};
struct View { double *p; int n[2]; };
static View turned(View v) { View t = v; t.n[0] = v.n[1]; t.n[1] = v.n[0]; return t; }
static void rows(View v, double *x) { for (int i = 0; i < v.n[0]; i++) x[i] += 1; }
static void some(const P &r, double *x) { for (int i = 0; i < r.in.b; i++) x[i] += 1; }
"""


def ends(body: str) -> list[str]:
    text = f"{TYPES} void f(double *x) {{ {body} }}"
    regions = lower_unit(read(SourceFile("t.cpp", text, Language.CXX), ParseOptions()).unit).regions
    (region,) = (each for each in regions if each.function == "f")
    return [str(node.range.stop) for node in all_nodes(region.body) if isinstance(node, Loop)]


@pytest.mark.parametrize(("member", "end"), [("p.s", "4"), ("p.in.a", "5"), ("q.s", "7")])
def test_members_of_constant_structures_are_numbers(member: str, end: str) -> None:
    assert ends(f"for (int i = 0; i < {member}; i++) x[i] += 1;") == [end]
    assert ends("some(p, x);") == ["6"]


@pytest.mark.parametrize("member", ["d.a", "d.b", "d.k", "c.s"])
def test_members_of_base_classes_and_of_constructors_are_not_read_off_a_list(member: str) -> None:
    assert ends(f"for (int i = 0; i < {member}; i++) x[i] += 1;") == [member]


def test_elements_of_objects_by_value_are_followed() -> None:
    assert ends("View v{x, {8, 9}}; rows(v, x); rows(turned(v), x);") == ["8", "9"]
