"""Files of arrays and matrices: what is read, and what is said of those that cannot be."""

import io
from types import SimpleNamespace

import numpy as np
import pytest

from analyzer.errors import OptionError
from analyzer.given_data.drawn import drawn
from analyzer.given_data.formats import array_of, width_of
from analyzer.given_data.reading import read_given

MATRIX = """%%MatrixMarket matrix coordinate real general
% a comment
3 4 4
1 1 1.0

3 4 2.5e0
1 3 -1
2 2 4
"""


def elements(array):
    return np.frombuffer(array.data, dtype=np.int64).tolist()


def saved(folder, name, array):
    path = folder / name
    np.save(path, array)
    return path


def written(folder, text, name="A.mtx"):
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.uint32, np.int64, np.uint64, bool, ">i4"])
def test_whole_numbers_of_any_size_are_read(tmp_path, kind):
    path = saved(tmp_path, "col.npy", np.array([1, 0, 1], dtype=kind))
    (col,) = read_given([f"col={path}"], []).arrays
    assert (col.name, elements(col), col.source) == ("col", [1, 0, 1], str(path))


def test_rows_are_in_the_order_of_memory(tmp_path):
    path = saved(tmp_path, "list.npy", np.asfortranarray(np.arange(6).reshape(2, 3)))
    (by_columns,) = read_given([f"list={path}"], []).arrays
    assert (elements(by_columns), by_columns.row) == ([0, 3, 1, 4, 2, 5], 0)
    (by_rows,) = read_given([f"list={saved(tmp_path, 'rows.npy', np.arange(6).reshape(2, 3))}"], []).arrays
    assert (elements(by_rows), by_rows.row) == ([0, 1, 2, 3, 4, 5], 3)


def test_of_floating_point_numbers_the_length_is_known(tmp_path):
    (val,) = read_given([f"val={saved(tmp_path, 'val.npy', np.ones(5))}"], []).arrays
    assert (val.count, val.is_integer) == (5, False)


def test_text_has_numbers_with_spaces_and_commas(tmp_path):
    path = written(tmp_path, "# column\n1, 2\n3 4;5\n", "col.csv")
    assert elements(read_given([f"col={path}"], []).arrays[0]) == [1, 2, 3, 4, 5]


def header(shape, kind="<i8"):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"shape": shape, "fortran_order": False, "descr": kind})
    return stream.getvalue()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x93NUMPY\x01\x00", "header"),
        (b"\x93NUMPY\x09\x00" + bytes(20), "header"),
        (header((1 << 60,)) + bytes(8), "has 8 bytes"),
        (header((-1,)), "bytes of elements"),
        (header((2,)) + bytes(24), "has 24 bytes"),
        (header((1,), "|O") + b"cos\nsystem\n", "object"),
        (header((1,), "<c16") + bytes(16), "complex128"),
        (bytes([200, 201, 10]), "not an array"),
        (b"1 2\n3 x4\n", "'x4' is not a whole number"),
        (b"1 99999999999999999999\n", "is not a whole number"),
        (b"1.5\n", "'1.5' is not a whole number"),
        (b"", "no elements"),
        (MATRIX.encode(), "give it with --matrix"),
    ],
)
def test_a_damaged_array_is_refused(tmp_path, data, message):
    path = tmp_path / "col.npy"
    path.write_bytes(data)
    with pytest.raises(OptionError, match=message.replace("(", r"\(")) as found:
        read_given([f"col={path}"], [])
    assert found.value.path in (str(path), None)


