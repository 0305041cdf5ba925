"""A program of two files whose driver calls more than is inlined: work by hand, bytes as lower bounds."""

from __future__ import annotations

from pathlib import Path

from roofline.estimation import estimate

STEPS = 400
MAIN = """
void relax(double *u, int n); double norm(const double *u, int n);
double solve(double *u, int n, int sweeps)
{
  double s = 0;
  for (int k = 0; k < sweeps; k++) {
    relax(u, n);
    relax(u, k);
    s += norm(u, n);
  }
  return s;
}
"""


def _other() -> str:
    prologue = "\n".join(f"u[{k}] += u[{k + 1}];" for k in range(STEPS))
    return f"""
    void relax(double *u, int n) {{ {prologue} for (int i = 1; i < n - 1; i++) u[i] = 0.5 * (u[i - 1] + u[i + 1]); }}
    double norm(const double *u, int n) {{ double s = 0; for (int i = 0; i < n; i++) s += u[i] * u[i]; return s; }}
    """


def test_a_driver_has_the_work_of_what_it_calls(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(MAIN)
    (tmp_path / "b.c").write_text(_other())
    n, sweeps = 1000, 50
    report = estimate([str(tmp_path / "a.c"), str(tmp_path / "b.c")], sizes={"n": n, "sweeps": sweeps})
    (region,) = (found for found in report.regions if found.profile.function == "solve")
    profile, triangle = region.profile, sum(max(k - 2, 0) for k in range(sweeps))
    flops = sweeps * (2 * STEPS + 2 * (n - 2) + 2 * n + 1) + 2 * triangle
    loads = sweeps * (4 * STEPS + 2 * (n - 2) + 2 * n) + 2 * triangle  # as the source writes them
    for found, truth in ((profile.work.flops, flops), (profile.loads.elements, loads)):
        assert found.is_exact
        assert found.estimate.evaluate({"n": n, "sweeps": sweeps}) == truth
    assert profile.footprint.touched.bytes.upper is None
    assert "AI214" in {note.code for note in profile.assumptions}
