"""Arrays and matrices given to the command and to ``estimate``: exact work, simulated bytes, and errors."""

import json
from fractions import Fraction

import numpy as np
import pytest

from roofline import estimate, source_text
from tests.bench.given_data import (
    COORDINATES,
    HISTOGRAM,
    KERNELS_PUT_ASIDE,
    KERNELS_WORKED_WITH,
    SPMV,
    compressed,
    outcomes,
)
from tests.bench.sparse_matrices import PUT_ASIDE, WORKED_WITH

ROWS = 300


@pytest.fixture
def matrix(tmp_path):
    row, column = WORKED_WITH["five-point"](ROWS)
    size = int(row.max()) + 1
    lines = [f"{r + 1} {c + 1}" for r, c in zip(row, column, strict=True)]
    path = tmp_path / "A.mtx"
    text = f"%%MatrixMarket matrix coordinate pattern general\n{size} {size} {len(row)}\n"
    path.write_text(text + "\n".join(lines) + "\n")
    return path


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "spmv.c"
    path.write_text(SPMV)
    return path


@pytest.mark.parametrize("kernel", [*KERNELS_WORKED_WITH, *KERNELS_PUT_ASIDE], ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("matrix", ["random", "power-law"])
def test_work_is_exact_and_bytes_are_those_of_a_walk_through_the_kernel(kernel, matrix):
    flops, counted, found = outcomes(kernel, {**WORKED_WITH, **PUT_ASIDE}[matrix](ROWS))
    assert flops == counted
    for outcome in found:
        assert outcome.error < 3, outcome


def test_a_matrix_is_found_by_its_use(run, source, matrix):
    outcome = run(source, "--matrix", matrix, "--machine", "haswell", "--format", "json")
    report = json.loads(outcome.stdout)
    (region,) = report["files"][0]["regions"]
    pattern = WORKED_WITH["five-point"](ROWS)
    assert region["work"]["flops"]["value"] == 2 * len(pattern[0])
    assert region["parameters"]["n"] == compressed(pattern)[0]
    assert not any(found["code"] == "AI203" for found in report["files"][0]["diagnostics"])
    shown = [text for text in region["assumptions"] if "AI320" in str(text)]
    assert "rowptr" in str(shown)
    assert "A.csr.col" in str(shown)


def test_rows_behind_pointers_are_found_by_their_lengths(tmp_path, matrix):
    """As HPCG holds its matrix: every row a block of its own, and how many of its elements are stored."""
    text = """void f(int n, const char *many, double **v, int **c, const double *x, double *y) {
      for (int i = 0; i < n; i++) {
        const double *row = v[i];
        const int *own = c[i];
        for (int k = 0; k < many[i]; k++) y[i] += row[k] * x[own[k]];
      }
    }"""
    report = estimate(source_text(text), hierarchy="L1:8KiB/8,L2:512KiB/8", matrices=[str(matrix)])
    (region,) = report.regions
    rows, _, column = compressed(WORKED_WITH["five-point"](ROWS))
    assert region.flops.value == 2 * len(column)
    (model,) = region.traffic.models
    assert model.model == "simulate"
    filled = model.levels[-1].read_bytes.estimate.evaluate(region.profile.values)
    pointers, vectors = 2 * 8 * rows, rows + 8 * rows
    assert pointers + vectors + 12 * len(column) <= filled <= pointers + vectors + 2 * 64 * rows + 2 * 4096


def test_all_ways_to_give_a_matrix_agree(run, tmp_path, source, matrix):
    rows, pointer, column = compressed(WORKED_WITH["five-point"](ROWS))
    for name, array in (("rowptr", pointer), ("col", column)):
        np.save(tmp_path / f"{name}.npy", array.astype(np.int32))
    ways = (
        ("--matrix", matrix),
        ("--matrix", f"csr:rowptr,col,val={matrix}"),
        ("--matrix", f"A={matrix}", "--array", "rowptr=A.csr.rowptr", "--array", "col=A.csr.col"),
        ("--array", f"rowptr={tmp_path}/rowptr.npy", "--array", f"col={tmp_path}/col.npy"),
    )
    found = []
    for way in ways:
        report = json.loads(run(source, *way, "--machine", "haswell", "--format", "json").stdout)
        region = report["files"][0]["regions"][0]
        found.append((region["work"]["flops"]["value"], region["traffic"]))
    assert all(each == found[0] for each in found)
    report = estimate(str(source), "haswell", arrays={"rowptr": pointer, "col": column})
    assert report.regions[0].flops.value == found[0][0]
    assert rows == report.regions[0].profile.values["n"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--array", "kol=random:uniform,n=10,max=3"), "did you mean col?"),
        (("--array", "rowptr=random:sequential,n=10", "-D", "n=10"), "element 10 is read"),
        (("--array", "col=/nowhere/col.npy"), "cannot be read"),
        (("--matrix", "spmv.c"), "cannot be read"),
    ],
)
def test_what_does_not_fit_is_an_error(run, source, options, message):
    outcome = run(source, *options)
    assert outcome.code == 2
    assert message in outcome.stderr


