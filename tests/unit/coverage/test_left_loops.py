"""Loops that statements of their bodies leave: how often they were entered, by counts of lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline import estimate

_HEAD = "int f(int n, double *x, int *stop) {\n  if (n > 100) return 0;\n"


@pytest.mark.parametrize(
    ("loop", "lines", "found"),
    [
        # entered twice: 20 tests, 19 iterations of which one ends the function, so that one test fails
        (
            "for (int i = 0; i < n; i++) {\n    x[i] *= 2;\n    if (stop[i])\n      return 1;\n  }",
            {3: 20, 4: 19, 5: 19, 6: 1},
            "trip_L3 = 9.5",
        ),
        # entered four times: 10 tests, 9 iterations, 3 of them leave by the break
        (
            "for (int i = 0; i < n; i++) {\n    if (stop[i])\n      break;\n    x[i] *= 2;\n  }",
            {3: 10, 4: 9, 5: 3, 6: 6},
            "trip_L3 = 2.25",
        ),
        # nothing but the break ends it: entered as often as that ran
        (
            "while (1) {\n    x[n] *= 2;\n    if (stop[n++])\n      break;\n  }",
            {3: 12, 4: 12, 5: 12, 6: 4},
            "trip_L3 = 3",
        ),
        # the break of the inner loop, entered 20 times, does not leave the outer one
        (
            "for (int i = 0; i < n; i++) {\n    x[i] *= 2;\n    for (int j = 0; j < 9; j++)\n      if (stop[j])\n"
            "        break;\n  }",
            {3: 22, 4: 20, 5: 100, 6: 90, 7: 10},
            "n = 10, trip_L5 = 4.5",
        ),
    ],
)
def test_a_loop_that_is_left_has_its_mean_trip_count(
    tmp_path: Path, loop: str, lines: dict[int, int], found: str
) -> None:
    source, recorded = tmp_path / "left.c", tmp_path / "left.csv"
    source.write_text(f"{_HEAD}  {loop}\n  return 0;\n}}\n")
    counts = {1: 9, 2: 9, **lines}
    recorded.write_text("file,line,count\n" + "".join(f"left.c,{line},{count}\n" for line, count in counts.items()))
    (region,) = estimate(str(source), profile=(str(recorded),)).regions
    assert f"{found}," in " ".join(one.text + "," for one in region.profile.assumptions)
