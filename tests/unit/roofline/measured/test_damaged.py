"""Damaged copies of every sample: cut off, changed, mixed with garbage.  An error with its file, or right numbers."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofline.measured.all_importers import kernel_importers, roof_importers
from roofline.measured.errors import MeasurementError
from roofline.measured.recognition import detect
from roofline.measured.results import Sample
from roofline.measured.text import decode
from tests.compared import KERNELS, NAMES, SAMPLES, read, text_of

QUOTED = ("ncu_long.csv", "ncu_raw.csv")
DATA = {name: (SAMPLES / name).read_bytes() for name in NAMES}
DIRT = (b"\0", b"\xff", b"\xc3\xa4", b",", b'"', b"\n", b"{", b"]", b"\t", b";", b"n/a", b"-5", b"1e999")
LONG = (b"9" * 400, b"[" * 3000)
EDIT = st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(DIRT + LONG))


def tried(data: bytes, name: str) -> tuple[Sample, ...]:
    """The samples of damaged data as they are recognised, after a try as every format; () for a clear error."""
    text = usable(decode, data, name)
    if text is None:
        return ()
    for form in (*roof_importers(), *kernel_importers()):
        usable(form.read, text, name)
    return usable(lambda t, path: detect(t, path).read(t, path).samples, text, name) or ()


def usable(read, text, name):
    """What a reader gives, or None where it says in which file something is wrong."""
    try:
        return read(text, name)
    except MeasurementError as error:
        told = (error.path, bool(error.line) or error.message == "is empty")
    assert told == (name, True)
    return None


@settings(max_examples=300, deadline=None)
@given(name=st.sampled_from(NAMES), share=st.floats(0, 1))
def test_cut_off_anywhere(name, share):
    tried(DATA[name][: int(share * len(DATA[name]))], name)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(name=st.sampled_from(NAMES), edits=st.lists(EDIT, min_size=1, max_size=4))
def test_bytes_replaced_anywhere(name, edits):
    data = DATA[name]
    for share, length, dirt in edits:
        at = int(share * len(data))
        data = data[:at] + dirt + data[at + length :]
    tried(data, name)


@settings(max_examples=200, deadline=None)
@given(name=st.sampled_from(NAMES), data=st.data())
def test_lines_and_columns_gone_or_twice(name, data):
    lines = DATA[name].split(b"\n")
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        match data.draw(st.sampled_from(["drop", "twice", "swap", "cell"])):
            case "drop":
                lines[at] = b""
            case "twice":
                lines.insert(at, lines[at])
            case "swap":
                lines[0], lines[at] = lines[at], lines[0]
            case "cell":
                cells = lines[at].split(b",")
                del cells[data.draw(st.integers(0, len(cells) - 1))]
                lines[at] = b",".join(cells)
    tried(b"\n".join(lines), name)


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=300))
def test_garbage(data):
    tried(data, "garbage")


@pytest.mark.parametrize("name", QUOTED)
def test_a_cut_file_never_gives_other_numbers(name):
    """Of a form whose cells are quoted each number is the right one, or not there."""
    (whole,) = read(text_of(name)).samples
    right = {
        ("flops", whole.flops),
        ("seconds", whole.seconds),
        *((level.level, level.total) for level in whole.levels),
    }
    draw = random.Random(5)
    read_some = 0
    for end in draw.sample(range(len(DATA[name])), 150):
        for found in tried(DATA[name][:end], name):
            numbers = {("flops", found.flops), ("seconds", found.seconds)}
            numbers |= {(level.level, level.total) for level in found.levels}
            assert {pair for pair in numbers if pair[1] is not None} <= right
            read_some += 1
    assert name == "ncu_raw.csv" or read_some


@pytest.mark.parametrize("name", KERNELS)
def test_a_missing_column_is_never_a_traceback(name):
    text = text_of(name)
    header = max(text.split("\n"), key=lambda line: line.count(","))
    for word in header.replace('"', "").split(","):
        tried(text.replace(word, "gone").encode() if word.strip() else text.encode(), name)