def test_a_matrix_that_no_loop_walks_through_is_an_error(run, tmp_path, matrix):
    path = tmp_path / "copy.c"
    path.write_text("void copy(int n, double *a, double *b) { for (int i = 0; i < n; i++) a[i] = b[i]; }")
    outcome = run(path, "--matrix", matrix)
    assert outcome.code == 2
    assert "no loop is found that walks through a sparse matrix" in outcome.stderr


def test_results_are_kept_by_the_contents_of_the_array(run, tmp_path, monkeypatch):
    monkeypatch.setenv("AI_ESTIMATE_CACHE_DIR", str(tmp_path / "kept"))
    path = tmp_path / "h.c"
    path.write_text(HISTOGRAM)
    found = []
    for most in (1, 1000, 1):
        np.save(tmp_path / "key.npy", np.random.default_rng(1).integers(0, most * 16, 5000))
        report = json.loads(
            run(path, "--array", f"key={tmp_path}/key.npy", "--machine", "haswell", "--format", "json").stdout
        )
        found.append(json.dumps(report["files"][0]["regions"][0]["traffic"], sort_keys=True))
    assert found[0] == found[2] != found[1]


def test_without_data_the_interval_stays_and_drawn_data_are_within_it():
    sizes = {"nnz": 5000}
    text = source_text(COORDINATES)
    options = {"hierarchy": "L1:32KiB/8,L2:256KiB/8"}
    arrays = dict.fromkeys(("row", "col"), "random:uniform,n=5000,max=2000")
    drawn = estimate(text, sizes=sizes, arrays=arrays, **options).regions[0]
    unknown = estimate(text, sizes=sizes, **options).regions[0]
    for known, open_ in zip(drawn.traffic.models[0].levels[1:], unknown.traffic.models[0].levels[1:], strict=True):
        read = known.read_bytes.estimate.evaluate(drawn.profile.values)
        least, most = (end.evaluate(unknown.profile.values) for end in (open_.read_bytes.lower, open_.read_bytes.upper))
        assert least <= read <= most
        assert least < most


def test_a_check_takes_arrays_from_its_configuration(run, tmp_path, source, matrix):
    settings = f'machine = "haswell"\nmatrices = ["{matrix.name}"]\nselect = ["AI1"]\n'
    (tmp_path / "ai-estimate.toml").write_text(f'{settings}[[budget]]\nfunction = "spmv"\nmin-ai = 1\n')
    outcome = run("check", source)
    assert outcome.code == 1
    assert "0.1" in outcome.stdout


