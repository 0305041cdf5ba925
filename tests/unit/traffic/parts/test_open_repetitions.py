"""Loops that repeat nests an unknown number of times, against hand counts and runs with the number."""

import pytest

from tests.checked import report_of

TWICE = "for (int r = 0; r < reps; r++) for (int i = 0; i < N; i++) a[i] = 2*b[i] + a[i];"
SWEEPS = """for (int r = 0; r < reps; r++) {
  for (int i = 1; i < N - 1; i++) b[i] = a[i-1] + a[i+1];
  for (int i = 1; i < N - 1; i++) a[i] = b[i];
}"""
WHILE = "double e = 1; while (e > 1e-3) { e = 0; for (int i = 0; i < N; i++) { a[i] = a[i]*0.5; e += a[i]; } }"


def moved(body, size, **values):
    text = f"double a[{size}], b[{size}]; void f(int reps) {{ {body.replace('N', str(size))} }}"
    report = report_of(text, "haswell", defines={name: str(value) for name, value in values.items()})
    return report.files[0].regions[0]


@pytest.mark.parametrize(
    ("body", "size", "each"),
    [(TWICE, 8_000_000, 24 * 8_000_000), (SWEEPS, 8_000_000, 48 * 8_000_000), (TWICE, 100_000, 0)],
)
def test_bytes_are_a_line_in_the_repetitions(body, size, each):
    """Of arrays that no cache holds each repetition moves all again; of others the first one moves them once."""
    total = moved(body, size).moved.total.estimate
    three, ten = (total.evaluate({"reps": reps}) for reps in (3, 10))
    assert ten - three == pytest.approx(7 * each, rel=1e-3)
    assert three == pytest.approx(3 * each if each else 24 * size, rel=1e-2)


@pytest.mark.parametrize("body", [TWICE, SWEEPS])
@pytest.mark.parametrize("reps", [1, 2, 7])
def test_the_line_goes_through_what_is_found_with_the_number(body, reps):
    for size in (2_000, 40_000, 3_000_000):
        line = moved(body, size).moved.total.estimate.evaluate({"reps": reps})
        assert line == moved(body, size, reps=reps).moved.total.estimate.evaluate({})


def test_a_loop_until_a_condition_on_data_moves_its_data_each_time():
    found = moved(WHILE, 8_000_000)
    (trip,) = found.moved.total.estimate.symbols
    assert found.moved.total.estimate.evaluate({trip: 9}) == pytest.approx(9 * 16 * 8_000_000, rel=1e-3)


@pytest.mark.parametrize(
    "body",
    [
        "for (int r = 0; r < reps; r++) for (int i = 0; i < N - r; i++) a[i] = b[i];",
        "for (int i = 0; i < reps; i++) a[i] = b[i];",
        "for (int r = 0; r < reps; r += 2) for (int i = 0; i < N; i++) a[i] = b[i];",
    ],
)
def test_a_number_that_does_more_than_repeat_leaves_ideal_caches(body):
    assert not moved(body, 1_000).traffic.models
