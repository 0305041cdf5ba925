"""Bounds under conditions on data: against all combinations of truth values, and of whole loops."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

from analyzer.counts.alternatives import Part, bounds
from analyzer.counts.operations import operations_at
from analyzer.counts.tally import Measure, tally, tally_each
from analyzer.domains.statement_domains import statement_domains_of
from analyzer.ir.nodes import And, Condition, DataDependent, Not, Or, Truth
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.quantities.quantity import Exactness, Factor, Quantity
from analyzer.source import Language, SourceFile
from roofline import estimate, source_text
from tests.lowering import lower

NAMES = "abcde"


def drawn(random: Random, depth: int = 2) -> Condition:
    kind = random.randrange(4) if depth else 0
    match kind:
        case 1:
            return Not(drawn(random, depth - 1))
        case 2 | 3:
            return (And, Or)[kind - 2](tuple(drawn(random, depth - 1) for _ in range(random.randrange(1, 4))))
        case _:
            name = random.choice(NAMES)
            return DataDependent(name, subject="switch" if name in "de" else "")


def holds(condition: Condition, true: set[str]) -> bool:
    match condition:
        case DataDependent(name=name):
            return name in true
        case Not(operand):
            return not holds(operand, true)
        case And(operands):
            return all(holds(operand, true) for operand in operands)
        case Or(operands):
            return any(holds(operand, true) for operand in operands)
        case Truth(value):
            return value
    raise AssertionError(condition)


def enumerated(parts: list[Part[str]]) -> tuple[int, int]:
    sums = []
    for values in product((False, True), repeat=len(NAMES)):
        true = {name for name, value in zip(NAMES, values, strict=True) if value}
        if not {"d", "e"} <= true:
            ran = (part for part in parts if all(holds(condition, true) for condition in part.path))
            sums.append(sum(part.numbers["n"] for part in ran))
    return min(sums), max(sums)


@pytest.mark.parametrize("seed", range(60))
def test_bounds_are_those_of_all_combinations(seed: int) -> None:
    random = Random(seed)
    parts = [
        Part(tuple(drawn(random) for _ in range(random.randrange(3))), {"n": random.randrange(1, 9)})
        for _ in range(random.randrange(2, 7))
    ]
    found = bounds([parts])[0]["n"]
    assert (found.least, found.most) == enumerated(parts)
    assert found.least <= found.likely <= found.most


def test_a_condition_is_as_likely_as_not_unless_said() -> None:
    assert bounds([[Part((DataDependent("a"),), {"n": 3})]]) == [{"n": Factor(0, Fraction(3, 2), 3)}]


def test_many_combinations_give_wider_bounds() -> None:
    atoms = [DataDependent(f"x{n}") for n in range(24)]
    parts = [Part((Or((first, Not(second))),), {"n": 1}) for first in atoms for second in atoms if first != second]
    found = bounds([[*parts, Part((), {"n": 5}, Fraction(1))]])[0]["n"]
    assert found.least >= 5
    assert found.most == 5 + len(parts)


def figures(body: str) -> tuple[str, ...]:
    text = f"void f(int n, float *restrict a, float *restrict b, const float *c, const int *k) {{ {body} }}"
    (profile,) = analyze(SourceFile("f.c", text, Language.C), AnalysisOptions())
    (region,) = profile.regions
    return tuple(
        str(found.estimate) if found.is_exact else f"{found.lower} .. {found.upper}"
        for found in (region.loads.elements, region.stores.elements)
    )


@pytest.mark.parametrize(
    ("body", "loads", "stores"),
    [
        ("if (c[i] < 0) a[i] += 1; else if (c[i] == 0) a[i] += 2; else a[i] += b[i];", "2*n .. 4*n", "n"),
        ("if (c[i] > 0) goto L; a[i] = 1; goto M; L: a[i] = 2; M: ;", "n", "n"),
        ("if (c[i] > 0) goto L; a[i] = b[i]; L: a[i] += 1;", "2*n .. 3*n", "n .. 2*n"),
        ("switch (k[i]) { case 1: a[i] = 1; break; case 2: a[i] = 2; break; default: a[i] = 3; }", "n", "n"),
        ("switch (k[i]) { case 1: goto L; case 2: goto M; } L: a[i] = b[i]; goto N; M: a[i] = 2; N: ;",
         "n .. 2*n", "n"),
        ("if (c[i] > 0) { if (c[i] > 1) a[i] = 1; else a[i] = 2; } else b[i] = 1;", "n .. 2*n", "n"),
        ("if (c[i] > 0) a[i] = 1; if (c[i] < 0) b[i] = 1;", "2*n", "0 .. 2*n"),
    ],
)  # fmt: skip
def test_branches_that_exclude_each_other(body: str, loads: str, stores: str) -> None:
    found = figures(f"for (int i = 0; i < n; i++) {{ {body} }}")
    assert tuple(text.replace(" if n >= 1; else 0", "") for text in found) == (loads, stores)


def test_what_follows_a_way_out_runs_at_most_as_often_as_the_loop() -> None:
    text = "void f(int n, double *a, double *c) { for (int i = 0; i < n; i++) { if (c[i] > 0) break; a[i] = 1; } }"
    (profile,) = analyze(SourceFile("f.c", text, Language.C), AnalysisOptions())
    found = profile.regions[0].stores.elements
    assert found.exactness is Exactness.UPPER
    counts = (found.lower, found.estimate, found.upper)
    assert [count.evaluate({"n": 100}) for count in counts] == [0, 100, 100]


def test_what_ends_a_loop_runs_at_most_once() -> None:
    loads, stores = figures("for (int i = 0; i < 100; i++) { if (c[i] > 0) { a[i] = b[i]; break; } }")
    assert (loads, stores) == ("1 .. 101", "0 .. 1")


def test_totals_of_several_measures_are_those_of_each() -> None:
    """One look at the conditions serves operations, index arithmetic and what one execution runs."""
    source = """
    void f(int n, double *a, double *b) {
      for (int i = 0; i < n; i++)
        if (b[i] > 0) a[i] = 2*b[i]; else if (b[i] < -1) a[i] = b[i]/3 + 1; else a[i] += 1;
    }"""
    (region,) = lower(source).regions
    statements = statement_domains_of(region).statements
    measures: tuple[Measure[Any], ...] = (operations_at, lambda _: {"runs": 1}, lambda _: {})
    together = tally_each(statements, *measures)
    assert [texts(found) for found in together] == [texts(tally(statements, measure)) for measure in measures]
    kinds = {total.exactness for total in together[0].values()}
    assert kinds >= {Exactness.INTERVAL}, "conditions on data are among them"


def texts(totals: Mapping[Any, Quantity]) -> dict[Any, tuple[str, ...]]:
    return {key: tuple(map(str, (one.lower, one.estimate, one.upper, one.exactness))) for key, one in totals.items()}


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ("k[0] > 3", "k[0] > 3"),
        ("(k[n - 1] & 15) != 2", "the condition on data in line 1"),  # `&` has no form of its own in the IR
        ("k[k[0] / 3] > 3", "k[k[0]/3] > 3"),
    ],
)
def test_a_condition_is_named_as_the_source_has_it(condition: str, text: str) -> None:
    """What only the IR has (``bitwise(...)``, numbers behind names) is in no text: where it is says more."""
    source = f"void f(int n, const int *k, double *a) {{ if ({condition}) for (int i = 0; i < n; i++) a[i] *= 2; }}"
    region, *_ = estimate(source_text(source)).regions
    (flag,) = region.profile.flags
    assert flag.text(1) == text
    assert flag.text(0) == f"not ({flag.text(1)})"
    assert not any(sign in flag.text(1) for sign in ("?", "bitwise", "#"))
