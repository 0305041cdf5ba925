"""What is fuzzed: each target takes any bytes and must end in an answer or an ``AnalyzerError``; with its seeds."""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct

from analyzer.counts.policy import load_policy
from analyzer.errors import AnalyzerError
from analyzer.frontend.compile_commands import files_in
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import read_source
from cli.cache.codec import CodecError, decode, encode
from cli.cache.store import compressed, decompressed
from cli.check.baselines import read_baseline
from cli.check.config import read_configuration
from cli.render.table.table import render_table
from roofline.catalog import find_machine
from roofline.measured.recognition import read_measured
from roofline.model.level_bytes import ProjectionOptions
from tests.hostile import CASES, text_of
from tests.projected import make_report
from tests.property.damage import damaged

from .splice import spliced, written

ROOT = Path(__file__).parents[2]
_FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-"))
_LARGEST = 600
_SLOW = ("nest", "calls", "types", "pointers")


class Target(Struct, frozen=True):
    """A reader of bytes, and bytes that it is made for."""

    read: Callable[[bytes], None]
    seeds: Callable[[], Iterator[bytes]]
    is_code: bool = False

    def damaged(self, data: bytes, chance: random.Random) -> bytes:
        """Another input, made of this one."""
        text = data.decode("latin-1")
        new = spliced(text, chance, written(ROOT)) if self.is_code else damaged(text, chance)
        return new.encode("utf-8", "surrogatepass")


def _file(data: bytes, name: str) -> Path:
    path = _FOLDER / name
    path.write_bytes(data)
    return path


def _source(suffix: str, frontend: Literal["auto", "clang", "fragment"]) -> Callable[[bytes], None]:
    def read(data: bytes) -> None:
        source = read_source(str(_file(data, f"f{suffix}")))
        profiles = analyze(source, AnalysisOptions(frontend=frontend, budget_s=0.25, defines={"n": "1000"}))
        render_table(make_report(profiles, [find_machine("v100")], ProjectionOptions(), version="0", options={}))

    return read


def _machine(data: bytes) -> None:
    find_machine(str(_file(data, "m.toml")))


def _policy(data: bytes) -> None:
    load_policy(str(_file(data, "p.toml")))


def _configuration(data: bytes) -> None:
    read_configuration(_file(data, "ai-estimate.toml"))


def _baseline(data: bytes) -> None:
    read_baseline(str(_file(data, "b.json")), ["a.c"])


def _build(data: bytes) -> None:
    files_in(str(_file(data, "compile_commands.json")))


def _measured(data: bytes) -> None:
    read_measured(str(_file(data, "data.csv")))


def _kept(data: bytes) -> None:
    try:
        decode(decompressed(data))
    except CodecError:
        decode(data.decode("latin-1"))


def _kept_seeds() -> Iterator[bytes]:
    for path in sorted((ROOT / "corpus").glob("*/kernel.c"))[:3]:
        text = encode(analyze(read_source(str(path)))[0])
        yield text.encode()
        yield compressed(text)


def _files(*patterns: str) -> Callable[[], Iterator[bytes]]:
    def seeds() -> Iterator[bytes]:
        for pattern in patterns:
            for path in sorted(ROOT.glob(pattern)):
                yield path.read_bytes()

    return seeds


def _sources(suffix: str, *patterns: str) -> Callable[[], Iterator[bytes]]:
    def seeds() -> Iterator[bytes]:
        yield from _files(*patterns)()
        small = (text_of(name)[1] for name in CASES if CASES[name][0] == suffix and not name.startswith(_SLOW))
        yield from (text for text in small if len(text) <= _LARGEST)

    return seeds


def _policies() -> Iterator[bytes]:
    """Each shipped policy alone, as a file of one's own has it."""
    text = (ROOT / "analyzer/counts/policy.toml").read_bytes()
    yield from re.split(rb"(?m)^(?=\[[\w-]+\]$)", text)[1:]


_CONFIGURATION = b"""machine = ["haswell"]
exclude = ["x/"]
[sizes]
n = 1000
[[budget]]
file = "*.c"
function = "f"
loop = 2
min-ai = "1/12"
bound = "L2"
hot = true
"""

TARGETS = {
    "c": Target(_source(".c", "clang"), _sources(".c", "corpus/*/kernel.c", "corpus/loops/*.c"), is_code=True),
    "c++": Target(_source(".cpp", "clang"), _sources(".cpp", "corpus/*/kernel.c", "corpus/*/*.cpp"), is_code=True),
    "cuda": Target(_source(".cu", "clang"), _sources(".cu", "corpus/*/kernel.cu"), is_code=True),
    "fragment": Target(
        _source(".c", "fragment"), _sources(".c", "corpus/*/kernel.c", "corpus/kerncraft/*.c"), is_code=True
    ),
    "markdown": Target(_source(".md", "auto"), _files("corpus/*/README.md", "README.md"), is_code=True),
    "machine": Target(_machine, _files("roofline/machines/*.toml")),
    "policy": Target(_policy, _policies),
    "configuration": Target(_configuration, lambda: iter([_CONFIGURATION])),
    "baseline": Target(_baseline, lambda: iter([b'{"version": 1, "findings": []}', b"{}", b"[]"])),
    "build": Target(
        _build, lambda: iter([b'[{"directory": "/", "file": "a.c", "arguments": ["cc", "-DA=1", "-c", "a.c"]}]'])
    ),
    "measured": Target(_measured, _files("tests/data/measured/*")),
    "kept": Target(_kept, _kept_seeds),
}


def attempt(target: Target, data: bytes) -> None:
    """One input; errors that are worded for the user are as good as answers."""
    try:
        target.read(data)
    except (AnalyzerError, CodecError):
        return