def test_pickled_arrays_are_never_loaded(tmp_path):
    np.save(tmp_path / "col.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(OptionError, match="no indices"):
        read_given([f"col={tmp_path / 'col.npy'}"], [])


def test_a_matrix_has_the_arrays_of_each_format(tmp_path):
    """By hand: rows have columns {0, 2}, {1} and {3}."""
    (matrix,) = read_given([], [f"A={written(tmp_path, MATRIX)}"]).matrices
    assert (matrix.rows, matrix.columns, matrix.stored, width_of(matrix)) == (3, 4, 4, 2)
    parts = {
        ("csr", "rowptr"): [0, 2, 3, 4],
        ("csr", "col"): [0, 2, 1, 3],
        ("csc", "colptr"): [0, 1, 2, 3, 4],
        ("csc", "row"): [0, 1, 0, 2],
        ("coo", "row"): [0, 0, 1, 2],
        ("ell", "col"): [0, 1, 3, 2, 1, 3],
        ("ellrow", "col"): [0, 2, 1, 1, 3, 3],
        ("rows", "length"): [2, 1, 1],
        ("rows", "col"): [0, 2, 1, 1, 3, 3],
    }
    for (format_, part), wanted in parts.items():
        assert elements(array_of(matrix, format_, part, "a")) == wanted, (format_, part)
    assert array_of(matrix, "ell", "val", "v").count == 6
    assert array_of(matrix, "rows", "col", "c").row == 2


@pytest.mark.parametrize(("symmetry", "columns"), [("symmetric", [0, 1, 0, 1]), ("skew-symmetric", [0, 1, 0, 1])])
def test_what_symmetry_leaves_out_is_put_in(tmp_path, symmetry, columns):
    text = f"%%MatrixMarket matrix coordinate pattern {symmetry}\n2 2 3\n1 1\n2 1\n2 2\n"
    (matrix,) = read_given([], [str(written(tmp_path, text))]).matrices
    assert elements(matrix.column_of) == columns


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("hello\n", 1, "is not a matrix"),
        ("%%MatrixMarket matrix array real general\n2 2\n", 1, "no pattern"),
        ("%%MatrixMarket matrix coordinate odd general\n", 1, "odd general"),
        ("%%MatrixMarket matrix coordinate real general\n", None, "ends before"),
        ("%%MatrixMarket matrix coordinate real general\n% c\n3 3\n", 3, "is not the size"),
        (MATRIX.replace("3 4 2.5e0", "3 4"), 6, "'3 4' is not an entry"),
        (MATRIX.replace("3 4 2.5e0", "3 5 1"), 6, "is not in a matrix of 3 rows"),
        (MATRIX.replace("3 4 2.5e0", "0 1 1"), 6, "is not in a matrix"),
        (MATRIX.replace("2 2 4\n", ""), 3, "has 3 entries where its size says 4"),
        ("%%MatrixMarket matrix coordinate real general\n9 9 99999999999\n1 1 1\n", 2, "at most"),
        ("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n", 2, "2 rows and 3 columns"),
    ],
)
def test_a_damaged_matrix_is_refused_at_its_line(tmp_path, text, line, message):
    path = written(tmp_path, text)
    with pytest.raises(OptionError, match=message) as found:
        read_given([], [str(path)])
    assert (found.value.path, found.value.line) == (str(path), line)


def test_a_matrix_is_bound_to_arrays_or_its_parts_are_named(tmp_path):
    path = written(tmp_path, MATRIX)
    bound = read_given([], [f"csr:p,c,v={path}"])
    assert [(array.name, array.count) for array in bound.arrays] == [("p", 4), ("c", 4), ("v", 4)]
    named = read_given(["c=A.csr.col"], [f"A={path}"])
    assert ([array.name for array in named.arrays], named.matrices) == (["c"], ())


def test_python_gives_arrays_and_sparse_matrices():
    sparse = SimpleNamespace(indptr=[0, 1, 3], indices=np.array([1, 0, 1]), shape=(2, 2))
    given = read_given([], [], {"idx": [3, 1], "key": "random:sequential,n=4,max=3"}, {"csr:p,c": sparse})
    assert {array.name: elements(array) for array in given.arrays} == {
        "idx": [3, 1],
        "key": [0, 1, 2, 0],
        "p": [0, 1, 3],
        "c": [1, 0, 1],
    }
    with pytest.raises(OptionError, match="damaged"):
        read_given([], [], {}, {"csr:p,c": SimpleNamespace(indptr=[0, 1, 4], indices=[1, 0, 1], shape=(2, 2))})


@pytest.mark.parametrize(
    ("arrays", "matrices", "message"),
    [
        (["col"], [], "no array"),
        (["col="], [], "no array"),
        (["col=/nowhere/x.npy"], [], "cannot be read"),
        (["c=A.csr.rows"], ["A={path}"], "has no array 'rows'"),
        (["c=random:gauss,n=3"], [], "'gauss'"),
        (["c=random:uniform"], [], "how many"),
        (["c=random:uniform,n=0"], [], "n is 1 to"),
        (["c=random:uniform,n=1e99"], [], "not a setting"),
        (["c=random:uniform,n=3,mean=2"], [], "not a setting"),
        (["c=random:uniform,n=3", "c=random:uniform,n=3"], [], "given twice"),
        ([], ["csr:a,b,c,d={path}"], "has the arrays"),
        ([], ["csr:="], "has the arrays|no file"),
    ],
)
def test_a_wrong_option_is_refused(tmp_path, arrays, matrices, message):
    path = written(tmp_path, MATRIX)
    with pytest.raises(OptionError, match=message):
        read_given(arrays, [text.format(path=path) for text in matrices])


@pytest.mark.parametrize("kind", ["uniform", "clustered", "sequential", "permutation"])
def test_drawn_arrays_are_the_same_each_time_and_within_their_limits(kind):
    text = f"random:{kind},n=1000,max=50,seed=3"
    numbers = drawn(text, "--array c")
    assert len(numbers) == 1000
    assert numbers.min() >= 0
    assert numbers.max() < (1000 if kind == "permutation" else 50)
    assert (numbers == drawn(text, "--array c")).all()


def test_elements_of_a_cluster_are_near_each_other():
    numbers = drawn("random:clustered,n=1600,max=1e6,run=16,width=8", "--array c").reshape(100, 16)
    assert (np.ptp(numbers, axis=1) < 8).all()
    assert np.ptp(numbers) > 1e5
