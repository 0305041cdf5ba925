"""Indices that entries of a table hand out: as many streams as there are entries, each in order."""

import pytest

from roofline import estimate, source_text

COUNT = 1 << 24
HEAD = f"static int key[{COUNT}], out[{COUNT}]; void f(void) {{ static int start[256];"
LOOP = f"for (int i = 0; i < {COUNT}; i++)"


def _lines(text, level):
    (region,) = estimate(source_text(text, "c"), "haswell", cores=1).regions
    moved = next(each.bytes for each in region.projections[0].levels if each.level == level)
    return float(moved.estimate.evaluate({})) / 64


@pytest.mark.parametrize(
    "body",
    [
        f"{LOOP} out[start[key[i] & 255]++] = key[i];",
        f"for (int i = {COUNT - 1}; i >= 0; i--) {{ int p = --start[key[i] & 255]; out[p] = key[i]; }}",
        f"{LOOP} {{ int k = key[i] & 255; int at = start[k]; out[at] = key[i]; start[k] = at + 1; }}",
        f"{LOOP} {{ int k = key[i] & 255; out[start[k]] = key[i]; start[k] += 1; }}",
    ],
)
def test_each_element_is_stored_once(body):
    """A key is read, a line of out comes in and goes back: 12 bytes for each; 132 with a line for each store."""
    assert _lines(f"{HEAD} {body} }}", "DRAM") == pytest.approx(COUNT * 12 / 64, rel=0.001)


@pytest.mark.parametrize(
    "body",
    [
        f"{LOOP} {{ int k = key[i] & 255; out[start[k]] = key[i]; start[k] += key[i]; }}",  # by any step
        f"{LOOP} {{ int k = key[i] & 255; out[start[k ^ 1]] = key[i]; start[k] += 1; }}",  # of another entry
        f"{LOOP} {{ int k = key[i] & 255; out[start[k]] = key[i]; start[k] += 1; start[k ^ 1] = 0; }}",  # set anew
    ],
)
def test_other_indices_may_be_anywhere(body):
    assert _lines(f"{HEAD} {body} }}", "DRAM") > COUNT


@pytest.mark.parametrize(("level", "traced"), [("L2", 2_617_100), ("L3", 610_952)])
def test_lines_that_leave_before_they_are_full(level, traced):
    """A run through caches of 512 and 4,096 lines, least recently used, with equally likely keys moved so many."""
    text = """static int key[1048576], out[1048576], start[4096];
        void f(void) { for (int i = 0; i < 1048576; i++) out[start[key[i] & 4095]++] = key[i]; }"""
    assert _lines(text, level) == pytest.approx(traced, rel=0.12)
