"""Calls as summaries: the same work and references as with the body in their place, less said of what is touched."""

from __future__ import annotations

from functools import partial

import pytest

from analyzer.frontend.lower.inputs import Limits
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import RegionProfile
from analyzer.quantities.quantity import Exactness, Quantity
from analyzer.source import SourceFile, language_of

CALLER = """
{declared}
void k(int n, int m, double *a, double *b)
{{
  a[0] = b[0];
  {calls}
}}
"""
FIRST = "f(n, a);"
EACH = "for (int i = 0; i < n; i++) f(i, a + i);"
DATA = "for (int i = 0; i < n; i++) if (b[i] > 0) f(m, a);"
SUM = "for (int j = 0; j < n; j++) a[j] = 2 * a[j] + 1;"
BODIES = {
    "a loop": SUM,
    "loops of equal length": f"{SUM} for (int j = 0; j < n; j++) a[j] /= 3; {SUM}",
    "a triangle": "for (int i = 0; i < n; i++) for (int j = i; j < n; j++) a[i] += a[j];",
    "a branch on data": "for (int j = 0; j < n; j++) if (a[j] > 1) a[j] -= 1; else a[j] = a[j] * a[j] * 2;",
    "a branch on an argument": f"if (n % 2) {{ {SUM} }} else a[0] += 1;",
    "an early return": f"if (n > 10) return; {SUM}",
    "a return from a loop": f"for (int j = 0; j < n; j++) {{ if (j == 5) return; a[j] += 1; }} {SUM}",
    "a loop that is left": f"for (int j = 0; j < n; j++) {{ a[j] += 1; if (j > 3) break; }} {SUM}",
    "a loop until data end it": "while (a[0] > 1) a[0] *= 0.5;",
    "divisions and functions": "for (int j = 0; j < n; j += 2) a[j] = a[j] / (a[j] + sqrt(a[j])) - a[j] * a[j];",
    "an inner function": f"for (int j = 0; j < n; j++) a[j] = g(a[j], j); {SUM}",
    "a body that no file has": f"{SUM} a[0] = unknown(a[0]);",
}
INNER = "double sqrt(double); double unknown(double); static double g(double x, int k) { return x * x + k; }\n"


def profile(calls: str, body: str, monkeypatch: pytest.MonkeyPatch, *, summarized: bool) -> RegionProfile:
    if summarized:
        none = partial(Limits, linked_nodes=0, medium_nodes=0, short_nodes=0)
        monkeypatch.setattr("analyzer.frontend.lower.regions.function.Limits", none)
    texts = {
        "a.c": CALLER.format(declared="void f(int n, double *a);", calls=calls),
        "b.c": f"{INNER}void f(int n, double *a) {{ {body} }}",
    }
    first, other = (SourceFile(path, text, language_of(path)) for path, text in texts.items())
    (file,) = analyze(first, AnalysisOptions(companions=(other,)))
    monkeypatch.undo()
    (region,) = file.regions
    return region


