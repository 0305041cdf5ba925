"""References that data move together, without the data: against the exact simulation with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from roofline import EstimateOptions, estimate

_COUNT, _PARTICLES = 20_000, 300_000
_SOURCE = f"""
typedef struct {{ double x, y, z, w; }} Particle;
double fields(int m, const Particle p[{_PARTICLES}], const int *idx) {{
  double s = 0;
  for (int i = 0; i < m; i++) {{ int j = idx[i]; s += p[j].x + p[j].y*p[j].z; }}
  return s;
}}
double rows(int m, const double p[{_PARTICLES}][3], const int *idx) {{
  double s = 0;
  for (int i = 0; i < m; i++) {{
    double dx = p[idx[i]][0], dy = p[idx[i]][1];
    double dz = p[idx[i]][2];
    s += dx*dx + dy*dy + dz*dz;
  }}
  return s;
}}
double again(int m, const double p[{_PARTICLES}], const int *idx) {{
  double s = 0;
  for (int i = 0; i < m; i++) {{ s += p[idx[i]]; s *= p[idx[i]]; }}
  return s;
}}
"""


@pytest.mark.parametrize("name", ["fields", "rows", "again"])
def test_fields_of_one_element_come_in_its_lines(tmp_path: Path, name: str) -> None:
    source = tmp_path / "gathers.c"
    source.write_text(_SOURCE)
    indices = np.random.default_rng(1).integers(0, _PARTICLES, _COUNT).astype(np.int32)
    np.save(tmp_path / "idx.npy", indices)
    options = EstimateOptions(functions=(name,))
    (region,) = estimate(str(source), machines="haswell", sizes={"m": _COUNT}, options=options).regions
    arrays = {"idx": str(tmp_path / "idx.npy")}
    (exact,) = estimate(str(source), machines="haswell", sizes={"m": _COUNT}, options=options, arrays=arrays).regions
    assert region.bytes.value == pytest.approx(exact.bytes.value, rel=0.03)
    assert region.bytes.quantity.lower.evaluate({}) <= exact.bytes.value <= region.bytes.quantity.most.evaluate({})


def test_an_array_of_unknown_size_may_have_a_line_for_each_access(tmp_path: Path) -> None:
    source = tmp_path / "open.c"
    source.write_text(
        "double f(int m, const double *p, const int *k) {\n"
        "  double s = 0;\n  for (int i = 0; i < m; i++) s += p[k[i]];\n  return s;\n}\n"
    )
    (region,) = estimate(str(source), machines="haswell", sizes={"m": 1000}).regions
    assert region.bytes.quantity.most.evaluate({}) >= 1000 * 64 + 4000
