"""Every rule of the machine file rejects a wrong value, at the line where it stands."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzer.data_files.toml_lines import KeyPath, key_lines, line_of
from analyzer.errors import MachineError
from roofline.catalog import CatalogEntry, load_catalog
from roofline.machine.figures import Figure, FigureKind
from roofline.machine.machine import Machine
from roofline.machine.schema import UNSTATED, load_machine, parse_machine

GOOD = """\
id = "toy"
name = "Toy"
vendor = "Acme"
kind = "cpu"
notes = ["none"]

[sources.sheet]
title = "Data sheet"

[clock]
base_ghz = { value = 1.5, kind = "theoretical", source = "sheet" }
nominal_ghz = { value = 2.0, kind = "theoretical", source = "sheet" }

[units]
name = "core"
count = 4
flops_per_cycle = { fp64 = 16, fp32 = 32 }
source = "sheet"

[core]
isa = "AVX2"
simd_bits = 256
fma_units = 2
loads_per_cycle = 2
source = "sheet"

[peaks.fp64]
fma_gflops = [
  { value = 128, kind = "theoretical", source = "sheet" },
  { value = 120, kind = "measured", source = "sheet" },
]
no_fma_gflops = 64
add_only_gflops = 32

[peaks.fp32]
fma_gflops = 256
no_fma_gflops = 128

[peaks.int8]
matrix_gops = 1000

[[levels]]
name = "L1"
capacity_kib = 32
line_bytes = 64
ways = 8
shared_by = 1
duplex = "half"
bandwidth_gbs = 512

[[levels]]
name = "L2"
capacity_mib = 8
line_bytes = 64
ways = 16
shared_by = 4
bandwidth_gbs = [
  { value = 256, kind = "theoretical", source = "sheet" },
  { value = 200, kind = "measured", source = "sheet", pattern = "load", units = 4 },
]

[memory]
technology = "DDR4"
capacity_gib = 16
bandwidth_gbs = [
  { value = 50, kind = "theoretical", source = "sheet" },
  { value = 40, kind = "measured", source = "sheet", pattern = "triad", counts_write_allocate = true },
]

[[other_memories]]
name = "HBM"
technology = "HBM2"
bandwidth_gbs = 100

[write_allocate]
policy = "partial"
text = "Sometimes."
store_factor_min = 1.2
source = "sheet"
"""

GPU = (
    GOOD.replace('kind = "cpu"', 'kind = "gpu"').replace(GOOD[GOOD.index("[core]") : GOOD.index("[peaks.fp64]")], "")
    + """
