"""Lists of the C++ library: nodes that data order, whichever header is included first."""

import pytest

from tests.rows import codes, file_report

HEADERS = ("#include <forward_list>\n#include <list>\n", "#include <list>\n#include <forward_list>\n")


@pytest.mark.parametrize("headers", HEADERS)
@pytest.mark.parametrize(
    ("made", "stores"),
    [
        ("std::list<double> l", 0),
        (
            "std::list<double> l{1.0, 2.0}; l.push_back(3.0); l.push_front(0.5)",
            6,
        ),  # two of them to the array of the braces
        ("std::forward_list<double> l; l.push_front(2.0)", 1),
        ("std::forward_list<double> l(5, 1.0); l.insert_after(l.before_begin(), 2.0); l.erase_after(l.begin())", 6),
        ("std::list<double> l(7)", 7),
    ],
)
def test_elements_are_stored(headers: str, made: str, stores: int) -> None:
    text = f"{headers}double f() {{ {made}; double s = 0; for (double v : l) s += v; return s; }}"
    (region,) = file_report(text).regions
    (trips,) = region.profile.work.flops.estimate.symbols
    assert region.profile.work.flops.estimate.evaluate({trips: 9}) == 9
    assert region.profile.stores.elements.lower.evaluate({trips: 9}) == stores
    assert not {code for code, _ in codes(text)} & {"AI001", "AI003", "AI201"}
