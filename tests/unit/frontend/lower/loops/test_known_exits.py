"""What follows a loop that one jump leaves in the middle, under a condition on its counter."""

import pytest

from tests.rows import file_report

AROUND = "for (int i = 0; i < n; i++) { %s }"
BEHIND = "for (int i = 0; i < n; i++) b[i] = m; for (int i = 0; i < k; i++) a[i] += 1;"


@pytest.mark.parametrize(
    ("text", "flops"),
    [
        (
            AROUND
            % "int seen = 0; for (int j = 0; j < m; j++) { if (j == i) { seen = 1; break; } } if (!seen) a[i] += 1;",
            6,  # i from 4 to 9
        ),
        (AROUND % "for (int j = 0; j < m; j++) if (j == i) goto next; a[i] += 1; next:;", 6),
        (AROUND % "for (int j = m - 1; j >= 0; j--) if (j <= i) goto next; a[i] += 1; next:;", 0),
        (AROUND % "for (int j = 1; j < m; j++) if (j > i && i > 1) goto next; a[i] += 1; next:;", 9),  # not 2
        (f"int k; for (k = 0; k < n; k++) if (k > m) break; {BEHIND}", 5),
        (f"int k; for (k = 0; k < m; k++) if (k > n) break; {BEHIND}", 4),
        (f"int k; for (k = 0; k < n; k++) {{ if (k == 12) break; }} {BEHIND}", 10),
        (f"int k = 0; for (int j = 0; j < n; j++) {{ k += 2; if (j == m) break; }} {BEHIND}", 10),
        (f"int k = n; for (int j = 0; j < n; j++) {{ if (j == m) {{ k = 3; break; }} }} {BEHIND}", 3),
        (f"int k = 7; for (int j = 9; j < n; j++) {{ if (j < m) {{ k = 3; break; }} }} {BEHIND}", 7),
    ],
)
@pytest.mark.parametrize("sizes", [{}, {"n": "10", "m": "4"}])
def test_it_runs_where_the_jump_is_not_taken(text: str, flops: int, sizes: dict[str, str]) -> None:
    report = file_report(f"void f(double *a, double *b, int n, int m) {{ {text} }}", "x.c", defines=sizes)
    found = report.regions[0].profile.work.flops
    assert (found.lower.evaluate({"n": 10, "m": 4}), found.is_exact) == (flops, True)


def test_a_jump_that_data_decide_leaves_an_interval() -> None:
    text = AROUND % "for (int j = 0; j < m; j++) if (a[j] > 0) goto next; a[i] += 1; next:;"
    found = file_report(f"void f(double *a, int n, int m) {{ {text} }}", "x.c").regions[0].profile.work.flops
    assert not found.is_exact
