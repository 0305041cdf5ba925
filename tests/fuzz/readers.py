"""Every reader of data that a user names, with documents that it is made for: small, for many inputs a second."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from analyzer.counts.policy import load_policy
from analyzer.errors import AnalyzerError
from analyzer.frontend.compile_commands import arguments_for
from analyzer.ir.values import Operation
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from cli.cache.codec import CodecError, decode, encode
from cli.check.baselines import read_baseline
from cli.check.config import read_configuration
from cli.files.ignoring import IgnoreRules
from roofline.catalog import find_machine
from roofline.machine_from_measurements import read_roofs
from roofline.measured.all_importers import kernel_importers
from roofline.measured.recognition import read_measured

from ..compared import KERNELS
from .structure import mutated

ROOT = Path(__file__).parents[2]
_MEMORY = Path("/dev/shm")
_FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-", dir=_MEMORY if _MEMORY.is_dir() else None))
_MOST_LINES = 30

MACHINE = """
id = "toy"
name = "Toy"
vendor = "Acme"
kind = "cpu"
[sources.sheet]
title = "Data sheet"
[clock]
nominal_ghz = { value = 2.0, kind = "theoretical", source = "sheet" }
[units]
name = "core"
count = 4
flops_per_cycle = { fp64 = 16 }
[core]
isa = "AVX2"
simd_bits = 256
fma_units = 2
[peaks.fp64]
fma_gflops = [{ value = 128, kind = "theoretical", source = "sheet" }, { value = 120, kind = "measured" }]
[[levels]]
name = "L1"
capacity_kib = 32
line_bytes = 64
ways = 8
shared_by = 1
[memory]
technology = "DDR4"
bandwidth_gbs = { value = 51.2, kind = "theoretical", source = "sheet", pattern = "triad" }
[write_allocate]
policy = "allocate"
text = "Ordinary stores read the line first."
"""
CONFIGURATION = """
machine = ["haswell", "mine.toml"]
defines = { n = 1000, T = "float" }
exclude = ["x/"]
cores = 2
branch-probability = 0.5
fail-on = "note"
baseline = "b.json"
[[budget]]
file = "*.c"
loop = 2
min-ai = "1/12"
hot = true
"""
BASELINE = {
    "schema_version": 1,
    "tool": {"name": "ai-estimate", "version": "0"},
    "findings": [{"code": "AI111", "file": "a.c", "function": "f", "loop": "x", "count": 2}],
    "loops": [{"file": "a.c", "function": "f", "loop": "x", "shape": "i|a", "intensity": {"v100": "1/12"}}],
}
DATABASE = [
    {"directory": "/src", "file": "a.c", "arguments": ["cc", "-Iinclude", "-DA=1", "-std=c99", "-c", "a.c"]},
    {"directory": "/src", "file": "b.c", "command": "cc -isystem x '-DB=\"1\"' -include y.h -c b.c"},
]
IGNORED = "*.o\n/build/\n!keep.c\ndoc/**/x[a-c]?.c\n\\#a\n"
SOURCE = "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] += 1; }\n"


class Reader(Struct, frozen=True):
    """What reads a file, the form of its documents, some of them, the name of the file, and its share of the inputs."""

    read: Callable[[str], object]
    form: str
    seeds: Callable[[], Iterator[bytes]]
    name: str = "data"
    inputs_of_a_round: int = 200

    def draw(self, seeds: tuple[bytes, ...], chance: random.Random) -> bytes:
        """Return an input."""
        return mutated(chance.choice(seeds), self.form, chance)

    def attempt(self, data: bytes) -> None:
        """Read one input; errors that are worded for the user are as good as answers."""
        with suppress(AnalyzerError, CodecError):
            self.read_one(data)

    def read_one(self, data: bytes) -> None:
        """Read one input; raises what the reader raises."""
        path = _FOLDER / self.name
        path.write_bytes(data)
        self.read(str(path))


def _text(*texts: str) -> Callable[[], Iterator[bytes]]:
    return lambda: (text.encode() for text in texts)


def _policies() -> Iterator[bytes]:
    weights = "\n".join(f"{operation.value} = 1" for operation in Operation)
    costs = "exp = { fp64 = { fp64 = 15, fp32 = 2 } }"
    yield f'[p]\ntitle = "p"\ncounts = "machine code"\n[p.operations]\n{weights}\n[p.costs]\n{costs}\n'.encode()


def _kept() -> Iterator[bytes]:
    yield encode(analyze(SourceFile("f.c", SOURCE, Language.C))[0]).encode()
    yield encode((Language.C, frozenset({1, 2}), {"a": 0.5})).encode()


def _samples(*names: str) -> Callable[[], Iterator[bytes]]:
    def seeds() -> Iterator[bytes]:
        for name in names:
            lines = (ROOT / "tests/data/measured" / name).read_text("utf-8").split("\n")
            yield "\n".join(lines if name.endswith((".json", "likwid_perfctr.csv")) else lines[:_MOST_LINES]).encode()

    return seeds


def _forced(path: str) -> None:
    """Read as every format, whatever it looks like."""
    for form in kernel_importers():
        with suppress(AnalyzerError):
            read_measured(path, form.name)


def _configured(path: str) -> None:
    read_configuration(Path(path))


def _ignored(path: str) -> None:
    rules = IgnoreRules(Path(path).read_bytes().decode("utf-8", "surrogateescape").split("\n"), path)
    for name in ("src/a.c", "build/x/", "a" * 200, "doc/a/b/xab.c"):
        rules.verdict(name)


def _built(path: str) -> None:
    arguments_for("/src/a.c", path)


_OWN = (
    "name,file,line,grid,block,executions,time_s,flops,L2_read_bytes,L2_write_bytes\nf,a.c,3,64x1,256,2,0.5,1e9,8,8\n"
)


def _kernels(suffix: str) -> Callable[[], Iterator[bytes]]:
    return _samples(*(name for name in KERNELS if name.endswith(suffix)))


def _tables() -> Iterator[bytes]:
    yield from _kernels(".csv")()
    yield _OWN.encode()


READERS = {
    "configuration": Reader(
        lambda path: read_configuration(Path(path)), "toml", _text(CONFIGURATION), "ai-estimate.toml"
    ),
    "pyproject": Reader(
        lambda path: read_configuration(Path(path), optional=True),
        "toml",
        _text('[tool]\nx = 1\nai-estimate = { machine = "v100", min-ai = 0.5 }\n'),
        "pyproject.toml",
    ),
    "machine": Reader(find_machine, "toml", _text(MACHINE), "m.toml"),
    "policy": Reader(load_policy, "toml", _policies, "p.toml"),
    "baseline": Reader(lambda path: read_baseline(path, ["a.c"]), "json", _text(json.dumps(BASELINE)), "b.json"),
    "build": Reader(_built, "json", _text(json.dumps(DATABASE)), "compile_commands.json"),
    "kept": Reader(
        lambda path: decode(Path(path).read_bytes().decode("utf-8", "replace")), "json", _kept, inputs_of_a_round=80
    ),
    "ignored": Reader(_ignored, "lines", _text(IGNORED)),
    "measured tables": Reader(read_measured, "table", _tables),
    "measured json": Reader(read_measured, "json", _kernels(".json")),
    "measured lines": Reader(read_measured, "jsonl", _kernels(".jsonl")),
    "measured nersc": Reader(read_measured, "lines", _kernels(".txt")),
    "measured as any": Reader(_forced, "table", _tables, inputs_of_a_round=40),
    "roofs tables": Reader(read_roofs, "table", _samples("carm_roofline.csv", "rocprof_compute_roofline.csv")),
    "roofs json": Reader(read_roofs, "json", _samples("ert_roofline.json")),
    "roofs nersc": Reader(read_roofs, "lines", _samples("nersc_data_hierarchical.txt")),
}
