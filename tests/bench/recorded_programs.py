"""Public programs built with the coverage of a compiler and run at a small size, for ``tests.bench.recorded``.

    python -m tests.bench.recorded_programs CODES FOLDER [--compiler gcc clang] [--program NAME ...] [--all]

CODES holds checkouts under the names of the projects, the programs are built and run in FOLDER.  The two commands are
those of ``cli/README.md``, over all sources of a program.  Prints the lines of ``tests.bench.recorded`` and the sums of
each program.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from analyzer.coverage.reading import read_counts

from .recorded import Line, Read, loops_of_files

_VERSIONS = ("", "-18", "-16", "-14")  # of clang and its tools, which systems install under such names
_OPENMP = ("double omp_get_wtime(void)", "int omp_get_num_threads(void)", "int omp_get_thread_num(void)")
_OPENMP += ("int omp_get_max_threads(void)", "void omp_set_num_threads(int)")  # of a clang that has no omp.h
_SECONDS = 300  # of a build or a run


class Program(Struct, frozen=True, kw_only=True):
    """A program: sources to build (patterns), those to analyze (all, if none are named), and how it is run."""

    folder: str
    sources: tuple[str, ...]
    analyzed: tuple[str, ...] = ()
    defines: Mapping[str, str] = {}
    folders: tuple[str, ...] = (".",)
    standard: str = ""
    flags: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ("-lm",)
    arguments: tuple[str, ...] = ()
    prepare: Callable[[Path], None] | None = None
    constants: Mapping[str, Mapping[str, str]] = {}  # macros of a header that have other values in a small run


def _tiny_model(folder: Path) -> None:
    """Write a model of random weights, tokens and a tokenizer that ``train_gpt2.c`` reads."""
    length, words, layers, heads, channels = 64, 64, 2, 4, 32
    chance = random.Random(1)
    weights = words * channels + length * channels + layers * channels * (12 * channels + 13) + 2 * channels
    header = (20240326, 3, length, words, layers, heads, channels, words)
    values = (chance.gauss(0, 0.02) for _ in range(weights))
    (folder / "gpt2_124M.bin").write_bytes(_header(header) + struct.pack(f"{weights}f", *values))
    data = folder / "dev" / "data" / "tinyshakespeare"
    data.mkdir(parents=True, exist_ok=True)
    for part in ("train", "val"):
        tokens = [chance.randrange(words) for _ in range(1 << 14)]
        content = _header((20240520, 1, len(tokens))) + struct.pack(f"{len(tokens)}H", *tokens)
        (data / f"tiny_shakespeare_{part}.bin").write_bytes(content)
    (folder / "gpt2_tokenizer.bin").write_bytes(_header((20240328, 2, words, 0)) + b"\1a" * words)


def _header(values: Sequence[int]) -> bytes:
    return struct.pack("256i", *values, *[0] * (256 - len(values)))


def _small_decks(folder: Path) -> None:
    """Write the input of a few steps of CloverLeaf."""
    (folder / "clover.in").write_text(
        "*clover\n state 1 density=0.2 energy=1.0\n"
        " state 2 density=1.0 energy=2.5 geometry=rectangle xmin=0.0 xmax=5.0 ymin=0.0 ymax=2.0\n"
        " x_cells=24\n y_cells=20\n xmin=0.0\n ymin=0.0\n xmax=10.0\n ymax=10.0\n"
        " initial_timestep=0.04\n timestep_rise=1.5\n max_timestep=0.04\n end_step=6\n*endclover\n"
    )


def _names_of_the_build(folder: Path) -> None:
    """Write the header that the build of CoMD generates."""
    names = ("VARIANT", "HOSTNAME", "KERNEL_NAME", "KERNEL_RELEASE", "PROCESSOR")
    names += ("COMPILER", "COMPILER_VERSION", "CFLAGS", "LDFLAGS")
    (folder / "CoMD_info.h").write_text("".join(f'#define CoMD_{name} "unknown"\n' for name in names))


PROGRAMS = {
    "XSBench": Program(
        folder="XSBench/openmp-threading",
        sources=("*.c",),
        arguments=("-s", "small", "-g", "200", "-p", "100", "-l", "20", "-t", "1"),
    ),
    "RSBench": Program(
        folder="RSBench/openmp-threading",
        sources=("*.c",),
        libraries=("-lm", "-lgomp"),
        arguments=("-s", "small", "-p", "100", "-l", "20", "-t", "1"),
    ),
    "miniFE": Program(
        folder="miniFE/ref",
        sources=("src/*.cpp", "utils/*.cpp"),
        analyzed=("src/main.cpp",),
        defines={
            "MINIFE_SCALAR": "double",
            "MINIFE_LOCAL_ORDINAL": "int",
            "MINIFE_GLOBAL_ORDINAL": "int",
            "MINIFE_CSR_MATRIX": "1",
        },
        folders=("src", "utils", "fem"),
        arguments=("nx=6", "ny=5", "nz=4"),
    ),
    "LULESH": Program(folder="LULESH", sources=("*.cc",), defines={"USE_MPI": "0"}, arguments=("-s", "5", "-i", "3")),
    "HPCG": Program(
        folder="hpcg",
        sources=("src/*.cpp",),
        analyzed=("src/Compute*_ref.cpp", "src/CG_ref.cpp", "src/GenerateProblem_ref.cpp"),
        defines={"HPCG_NO_MPI": "1", "HPCG_NO_OPENMP": "1"},
        folders=("src",),
        arguments=("--nx=16", "--ny=16", "--nz=16", "--rt=1"),
    ),
    "kissfft": Program(
        folder="kissfft",
        sources=("kiss_fft.c", "kiss_fftnd.c", "kiss_fftr.c", "kiss_fftndr.c", "kfc.c", "test/*s.c"),
        analyzed=("kiss_fft.c", "test/benchkiss.c"),
        arguments=("-x", "3", "-n", "1800"),
    ),
    "llm.c": Program(folder="llm.c", sources=("train_gpt2.c",), flags=("-Dinline=",), prepare=_tiny_model),
    "STREAM": Program(folder="STREAM", sources=("stream.c",), defines={"STREAM_ARRAY_SIZE": "5000"}),
    "miniBUDE": Program(
        folder="miniBUDE/src",
        sources=("main.cpp",),
        defines={"SERIAL": "1", "USE_PPWI": "4"},
        standard="c++17",
        arguments=("--deck", "{codes}/miniBUDE/data/bm1", "-n", "64", "-i", "2"),
    ),
    "BabelStream": Program(
        folder="BabelStream/src",
        sources=("main.cpp", "serial/SerialStream.cpp"),
        defines={"SERIAL": "1"},
        folders=(".", "serial"),
        standard="c++17",
        arguments=("-s", "4096", "-n", "5"),
    ),
    "CoMD": Program(
        folder="CoMD/src-mpi",
        sources=("*.c",),
        defines={"DOUBLE": "1"},
        flags=("-std=c99", "-D_DEFAULT_SOURCE"),
        prepare=_names_of_the_build,
        arguments=("-x", "4", "-y", "4", "-z", "4", "-N", "10", "-n", "5", "-e", "-d", "{codes}/CoMD/pots"),
    ),
    "TSVC_2": Program(
        folder="TSVC_2/src",
        sources=("*.c",),
        constants={"common.h": {"iterations": "256", "LEN_1D": "8000"}},
    ),
    "CloverLeaf": Program(
        folder="CloverLeaf",
        sources=("src/serial/*.cpp", "driver/*.cpp"),
        analyzed=("src/serial/*.cpp",),
        defines={"NO_MPI": "1"},
        folders=("driver", "src/serial"),
        standard="c++17",
        prepare=_small_decks,
    ),
}


def _home(program: Program, codes: Path, folder: Path) -> Path:
    """The folder of the sources; a copy of it where macros have other values."""
    home = (codes / program.folder).resolve()
    if not program.constants:
        return home
    copy = folder.resolve() / "sources"
    shutil.copytree(home, copy, dirs_exist_ok=True)
    for name, values in program.constants.items():
        text = (home / name).read_text()
        for macro, value in values.items():
            text = re.sub(rf"(#define {macro}) .*", rf"\1 {value}", text)
        (copy / name).write_text(text)
    return copy


def _folders(program: Program, home: Path, folder: Path) -> tuple[str, ...]:
    """The folders of headers: those of the program, and where it is built."""
    return (*(str(home / each) for each in program.folders), str(folder.resolve()))


def _paths(folder: Path, patterns: Sequence[str]) -> list[Path]:
    return [path for pattern in patterns for path in sorted(folder.glob(pattern))]


def recorded(program: Program, codes: Path, folder: Path, compiler: str) -> list[str]:
    """Build a program and run it; the files with the counts of the run."""
    folder.mkdir(parents=True, exist_ok=True)
    home = _home(program, codes, folder)
    if program.prepare is not None:
        program.prepare(folder)
    sources = _paths(home, program.sources)
    names = ("gcc", "g++") if compiler == "gcc" else (_tool("clang"), _tool("clang++"))
    flags = [*program.flags, *(f"-D{name}={value}" for name, value in program.defines.items())]
    flags += [f"-I{each}" for each in _folders(program, home, folder)]
    if compiler == "clang" and not _has_openmp(names[0]):
        (folder / "omp.h").write_text("".join(f"extern {each};\n" for each in _OPENMP))
    coverage = ["--coverage"] if compiler == "gcc" else ["-fprofile-instr-generate", "-fcoverage-mapping"]
    objects = []
    for number, source in enumerate(sources):
        is_c = source.suffix == ".c"
        made = folder / f"{number}-{source.stem}.o"
        standard = [] if is_c or not program.standard else [f"-std={program.standard}"]
        command = [names[not is_c], "-O0", "-w", *standard, *coverage, *flags, "-c", str(source), "-o", str(made)]
        _run(command, folder)
        objects.append(str(made))
    with_cxx = any(source.suffix != ".c" for source in sources)
    _run([names[with_cxx], *coverage, *objects, "-o", "program", *program.libraries], folder)
    for old in (*folder.glob("*.gcda"), *folder.glob("*.profraw")):
        old.unlink()
    command = ["./program", *(each.format(codes=codes.resolve()) for each in program.arguments)]
    _run(command, folder, is_checked=False)  # XSBench fails where its checksum is not that of a standard size
    if compiler == "gcc":
        data = sorted(each.name for each in folder.glob("*.gcda"))
        _run(["gcov", "--json-format", "--branch-probabilities", *data], folder)
        return sorted(map(str, folder.glob("*.gcov.json.gz")))
    _run([_tool("llvm-profdata"), "merge", "default.profraw", "-o", "program.profdata"], folder)
    with (folder / "program.json").open("w") as output:
        command = [_tool("llvm-cov"), "export", "./program", "-skip-expansions", "-instr-profile=program.profdata"]
        subprocess.run(command, cwd=folder, check=True, stdout=output, timeout=_SECONDS)
    return [str(folder / "program.json")]


def _has_openmp(compiler: str) -> bool:
    return Path(_printed([compiler, "-print-file-name=include"]), "omp.h").exists()


def _printed(command: Sequence[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=_SECONDS).stdout.strip()


def _tool(name: str) -> str:
    return next((name + version for version in _VERSIONS if shutil.which(name + version)), name)


def _run(command: Sequence[str], folder: Path, *, is_checked: bool = True) -> None:
    try:
        subprocess.run(command, cwd=folder, check=is_checked, capture_output=True, timeout=_SECONDS, text=True)
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{' '.join(command)}\n{error.stderr[-2000:]}") from error


def _totals(read: Sequence[Read]) -> str:
    """The loops of all sources; one of a header has a number where it has one in some source."""
    seen, listed, without, in_bytes, within = (set[Line]() for _ in range(5))
    for each in read:
        with_number = each.loops.listed - each.loops.open_symbols.keys()
        with_bytes = with_number - each.loops.open_in_bytes.keys()
        without = (without | each.loops.open_symbols.keys()) - with_number
        in_bytes = (in_bytes | each.loops.open_in_bytes.keys()) - with_bytes
        seen |= each.loops.ran
        listed |= each.loops.listed
        within |= each.loops.within
        without -= with_number
        in_bytes -= with_bytes
    number, alone = len(listed - without), len(in_bytes - without)
    numbers = f"{number} with a number ({alone} of FLOPs alone)"
    return f"{len(seen)} loops ran, {len(listed)} in the report, {numbers}, {len(within - listed)} more within one"


def main(arguments: Sequence[str]) -> int:
    """Print the loops of every program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("codes", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--compiler", nargs="+", default=["gcc", "clang"])
    parser.add_argument("--program", nargs="+", default=list(PROGRAMS))
    parser.add_argument("--all", action="store_true", help="a line for each loop without a number")
    options = parser.parse_args(arguments)
    for name in options.program:
        program = PROGRAMS[name]
        for compiler in options.compiler:
            folder = options.folder / f"{name}-{compiler}"
            profile = recorded(program, options.codes, folder, compiler)
            home = _home(program, options.codes, folder)
            found = []
            sources = _paths(home, program.analyzed or program.sources)
            folders = _folders(program, home, folder)
            for each in loops_of_files(map(str, sources), profile, read_counts(profile), program.defines, folders):
                print("   ", each.text, *each.details(options.all), sep="\n        ", flush=True)
                found.append(each)
            print(f"{name} {compiler}:", _totals(found), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