[gpu]
warp_size = 32
sector_bytes = 32
line_bytes = 128
schedulers_per_unit = 4
"""
)


def good_with(text: str) -> str:
    """Return the good file that has a text: that of a CPU, else that of a GPU."""
    return GOOD if text in GOOD else GPU


def reject(old: str, new: str) -> MachineError:
    """Put one wrong thing in place of a right one and return the error, whose line must be that of the change."""
    assert good_with(old).count(old) == 1, old
    text = good_with(old).replace(old, new)
    with pytest.raises(MachineError) as caught:
        parse_machine(text, "toy.toml")
    start = text.index(new)
    first = text.count("\n", 0, start) + 1
    last = first + new.rstrip("\n").count("\n")
    assert caught.value.path == "toy.toml"
    assert caught.value.line is not None
    assert first <= caught.value.line <= last, f"{caught.value} not in lines {first} to {last}"
    return caught.value


def test_a_good_file_is_read() -> None:
    machine = parse_machine(GOOD, "toy.toml")
    assert isinstance(machine, Machine)
    assert machine.level_names == ("L1", "L2", "DRAM")
    assert machine.levels[0].instances == 4
    assert machine.memory.capacity_bytes == 16 * 1024**3
    assert machine.clock_hz == 2.0e9
    assert machine.write_allocate.store_factor_max == 2


def test_a_bare_number_is_theoretical_without_source() -> None:
    figure = parse_machine(GOOD).levels[0].bandwidths[0]
    assert (figure.value, figure.kind, figure.source) == (512e9, FigureKind.THEORETICAL, UNSTATED)


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("capacity_kib = 32", "size_gb = 1", "`capacity_kib`"),
        ("capacity_mib = 8", "capacity_gb = 1", "`capacity_mib`"),
        ("capacity_gib = 16", "size_gb = 16", "`capacity_gib`"),
        ("bandwidth_gbs = 512", "bandwidth_gb_s = 512", "`bandwidth_gbs` (1e9 byte/s)"),
        ("bandwidth_gbs = 512", "bandwidth_tbs = 0.5", "`bandwidth_gbs`"),
        ("bandwidth_gbs = 512", "bw = 512", "`bandwidth_gbs`"),
        ("base_ghz = {", "base_mhz = {", "`base_ghz`"),
        ("no_fma_gflops = 128", "no_fma_tflops = 0.1", "`no_fma_gflops`"),
        ("matrix_gops = 1000", "matrix_gflops = 1000", "`matrix_gops`"),
        ("add_only_gflops = 32", "add_onyl_gflops = 32", "did you mean `add_only_gflops`"),
        ("ways = 8", "wayz = 8", "did you mean `ways`"),
        ("[peaks.int8]\nmatrix_gops", "[peaks.fp65]\nmatrix_gops", "fp64"),
        ('notes = ["none"]', 'noets = ["none"]', "did you mean `notes`"),
        ("sector_bytes = 32", "sector_kib = 32", "`sector_bytes`"),
        ('isa = "AVX2"', 'frobnicate = "AVX2"\nisa = "AVX2"', "possible:"),
        ("pattern = ", "patern = ", "did you mean `pattern`"),
    ],
)
def test_unknown_keys_name_the_right_one(old: str, new: str, hint: str) -> None:
    text = good_with(old).replace(old, new, 1)
    with pytest.raises(MachineError) as caught:
        parse_machine(text, "toy.toml")
    assert hint in (caught.value.hint or "")
    assert caught.value.line is not None
    key = new.split("=")[0].split("\n")[0].strip(" [{")
    assert key.split(".")[0] in text.splitlines()[caught.value.line - 1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('id = "toy"', "id = 7"),
        ('vendor = "Acme"', 'vendor = ""'),
        ('kind = "cpu"', 'kind = "dsp"'),
        ('notes = ["none"]', "notes = [1]"),
        ("count = 4", "count = 4.5"),
        ("count = 4", "count = 0"),
        ("count = 4", "count = true"),
        ("bandwidth_gbs = 512", "bandwidth_gbs = nan"),
        ("bandwidth_gbs = 512", "bandwidth_gbs = inf"),
        ("bandwidth_gbs = 512", "bandwidth_gbs = -512"),
        ("bandwidth_gbs = 512", 'bandwidth_gbs = "TODO"'),
        ("bandwidth_gbs = 512", "bandwidth_gbs = [512]"),
        ("ways = 8", 'ways = "INFORMATION_REQUIRED"'),
        ("  { value = 256, kind", "  { value = nan, kind"),
        ('value = 120, kind = "measured"', 'value = 120, kind = "guessed"'),
        ('value = 120, kind = "measured", source = "sheet"', 'value = 120, kind = "measured", source = "paper"'),
        ('{ value = 120, kind = "measured", source', '{ kind = "measured", source'),
        ('{ value = 50, kind = "theoretical", ', "{ value = 50, "),
        ("counts_write_allocate = true", "counts_write_allocate = 1"),
        ("[memory]\n", "[storage]\n[memory]\n"),
        ('policy = "partial"', 'policy = "sometimes"'),
        ('duplex = "half"', 'duplex = "quarter"'),
        ("capacity_kib = 32", "capacity_kib = 32\ncapacity_mib = 1"),
        ("[peaks.int8]\nmatrix_gops = 1000", "[peaks]\nint8 = 5"),
        ("[gpu]\n", "[[gpu]]\n"),
        ("[[other_memories]]", "[other_memories]"),
    ],
)
def test_wrong_shapes(old: str, new: str) -> None:
    reject(old, new)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("loads_per_cycle = 2\n", "loads_per_cycle = 1e13\n", "`loads_per_cycle` must be between 1e-06 and 1e+12"),
        ("loads_per_cycle = 2\n", "loads_per_cycle = 1e-320\n", "`loads_per_cycle` must be between 1e-06 and 1e+12"),
        ("count = 4\n", "count = 1e10\n", "`count` must be a whole number of at most 1000000000"),
    ],
)
def test_every_number_has_a_range(old: str, new: str, told: str) -> None:
    assert told in str(reject(old, new))


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("bandwidth_gbs = 512", 'bandwidth_gbs = "512"', "write it without quotation marks"),
        ("bandwidth_gbs = 512", 'bandwidth_gbs = "fast"', "leave the key out while it is not known"),
        ('policy = "partial"\n', "", "add the key `policy`: allocate, partial, none"),
        (GOOD[GOOD.index("[write_allocate]") :], "", "add the table [write_allocate]"),
        ("base_ghz = { value = 1.5", "base_ghz = { value = 1500", "is it in MHz? 1500 MHz is 1.5"),
        ("shared_by = 4", "shared_by = 8", "not hardware threads"),
    ],
)
def test_hints_say_what_to_write(old: str, new: str, hint: str) -> None:
    with pytest.raises(MachineError) as caught:
        parse_machine(GOOD.replace(old, new, 1))
    assert hint in str(caught.value)


def test_what_stores_do_has_a_sentence_without_one() -> None:
    assert parse_machine(GOOD.replace('text = "Sometimes."\n', "")).write_allocate.text.startswith("Ordinary stores")


@pytest.mark.parametrize("key", ["id", "vendor", "kind"])
def test_missing_identity(key: str) -> None:
    lines = [line for line in GOOD.splitlines() if not line.startswith(f"{key} =")]
    with pytest.raises(MachineError, match=f"lacks `{key}`"):
        parse_machine("\n".join(lines))


@pytest.mark.parametrize(
    ("old", "new", "line_text"),
    [
        ("capacity_kib = 32\n", "", "[[levels]]"),
        ('policy = "partial"\n', "", "[write_allocate]"),
        ("[write_allocate]", "[write_allocates]", "[write_allocates]"),
        ('technology = "DDR4"\n', "", "[memory]"),
    ],
)
def test_missing_keys_point_at_the_table(old: str, new: str, line_text: str) -> None:
    text = GOOD.replace(old, new)
    with pytest.raises(MachineError) as caught:
        parse_machine(text)
    assert caught.value.line is not None
    assert text.splitlines()[caught.value.line - 1] == line_text


@pytest.mark.parametrize(
    ("rule", "old", "new"),
    [
        ("clocks grow", "base_ghz = { value = 1.5", "base_ghz = { value = 2.5"),
        ("no clock above 10 GHz", "base_ghz = { value = 1.5", "base_ghz = { value = 1500"),
        ("no more share than there are", "shared_by = 4", "shared_by = 8"),
        ("names differ", 'name = "L2"', 'name = "L1"'),
        ("names differ from memory", 'name = "L2"', 'name = "DRAM"'),
        ("instances cover the units", "shared_by = 4", "shared_by = 4\ninstances = 2"),
        ("whole sets", "ways = 16", "ways = 7"),
        ("capacities grow", "capacity_kib = 32", "capacity_kib = 32768"),
        ("bandwidths shrink", "bandwidth_gbs = 512", "bandwidth_gbs = 100"),
        ("measured bandwidths shrink", "{ value = 200, kind", "{ value = 30, kind"),
        ("no-FMA <= FMA", "no_fma_gflops = 64", "no_fma_gflops = 129"),
        ("additions <= no-FMA", "add_only_gflops = 32", "add_only_gflops = 65"),
        ("fp32 >= fp64", "no_fma_gflops = 128", "no_fma_gflops = 60"),
        ("measured <= theoretical peak", "{ value = 120, kind", "{ value = 129, kind"),
        ("measured <= theoretical bandwidth", "{ value = 200, kind", "{ value = 257, kind"),
        ("measured <= theoretical memory", "{ value = 40, kind", "{ value = 51, kind"),
        ("path width", "shared_by = 4", "shared_by = 4\nbytes_per_cycle = 20"),
        ("totals agree", "{ value = 128, kind", "{ value = 140, kind"),
        ("core and units agree", "simd_bits = 256", "simd_bits = 512"),
        ("figures cover the machine at most", "units = 4 }", "units = 5 }"),
        ("a CPU has no [gpu]", "[write_allocate]", GPU[GPU.index("[gpu]") :] + "[write_allocate]"),
        ("a GPU has no [core]", "[gpu]", GOOD[GOOD.index("[core]") : GOOD.index("[peaks.fp64]")] + "[gpu]"),
        ("lanes fill registers", "simd_bits = 256", "simd_bits = 257"),
        ("sectors divide lines", "sector_bytes = 32", "sector_bytes = 48"),
        ("store factors", "store_factor_min = 1.2", "store_factor_min = 2.5"),
        ("store factors", "store_factor_min = 1.2", "store_factor_min = 0.5"),
    ],
)
def test_physics(rule: str, old: str, new: str) -> None:
    text = good_with(old).replace(old, new)
    assert text != good_with(old)
    with pytest.raises(MachineError) as caught:
        parse_machine(text, "toy.toml")
    assert caught.value.line is not None
    blamed = text.splitlines()[caught.value.line - 1]
    assert EXPECTED.get(rule, new) in blamed, (str(caught.value), blamed)


# Where two figures contradict each other, the line blamed is that of the outer or the larger one.
EXPECTED = {
    "instances cover the units": "shared_by = 4",
    "capacities grow": "capacity_mib = 8",
    "path width": '{ value = 200, kind = "measured"',
    "bandwidths shrink": '{ value = 256, kind = "theoretical"',
    "measured bandwidths shrink": '{ value = 40, kind = "measured"',
    "fp32 >= fp64": "no_fma_gflops = 64",
    "core and units agree": "flops_per_cycle = { fp64 = 16",
    "a CPU has no [gpu]": "[gpu]",
    "a GPU has no [core]": "[core]",
}


def test_sharing_grows() -> None:
    text = GOOD.replace("shared_by = 1", "shared_by = 2").replace("shared_by = 4", "shared_by = 1")
    with pytest.raises(MachineError, match="fewer units") as caught:
        parse_machine(text)
    assert text.splitlines()[(caught.value.line or 0) - 1] == "shared_by = 1"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{ value = 129, kind", '{ value = 129, explain = "turbo", kind'),
        ("{ value = 257, kind", '{ value = 257, explain = "turbo", kind'),
        ("{ value = 51, kind", '{ value = 51, explain = "cache-resident", kind'),
    ],
)
def test_an_explanation_lifts_a_rule(old: str, new: str) -> None:
    wrong = {"129": ("120, kind", "129, kind"), "257": ("200, kind", "257, kind"), "51,": ("40, kind", "51, kind")}
    before, after = wrong[old.split()[3][:3]]
    text = GOOD.replace(f"value = {before}", f"value = {after}")
    with pytest.raises(MachineError):
        parse_machine(text)
    parse_machine(text.replace(old, new))


def test_explained_level_may_be_smaller_than_the_one_inside() -> None:
    wrong = GOOD.replace("capacity_mib = 8", "capacity_kib = 16")
    with pytest.raises(MachineError, match="smaller"):
        parse_machine(wrong)
    parse_machine(wrong.replace("shared_by = 4", 'shared_by = 4\nexplain = "memory-side"'))


def test_full_duplex_path_carries_mixed_streams_both_ways() -> None:
    narrow = GOOD.replace("shared_by = 4", 'shared_by = 4\nbytes_per_cycle = 20\nduplex = "full"')
    with pytest.raises(MachineError, match="path"):
        parse_machine(narrow)
    parse_machine(narrow.replace('pattern = "load"', 'pattern = "update"'))


def test_a_pattern_is_known_by_name_or_by_its_arrays() -> None:
    with pytest.raises(MachineError, match="zigzag") as caught:
        parse_machine(GOOD.replace('pattern = "load"', 'pattern = "zigzag"'))
    assert "vector triad" in str(caught.value.hint)
    parse_machine(GOOD.replace('pattern = "load"', 'pattern = "3 loads, 1 stores"'))


_PARTED = "shared_by = 4\npartitions = 2\nlatency_cycles = 40\nfar_latency_cycles = 60"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("shared_by = 4", "shared_by = 4\nfar_latency_cycles = 60", "needs `partitions`"),
        ("shared_by = 4", _PARTED.replace("60", "30"), "sooner far than near"),
        ("shared_by = 4", f"{_PARTED}\nfar_bandwidth_gbs = 5000", "faster far than near"),
        ("[memory]", "[memory]\nlatency_ns = 1", "sooner than L2"),
    ],
)
def test_latencies_and_partitions_obey_physics(old: str, new: str, message: str) -> None:
    good = GOOD.replace("shared_by = 4", _PARTED)
    machine = parse_machine(good.replace("[memory]", "[memory]\nlatency_ns = 80"))
    assert machine.memory.latency_s == 80e-9
    assert machine.levels[-1].far_latency_cycles == 60
    text = good if old == "[memory]" else GOOD
    with pytest.raises(MachineError, match=message):
        parse_machine(text.replace(old, new))


def test_totals_within_five_percent_pass() -> None:
    parse_machine(GOOD.replace("{ value = 128, kind", "{ value = 134, kind"))


@pytest.mark.parametrize(
    ("text", "line"),
    [("a = 1\nb = \n", 2), ("a = 1\n[t\n", 2), ("a = 1\na = 2\n", 2), ("x = 'open\n", 1)],
)
def test_syntax_errors_have_a_line(text: str, line: int) -> None:
    with pytest.raises(MachineError, match="not a valid TOML") as caught:
        parse_machine(text, "bad.toml")
    assert (caught.value.path, caught.value.line) == ("bad.toml", line)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match="cannot be read"):
        load_machine(tmp_path / "absent.toml")
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(MachineError, match="UTF-8"):
        load_machine(binary)


def test_the_example_in_the_manual_loads() -> None:
    page = (Path(__file__).parents[4] / "roofline" / "README.md").read_text("utf-8")
    machine = parse_machine(page.split("```toml\n", 1)[1].split("```", 1)[0], "mine.toml")
    bandwidth = machine.bandwidth("DRAM")
    assert bandwidth is not None
    assert bandwidth.rate.giga == 40


@pytest.mark.parametrize("name", load_catalog().ids)
def test_shipped_files_name_the_source_of_every_figure(name: str) -> None:
    machine = load_catalog().machine(name)
    peaks = [f for peak in machine.peaks for f in (*peak.fma, *peak.no_fma, *peak.add_only, *peak.matrix)]
    figures: list[Figure] = [*peaks, *(f for level in machine.levels for f in level.bandwidths)]
    figures += [f for level in machine.levels for f in level.far_bandwidths]
    figures += [f for memory in (machine.memory, *machine.other_memories) for f in memory.bandwidths]
    clock = machine.clock
    figures += [f for f in (clock.nominal, clock.base, clock.boost, clock.simd) if f]
    figures += machine.gpu.shared_bandwidths if machine.gpu else ()
    parts = (*machine.levels, machine.memory, *machine.other_memories)
    stated = {part.name: part.sources for part in parts}
    stated |= {kind: part.sources for kind, part in (("core", machine.core), ("gpu", machine.gpu)) if part}
    stated |= {"units": (machine.units.source,), "write_allocate": (machine.write_allocate.source or "",)}
    used = {figure.source for figure in figures} | {source for some in stated.values() for source in some if source}
    assert machine.id == name
    assert peaks
    assert [figure for figure in figures if figure.source == UNSTATED] == []  # bare numbers: write { value = ... }
    assert [table for table, sources in stated.items() if UNSTATED in sources] == []  # without source = "..."
    assert used == {source.id for source in machine.sources}
    assert machine.memory.latency_s is None or machine.memory.sources
    assert all(figure.how for figure in figures if figure.kind is FigureKind.DERIVED)


def test_lines_are_found_through_every_construct() -> None:
    text = (
        "# comment = 1\n"
        'a = "x = 1 # not a comment"\n'
        'b = """\nc = 2\n"""\n'
        "'quoted key' = [1, # one\n  2]\n"
        "d.e = { f = 1, g = [ { h = 1 } ] }\n"
        "[t.u]\nk = '''\n[v]\n'''\n"
        "[[r]]\nx = 1\n[r.s]\ny = 1\n[[r]]\nx = 2\n"
    )
    lines = key_lines(text)
    assert lines[("a",)] == 2
    assert lines[("b",)] == 3
    assert lines[("quoted key",)] == 6
    assert lines[("quoted key", 1)] == 7
    assert lines[("d", "e", "g", 0, "h")] == 8
    assert lines[("t", "u", "k")] == 10
    assert lines[("r", 0, "x")] == 14
    assert lines[("r", 0, "s", "y")] == 16
    assert lines[("r", 1, "x")] == 18
    assert ("c",) not in lines
    assert ("v",) not in lines
    assert line_of(lines, ("r", 1, "absent")) == 17
    assert line_of(lines, ("nothing",)) == 1


@pytest.mark.parametrize("entry", load_catalog().entries, ids=lambda entry: str(entry.id))
def test_every_key_of_a_shipped_file_has_its_line(entry: CatalogEntry) -> None:
    text = entry.file.read_text(encoding="utf-8")
    lines, source = key_lines(text), text.splitlines()
    paths = [path for path in _paths(tomllib.loads(text)) if isinstance(path[-1], str)]
    assert paths
    assert all(str(path[-1]) in source[lines[path] - 1] for path in paths)


def _paths(value: object, path: KeyPath = ()) -> Iterator[KeyPath]:
    """Yield the path of every key and array element."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in members:
        yield (*path, name)
        yield from _paths(member, (*path, name))


def test_all_mistakes_come_at_once() -> None:
    text = GOOD.replace('kind = "cpu"', 'kind = "CPU"').replace("nominal_ghz", "nominal").replace('name = "core"\n', "")
    with pytest.raises(MachineError) as caught:
        parse_machine(text)
    found = [caught.value, *caught.value.others]
    assert [each.message.partition(" (")[0] for each in found] == [
        '`kind` cannot be "CPU"',
        "[clock] has no key `nominal`",
        "[units] lacks `name`",
    ]
    assert "machines example" in (found[-1].hint or "")
