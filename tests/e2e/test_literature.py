"""Kernels whose work and bytes are in the literature, counted by hand for small sources of our own.

``tests/bench/README.md`` has the same for the codes that the kernels are known from.  Bytes are compulsory: each
element once.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from roofline import estimate
from roofline.report.regions import RegionReport

_FOLDER = Path(__file__).parents[1] / "data" / "literature"
_N, _M = 1000, 700


@cache
def regions(file: str, sizes: tuple[tuple[str, int], ...], convention: str = "compulsory") -> dict[str, RegionReport]:
    report = estimate(_FOLDER / file, "haswell", sizes=dict(sizes), convention=convention)
    return {region.profile.name.rpartition("::")[2]: region for region in report.regions}


@pytest.mark.parametrize(
    ("kernel", "flops", "arrays"), [("copy", 0, 2), ("mul", 1, 2), ("add", 1, 3), ("triad", 2, 3), ("dot", 2, 2)]
)
def test_five_kernels_on_vectors(kernel: str, flops: int, arrays: int) -> None:
    """McCalpin's bytes: 8 B for each array, and the members of the object that hold the size and the pointers."""
    region = regions("stream.cpp", (("this->n", _N),))[kernel]
    assert region.flops.value == flops * _N
    assert region.bytes.value == 8 * arrays * _N + 8 * (arrays + 1)


def test_a_volume_change_is_41_flops_and_104_bytes_a_cell() -> None:
    """Four fluxes of 7, their sum 3, volume 2, its inverse 1, energy 6, density 1; 9 arrays are read, 2 written.

    The 2 that are written are read first where stores allocate: 9 + 2 + 2 arrays of 8 B, and borders of the velocities
    (2 arrays of nx + ny + 1) and areas (nx, and ny).
    """
    sizes = (("nx", _N), ("ny", _M))
    region = regions("hydro.c", sizes, "write-allocate")["volume_change"]
    border = 8 * (2 * (_N + _M + 1) + _N + _M)
    assert region.flops.value == 41 * _N * _M
    assert region.bytes.value == 104 * _N * _M + border


def test_a_sparse_product_is_2_flops_and_12_bytes_a_nonzero() -> None:
    """A value of 8 B and a column of 4; a row has 2 pointers, its length and its result: 28 B; and the vector."""
    sizes = (("m.rows", _N), ("trip_L13", 27))
    region = regions("sparse.cpp", sizes)["product"]
    nonzeros = 27 * _N
    assert region.flops.value == 2 * nonzeros
    assert region.bytes.lower <= 12 * nonzeros + 28 * _N + 8 * _N <= region.bytes.upper


def test_a_sweep_is_2_flops_a_nonzero_and_3_a_row() -> None:
    """Of a row the diagonal comes back (2 FLOPs) and divides (1); 3 pointers, its length, r, the diagonal, x twice."""
    sizes = (("m.rows", _N), ("trip_L20", 27), ("trip_L26", 27))
    region = regions("sparse.cpp", sizes)["sweeps"]
    for nest in region.nests:
        assert nest.flops.value == (2 * 27 + 3) * _N
        assert nest.bytes.lower <= (12 * 27 + 28 + 8 + 8 + 2 * 8) * _N <= nest.bytes.upper


def test_butterflies() -> None:
    """A product of complex numbers is 6 FLOPs, a sum 2: radix 2 has 1 and 2 of them, radix 4 has 3 and 8."""
    found = regions("butterflies.c", (("m", _N), ("stride", 3), ("inverse", 0)))
    assert found["radix2"].flops.value == (6 + 2 * 2) * _N
    assert found["radix4"].flops.value == (3 * 6 + 8 * 2) * _N
    assert found["radix2"].bytes.value == (2 * 8 + 2 * 8 + 8) * _N


def test_butterflies_of_odd_radix() -> None:
    """Radix 3: products 2, sums 5, by a number 2 (2 FLOPs each).

    Radix 5: products 4, sums 10, and four rows of a matrix, 2 of 4 FLOPs and 2 of 3 for each part.
    """
    found = regions("butterflies.c", (("m", _N), ("stride", 3), ("inverse", 0)))
    assert found["radix3"].flops.value == (2 * 6 + 6 * 2 + 2 * 2) * _N
    assert found["radix5"].flops.value == (4 * 6 + 10 * 2 + 2 * 2 * (4 + 3)) * _N


def test_a_layer_of_a_matrix() -> None:
    sizes = (("B", 4), ("T", 64), ("C", 48), ("OC", 96))
    region = regions("layers.c", (*sizes, ("H", 3), ("S", 16)))["matmul"]
    assert region.flops.value == 2 * 4 * 64 * 48 * 96
    assert region.bytes.value == 4 * (4 * 64 * 48 + 48 * 96 + 96 + 4 * 64 * 96)


def test_attention() -> None:
    """Of T*(T + 1)/2 pairs each has two products of S terms, and scale, difference, exp, sum and quotient: 4*S + 5.

    The inverse of a sum is 1 FLOP or none, the scale is 2.  q, k and v are read, all of ``att`` is written, the lower
    triangle of ``pre``.
    """
    b, t, h, s = 4, 64, 3, 16
    region = regions("layers.c", (("B", b), ("T", t), ("C", 48), ("OC", 96), ("H", h), ("S", s)))["attention"]
    pairs, rows = b * h * t * (t + 1) // 2, b * h * t
    assert (region.flops.lower, region.flops.upper) == (pairs * (4 * s + 5) + 2, pairs * (4 * s + 5) + rows + 2)
    assert region.bytes.value == 4 * (3 * rows * s + rows * s + rows * t + pairs)


def test_a_lookup_is_28_flops_a_nuclide() -> None:
    """The factor is 3 FLOPs, five values 3 each, and their weighted sums 2 each."""
    assert regions("lookup.c", (("nuclides", _N), ("points", 11303)))["macro"].flops.value == (3 + 5 * 3 + 5 * 2) * _N


def test_energies_between_atoms() -> None:
    """21 FLOPs for each pose, and 2 for each of two arms that are not taken inside the radii; 4 for each protein."""
    flops = regions("docking.c", (("proteins", _M), ("poses", 8)))["energies"].flops
    assert (flops.lower, flops.upper) == ((21 * 8 + 4) * _M, (25 * 8 + 4) * _M)
