"""Generated code bases of any size: small C, C++ and CUDA files, no two alike, a hundred to a folder."""

from __future__ import annotations

from pathlib import Path

PER_FOLDER = 100

_C = """\
#include <math.h>

void axpy{n}(int n, double alpha, const double *restrict x, double *restrict y)
{{
    for (int i = 0; i < n; i++)
        y[i] += alpha * x[i] + {n}.0;
}}

double norm{n}(int n, int m, double a[n][m])
{{
    double s = 0;
    for (int i = {k}; i < n; i++)
        for (int j = 0; j < m - {k}; j++)
            s += a[i][j] * a[i][j + {k}];
    return sqrt(s);
}}
"""

_CXX = """\
#include <cstddef>
#include <vector>

template <class T> void scale{n}(std::vector<T> &v, T by)
{{
    for (std::size_t i = 0; i < v.size(); ++i)
        v[i] *= by + T({n});
}}

void both{n}(std::vector<double> &u, std::vector<float> &v)
{{
    scale{n}(u, 2.0);
    scale{n}(v, 2.0f);
}}

void smooth{n}(int n, const double *a, double *b)
{{
    for (int i = {k}; i < n - {k}; i++)
        b[i] = 0.25 * (a[i - {k}] + 2 * a[i] + a[i + {k}]);
}}
"""

_CUDA = """\
__global__ void add{n}(int n, const float *x, float *y)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += {n}.0f * x[i] + x[i + {k}];
}}

void run{n}(float *x, float *y)
{{
    int n = 1 << 20;
    add{n}<<<(n + 255) / 256, 256>>>(n, x, y);
}}
"""

_KINDS = ((_C, "c"), (_CXX, "cpp"), (_CUDA, "cu"))


def write_sources(folder: Path, count: int, per_folder: int = PER_FOLDER) -> list[Path]:
    """Write that many files below a folder: C, C++ and CUDA in turn."""
    paths = []
    for number in range(count):
        text, suffix = _KINDS[number % len(_KINDS)]
        path = folder / f"part{number // per_folder:04}" / f"unit{number:06}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(n=number, k=number % 7 + 1))
        paths.append(path)
    return paths