def ends(quantity: Quantity, trips: int) -> tuple[object, ...]:
    """Return the ends of a quantity at sizes; symbols that are no parameters are trip counts."""
    known = {"n": 17, "m": 9}
    counts = (quantity.lower, quantity.estimate, quantity.upper)
    return tuple(
        None if count is None else count.evaluate({name: known.get(name, trips) for name in count.symbols})
        for count in counts
    )


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("calls", [FIRST, EACH, DATA, FIRST + EACH], ids=["once", "in a loop", "on data", "twice"])
def test_a_summary_counts_what_the_body_does(calls: str, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    inlined = profile(calls, body, monkeypatch, summarized=False)
    found = profile(calls, body, monkeypatch, summarized=True)
    assert not inlined.work.not_located
    assert [str(item.what) for item in found.work.not_located] == ["call of f"]
    assert [str(item.what) for item in found.work.not_counted] == [str(item.what) for item in inlined.work.not_counted]
    for whole, summary in (
        (inlined.work.flops, found.work.flops),
        (inlined.work.flop_instructions, found.work.flop_instructions),
        (inlined.loads.elements, found.loads.elements),
        (inlined.loads.bytes, found.loads.bytes),
        (inlined.stores.bytes, found.stores.bytes),
    ):
        assert ends(summary, 4) == ends(whole, 4)
        assert summary.exactness is whole.exactness
    assert found.footprint.touched.bytes.upper is None
    assert found.compulsory_traffic.read_bytes.upper is None


MANY = "".join(f"if (a[{k}] > 1) a[{k}] *= 2; " for k in range(40))
CONDITIONS = {
    "on data": f"{MANY} {SUM}",
    "in a loop": f"for (int j = 0; j < n; j++) {{ a[j] += 1; {MANY} }}",
    "around a loop": f"if (a[0] > 1) {{ {MANY} {SUM} }} else a[1] = a[1] * a[1] + a[2];",
    "on arguments": SUM + "".join(f"if (n > {k}) a[{k}] += 1; " for k in range(80)),
    "before and behind an exit": f"{MANY} for (int j = 0; j < n; j++) {{ if (a[j] > 3) return; a[j] += 1; }} {MANY}",
}


@pytest.mark.parametrize("body", CONDITIONS.values(), ids=CONDITIONS)
def test_many_conditions_are_one_between_none_and_all(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    inlined = profile(FIRST, body, monkeypatch, summarized=False)
    found = profile(FIRST, body, monkeypatch, summarized=True)
    for whole, summary in ((inlined.work.flops, found.work.flops), (inlined.stores.elements, found.stores.elements)):
        (low, _, high), (least, _, most) = ends(whole, 4), ends(summary, 4)
        assert least <= low <= high <= most
        assert summary.exactness is Exactness.INTERVAL
    assert not found.work.not_counted


def test_arguments_that_data_decide_make_trip_counts_symbols(monkeypatch: pytest.MonkeyPatch) -> None:
    found = profile("f((int) b[0], a);", SUM, monkeypatch, summarized=True)
    (symbol,) = found.work.flops.estimate.symbols
    assert str(found.work.flops.estimate) == f"2*{symbol}"


def test_what_a_call_changes_has_any_value_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    none = partial(Limits, linked_nodes=0, medium_nodes=0, short_nodes=0)
    monkeypatch.setattr("analyzer.frontend.lower.regions.function.Limits", none)
    texts = {
        "a.c": """struct s { int n; }; void f(int *c, struct s *o); extern int g;
        void k(double *a) { struct s o; int c = 3; o.n = 4; g = 5; a[0] = 1; f(&c, &o);
          for (int i = 0; i < c; i++) a[i] += 1;
          for (int i = 0; i < o.n; i++) a[i] *= 2;
          for (int i = 0; i < g; i++) a[i] -= 2; }""",
        "b.c": "struct s { int n; }; int g; void f(int *c, struct s *o) { *c = 7; o->n = 8; g = 9; }",
    }
    first, other = (SourceFile(path, text, language_of(path)) for path, text in texts.items())
    (file,) = analyze(first, AnalysisOptions(companions=(other,)))
    (region,) = file.regions
    assert len(region.work.flops.estimate.symbols) == 3


def test_a_recursive_function_is_the_loop_over_its_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    body = f"{SUM} if (a[n] > 1) f(n / 2, a);"
    inlined, found = (profile(FIRST, body, monkeypatch, summarized=each) for each in (False, True))
    assert ends(found.stores.elements, 3) == ends(inlined.stores.elements, 3)


def test_a_loop_that_data_end_has_one_mean_trip_count_in_all_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    body = "while (a[0] > 1) { a[0] *= 0.5;\nwhile (a[1] > 1) a[1] *= 0.5; }"
    found = profile(FIRST + EACH + FIRST, body, monkeypatch, summarized=True).work.flops.estimate
    assert found.symbols == {"n", "trip_L2", "trip_L3"}
    # 2 + n calls; t iterations of the outer loop in each, u of the inner one in each of these
    assert found.evaluate({"n": 3, "trip_L2": 4, "trip_L3": 5}) == (2 + 3) * (4 + 4 * 5)


def test_a_trip_count_that_decides_more_is_one_of_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    triangle = "for (int j = 0; j < k; j++) for (int i = j; i < k; i++) a[i] += 1;"
    body = f"int k = 0; while (a[0] > 1) {{ a[0] *= 0.5; k++; }} {triangle}"
    found = profile(FIRST + FIRST, body, monkeypatch, summarized=True).work.flops.estimate
    assert found.symbols == {"trip_L2", "k", "k.2"}


def test_the_longest_body_of_another_file_is_not_put_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analyzer.frontend.lower.regions.function.Limits", partial(Limits, counted_nodes=30))
    long = " ".join(f"a[{number}] *= 3;" for number in range(40))
    texts = {
        "a.c": f"void f(int n, double *a); void g(double *a); {CALLER.format(declared='', calls=FIRST + ' g(a);')}",
        "b.c": f"void f(int n, double *a) {{ {SUM} }}\nvoid g(double *a) {{ {long} }}",
    }
    first, other = (SourceFile(path, text, language_of(path)) for path, text in texts.items())
    (file,) = analyze(first, AnalysisOptions(companions=(other,)))
    (region,) = file.regions
    assert str(region.work.flops.lower) == "2*n"  # of f; g has 40 products
    assert [found.code for found in file.profile.diagnostics] == ["AI208"]
    assert [str(item.what) for item in region.work.not_counted] == ["call of g"]