_LENGTHS = np.array([3, 0, 2, 5, 1, 4, 0, 2])
_POINTER = np.concatenate([[0], np.cumsum(_LENGTHS)])
_COLUMN = np.array([1, 2, 7, 0, 3, 3, 4, 5, 6, 0, 2, 1, 3, 5, 7, 6, 4])
_KIND = np.array([0, 2, 1, 1, 0, 2, 2, 1])
_OF_KINDS = "void f(int n, const int *kind, double *x) { for (int i = 0; i < n; i++) "
_CONDITIONS = {
    "one": (_OF_KINDS + "if (kind[i]) x[i] += 1.0; }", (_KIND != 0).sum()),
    "arms": (
        _OF_KINDS + "{ if (kind[i] == 0) x[i] += 1.0; else if (kind[i] == 1) x[i] = 2.0*x[i] + 1.0; } }",
        (_KIND == 0).sum() + 2 * (_KIND == 1).sum(),
    ),
    "switch": (
        _OF_KINDS + "switch (kind[i]) { case 0: x[i] += 1.0; break; case 2: x[i] *= x[i] + 1.0; break; default: ; } }",
        (_KIND == 0).sum() + 2 * (_KIND == 2).sum(),
    ),
    "continue": (_OF_KINDS + "{ if (!kind[i]) continue; x[i] += 1.0; } }", (_KIND != 0).sum()),
    "both": (_OF_KINDS + "{ int k = kind[i]; if (k > 0 && i % 2 == 1) x[i] += 1.0; } }", (_KIND[1::2] > 0).sum()),
    "pairs": (
        _OF_KINDS + "for (int k = 0; k < i; k++) if (kind[i] > kind[k] || kind[k] == 1) x[i] += x[k]; }",
        sum(_KIND[i] > _KIND[k] or _KIND[k] == 1 for i in range(8) for k in range(i)),
    ),
    "frontier": (
        "void f(int n, const int *ptr, const int *col, const int *kind, double *x) { for (int u = 0; u < n; u++)"
        " if (kind[u] == 1) for (int e = ptr[u]; e < ptr[u + 1]; e++) if (kind[col[e]] != 1) x[col[e]] += 1.0; }",
        sum(int((_KIND[_COLUMN[_POINTER[u] : _POINTER[u + 1]]] != 1).sum()) for u in range(8) if _KIND[u] == 1),
    ),
}


@pytest.mark.parametrize("name", _CONDITIONS)
def test_conditions_on_given_arrays_are_decided(name):
    source, expected = _CONDITIONS[name]
    arrays = {"kind": _KIND} | ({"ptr": _POINTER, "col": _COLUMN} if name == "frontier" else {})
    report = estimate(source_text(source, "f.c"), sizes={"n": 8}, arrays=arrays)
    (region,) = report.regions
    assert region.flops.quantity.is_exact
    assert region.flops.value == expected


def test_a_condition_on_a_given_array_is_no_loop_of_its_own():
    """Six of eight are not 0: an iteration is one load of kind, and for 3/4 a load, an addition and a store of x."""
    source = _OF_KINDS + "if (kind[i]) x[i] += 1.0; }"
    (region,) = estimate(source_text(source, "f.c"), sizes={"n": 8}, arrays={"kind": _KIND}).regions
    profile = region.nests[0].profile if region.nests else region.profile
    assert [loop.iterator for loop in profile.loops] == ["i"]
    assert (profile.per_iteration.flops, profile.per_iteration.load_bytes) == (Fraction(3, 4), 4 + Fraction(3, 4) * 8)
    (found,) = profile.access_patterns.references[1:2]
    assert [loop.iterator for loop in found.loops] == ["i"]


def test_a_loop_that_given_elements_end_is_at_most_whole():
    source = _OF_KINDS + "{ if (kind[i] == 2) break; x[i] += 1.0; } }"
    (region,) = estimate(source_text(source, "f.c"), sizes={"n": 8}, arrays={"kind": _KIND}).regions
    assert not region.flops.quantity.is_exact
    assert region.flops.quantity.most.evaluate({"n": 8}) == 8


def test_lanes_that_a_given_array_excludes_make_no_request():
    mask = (np.arange(1000) * 7919 % 11 < 3).astype(int)
    source = """__global__ void f(int n, const int *mask, const double *x, double *y) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) if (mask[i]) y[i] += 2.0 * x[i];
    }"""
    sizes = {"n": 1000}
    (region,) = estimate(
        source_text(source, "f.cu"), "a100", sizes=sizes, arrays={"mask": mask}, launches=("f:grid=8,block=128",)
    ).regions
    assert region.flops.value == 2 * mask.sum()
    sectors = sum(bool(mask[first : first + 4].any()) for first in range(0, 1000, 4))
    (model,) = region.traffic.models
    read = model.levels[0].read_bytes.estimate.evaluate(region.profile.values)
    assert read == 32 * (2 * sectors + 1000 * 4 // 32)
