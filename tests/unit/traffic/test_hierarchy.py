"""Descriptions of caches on the command line."""

import pytest

from analyzer.errors import OptionError
from analyzer.traffic.hierarchy import CacheLevel, Hierarchy, parse_hierarchy

KIB, MIB = 1 << 10, 1 << 20


def test_a_description_names_sizes_and_ways():
    assert parse_hierarchy("L1:32KiB, L2:1MiB/16,L3:27.5MiB/11") == Hierarchy(
        (CacheLevel("L1", 32 * KIB), CacheLevel("L2", MIB, 16), CacheLevel("L3", 27 * MIB + 512 * KIB, 11))
    )


def test_sets_and_serving_levels():
    found = parse_hierarchy("L1:32KiB/8,L2:1MiB/16")
    assert [level.sets for level in found.levels] == [64, 1024]
    assert found.serving == ("L2", "DRAM")
    assert CacheLevel("L1", 32 * KIB, effective=0.5).lines == 256


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "cannot read"),
        ("L1", "cannot read"),
        ("L1:32XB", "cannot read"),
        ("L1:32KiB/0x", "cannot read"),
        ("L1:32KiB,L1:64KiB", "given twice"),
        ("L1:32KiB,L2:16KiB", "not larger"),
        ("L1:64B/8", "one set"),
    ],
)
def test_nonsense_is_refused(text, words):
    with pytest.raises(OptionError, match=words):
        parse_hierarchy(text)
