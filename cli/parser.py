"""The argument parsers of the commands; nothing heavy is imported to build them."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NoReturn

from analyzer.errors import OptionError
from analyzer.near_names import did_you_mean
from analyzer.python.regex import regex

FORMATS = ("overview", "table", "text", "json", "csv", "markdown", "html")
SORTS = ("time", "flops", "bytes", "intensity", "source")
GROUPINGS = ("nest", "function", "file")
CACHE_MODELS = ("none", "compulsory", "analytic", "simulate")
CONVENTIONS = ("register", "compulsory", "write-allocate", "touched-once")
ELEMENT_TYPES = ("double", "float", "half", "bfloat16", "long-double", "complex-double", "complex-float", "int", "long")

_PROFILE, _COUNTS = "--profile", (".json", ".json.gz", ".info", ".lcov", ".csv")  # no source is called so
_ARGS = "--args"
_UNRECOGNIZED = regex(r"unrecognized arguments: (--?[\w-]+)")
_MOST_MEANT = 3  # options that begin with a letter
_INVALID_CHOICE = regex(r"invalid choice: '([^']*)' \(choose from (.*)\)")
_DESCRIPTION = """\
Count the FLOPs and bytes of the loops in C, C++ and CUDA sources and bound their speed.

  ai-estimate kernel.c --machine haswell                   what bounds each loop
  ai-estimate kernel.c --machine haswell -D n=4096         with sizes: times, and bytes by cache level
  ai-estimate kernel.c --machine haswell -D n=4096 --advise     which change would gain how much
  ai-estimate kernel.c --machine haswell -D n=4096 --explain    the derivation, step by step
  ai-estimate kernel.c --machine haswell --sweep n=100:10000 --plot sweep.svg   up to which size caches hold
  ai-estimate kernel.cu --machine a100 --args "1000 256"   CUDA: grids and sizes from the host code
  ai-estimate src/ --machine v100,haswell                  a code base, the nests that cost most first
"""
_EPILOG = """\
other commands:
  ai-estimate check [PATH...]        rules and budgets, for pre-commit and CI
  ai-estimate machines [show NAME]   the machine catalog, with the source of every figure
  ai-estimate machines measure -o mine.toml   this machine, by micro-benchmarks
  ai-estimate lsp                    language server for editors (needs the extra lsp)
  ai-estimate completion SHELL       completion for bash, zsh or fish (needs the extra completion)
  ai-estimate explain CODE           what a diagnostic code means
  ai-estimate compare FILE... --measured DATA   against what ncu, likwid, perf, advisor, ... measured

exit codes: 0 done, 1 findings, 2 an input or an option that cannot be used, 3 a defect of this program
"""


_OF_ANY_WIDTH: Any = partial(argparse.HelpFormatter, width=80)


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are errors like any other; ``--profile`` takes all files of counts that follow it."""

    def __init__(self, **options: Any) -> None:
        """Start with options of ``ArgumentParser``; those of the command are written out, descriptions keep lines."""
        formatter = argparse.RawDescriptionHelpFormatter
        super().__init__(**{"allow_abbrev": False, "formatter_class": formatter, **options})

    def add_argument(self, *names: Any, **keywords: Any) -> argparse.Action:
        """Add an argument; to check its form no width of the terminal is asked for, which takes a module."""
        chosen, self.formatter_class = self.formatter_class, _OF_ANY_WIDTH
        try:
            return super().add_argument(*names, **keywords)
        finally:
            self.formatter_class = chosen

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse options and files in any order: ``a.c --machine v100 b.c``; what is behind ``--`` are files."""
        if args is not None and "--" in args:
            return super().parse_args(args, namespace)
        return self.parse_intermixed_args(args, namespace)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse with ``--profile`` before each file of a shell's ``*.gcov.json.gz``, and ``--args`` with its words."""
        return super().parse_known_args(args if args is None else [*_each_profiled(_with_words(args))], namespace)

    def error(self, message: str) -> NoReturn:
        """Raise ``OptionError`` instead of printing and leaving, with the nearest option or choice."""
        raise OptionError(message, hint=self._nearest(message) or f"see {self.prog} --help")

    def _nearest(self, message: str) -> str:
        """Return the option, or the choice, that was probably meant by what is not known."""
        option, choice = _UNRECOGNIZED.search(message), _INVALID_CHOICE.search(message)
        if option is not None:
            known = [name.removeprefix("--") for name in self._option_string_actions if name.startswith("--")]
            word = option[1].lstrip("-")
            if len(word) == 1:
                begin = [f"--{name}" for name in known if name.startswith(word.lower())]
                return f"did you mean {' or '.join(begin[:_MOST_MEANT])}?" if begin else ""
            return did_you_mean(word, known).replace("did you mean ", "did you mean --")
        return "" if choice is None else did_you_mean(choice[1], re.findall(r"'([^']*)'", choice[2]))


def _with_words(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with ``--args`` and its words as one: ``argparse`` takes ``-n24`` for an option."""
    found: list[str] = []
    for argument in arguments:
        if found and found[-1] == _ARGS:
            found[-1] = f"{_ARGS}={argument}"
        else:
            found.append(argument)
    return found


def _each_profiled(arguments: Sequence[str]) -> Iterator[str]:
    """Yield the arguments with ``--profile`` before each file of counts that follows one."""
    profiled = False
    for position, argument in enumerate(arguments):
        is_first = position > 0 and arguments[position - 1] == _PROFILE
        is_counts = argument.lower().endswith(_COUNTS) and not argument.startswith("-")
        if profiled and not is_first and is_counts:
            yield _PROFILE
        profiled = argument == _PROFILE or is_first or argument.startswith(f"{_PROFILE}=") or (profiled and is_counts)
        yield argument


def analyze_parser() -> Parser:
    """Return the parser of ``ai-estimate FILE...``."""
    parser = Parser(
        prog="ai-estimate",
        usage="ai-estimate FILE... [--machine NAME] [options]",
        description=_DESCRIPTION,
        epilog=_EPILOG,
    )
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="C, C++, CUDA or Markdown files, folders; - is standard input",
    )
    parser.add_argument("--version", action="store_true", help="show the version and exit")
    _add_source(parser)
    _add_counting(parser)
    _add_machine(parser)
    _add_output(parser)
    _add_running(parser)
    return parser


def add_analysis(parser: Parser) -> None:
    """Return the options of reading, counting, the machine and many files, for other commands that analyze."""
    _add_source(parser)
    _add_counting(parser)
    _add_machine(parser)
    _add_running(parser)


_MACHINES_HELP = "list (default), show, or example: a small complete machine file to start from"


def machines_parser() -> Parser:
    """Return the parser of ``ai-estimate machines``."""
    parser = Parser(
        prog="ai-estimate machines",
        description="List the machine catalog, or show every figure of some machines with its kind and source.",
        epilog="ai-estimate machines measure: this machine, by micro-benchmarks. ai-estimate machines import: a file "
        "of measured roofs. Both have a --help of their own.",
        formatter_class=argparse.HelpFormatter,
    )
    parser.add_argument("action", nargs="?", choices=("list", "show", "example"), default="list", help=_MACHINES_HELP)
    parser.add_argument("names", nargs="*", metavar="NAME", help="machines to show: ids, aliases or paths to .toml")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="table (default) or json")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file instead of standard output")
    parser.add_argument("--no-color", action="store_true", help="no colours")
    return parser


def explain_parser() -> Parser:
    """Return the parser of ``ai-estimate explain``."""
    parser = Parser(prog="ai-estimate explain", description="Say what diagnostic codes mean and what to do.")
    parser.add_argument("codes", nargs="*", metavar="CODE", help="codes such as AI202; all of them when none is named")
    parser.add_argument("--format", choices=("text", "markdown"), default="text", help="markdown is a page of docs")
    return parser


def _add_source(parser: Parser) -> None:
    group = parser.add_argument_group("reading the source")
    add = group.add_argument
    _add_values(add)
    add("-I", dest="include_dirs", action="append", default=[], metavar="DIR", help="a folder of headers")
    add("--std", "-std", metavar="NAME", help="language standard, such as c11 or c++17")
    add("-p", dest="compile_commands", metavar="DIR", help="build folder with compile_commands.json")
    add("--system-headers", action="store_true", help="use the system's headers, not the ones shipped here")
    add(
        "--confine",
        action="append",
        default=[],
        metavar="DIR",
        help="read sources and headers below DIR only (and the headers shipped here); repeatable",
    )
    add("--frontend", choices=("auto", "clang", "fragment"), default="auto", help="reader of the source")
    add("--element-type", choices=ELEMENT_TYPES, default="double", help="type of undeclared data (default: double)")
    add(
        "--launch",
        dest="launches",
        action="append",
        default=[],
        metavar="KERNEL:grid=..,block=..",
        help="how a CUDA kernel is launched, such as 'axpy:grid=1024x1x1,block=256,regs=40,n=1000'; repeatable; sizes "
        "that follow hold for the other kernels too",
    )
    add(
        _ARGS,
        dest="program_arguments",
        metavar="WORDS",
        help="command line of the program, for its sizes and launches",
    )
    add("--function", dest="functions", action="append", default=[], metavar="NAME", help="only this function")
    add("--lines", metavar="A:B", help="only loops in these lines")


def _add_values(add: Callable[..., argparse.Action]) -> None:
    add(
        "-D",
        dest="defines",
        action="append",
        default=[],
        metavar="NAME[=VALUE]",
        help="a macro or the value of a size: 1000, 1e6, 2^20, 64Ki, text; one may be a range: "
        "100:10000:log, 100:1000, 100:1000:100, 1,2,4",
    )
    add("--sweep", dest="sweeps", action="append", default=[], metavar="NAME=A:B", help="short for -D NAME=A:B:log")
    add(
        "--values",
        action="append",
        default=[],
        metavar="FILE",
        help="values of symbols, as with -D, which takes precedence: lines NAME = VALUE, or TOML",
    )
    add(
        _PROFILE,
        action="append",
        default=[],
        metavar="FILE...",
        help="counts of a run: JSON of gcov or llvm-cov, LCOV, or CSV of file,line,count; repeatable",
    )
    add(
        "--array",
        dest="arrays",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="elements of an array of indices: a .npy file or a text of numbers, random:uniform,n=..,max=.., or "
        "A.csr.col of --matrix A=FILE; repeatable",
    )
    add(
        "--matrix",
        dest="matrices",
        action="append",
        default=[],
        metavar="[csr:ROWPTR,COL,VAL=]FILE",
        help="a sparse matrix (Matrix Market) and the arrays that hold it in the source, which else are found by "
        "their use; formats are csr, csc, coo, ell and ellrow; repeatable",
    )


def _add_running(parser: Parser) -> None:
    group = parser.add_argument_group("many files")
    add = group.add_argument
    add(
        "--exclude",
        action="append",
        default=[],
        metavar="PATTERN",
        help="leave out, as a line of .gitignore; repeatable",
    )
    add("-j", "--jobs", dest="jobs", type=int, metavar="N", help="processes (default: as many as pay)")
    add(
        "--budget",
        default="30s,4GiB,20Mop",
        metavar="LIMITS",
        help="CPU time of a file, beyond which answers are bounds, and before twice of it left out; "
        "memory; operations of isl for one request, as 20Mop (default: 30s,4GiB,20Mop; 0: no limit of time)",
    )
    add(
        "--executor",
        metavar="WHERE",
        help="run elsewhere: dask://HOST:PORT, or mpi (under mpiexec -n N python -m mpi4py.futures -m cli)",
    )
    add(
        "--no-cache",
        dest="keep_results",
        action="store_false",
        help="neither use nor store results (in AI_ESTIMATE_CACHE_DIR, or ~/.cache/ai-estimate)",
    )


def _add_counting(parser: Parser) -> None:
    group = parser.add_argument_group("counting")
    add = group.add_argument
    add(
        "--policy",
        default="source",
        metavar="NAME",
        help="FLOP policy: a shipped one (default: source) or a .toml file",
    )
    add("--fma", choices=("fast", "off"), default="fast", help="contract a*b+c into FMA (default: fast)")
    add(
        "--branch-probability",
        default="1/2",
        metavar="P",
        help="probability of a data-dependent branch (default: 1/2; early exits are rarer)",
    )
    add("--line-bytes", type=int, default=64, metavar="BYTES", help="cache line for line counts (default: 64)")
    add("--convention", choices=CONVENTIONS, help="which bytes the intensity counts, without a model of the caches")
    add(
        "--cache",
        choices=CACHE_MODELS,
        help="model of the caches: none (every reference goes to memory), compulsory (every byte once), "
        "analytic (default), simulate",
    )
    add("--hierarchy", metavar="CACHES", help="caches as L1:32KiB/8,L2:1MiB/16 (size/ways), instead of the machine's")
    add("--verify", action="store_true", help="simulate the caches too and show the difference")
    add("--warm", action="store_true", help="caches hold what an earlier run (or launch) left: no cold misses")
    writes = group.add_mutually_exclusive_group()
    writes.add_argument("--write-allocate", action="store_true", help="a store to a line not read costs a load too")
    writes.add_argument("--no-write-allocate", action="store_true", help="stores cost no load")
    writes.add_argument("--nontemporal", action="store_true", help="stores are non-temporal (streaming)")


def _add_machine(parser: Parser) -> None:
    group = parser.add_argument_group("machine")
    add = group.add_argument
    add(
        "--machine",
        dest="machines",
        action="append",
        default=[],
        metavar="NAME[,NAME]",
        help="catalog names, or paths to .toml files; repeatable",
    )
    add("--peak", choices=("theoretical", "sustained"), default="sustained", help="which figures (default: sustained)")
    add("--cores", "--threads", type=int, metavar="N", help="use N cores or SMs (default: all)")
    add("--reassociate", action="store_true", help="sums may be reordered, as with -ffast-math")
    add("--simd", choices=("scalar", "128", "256", "512"), help="vectors to expect (default: as the compiler chooses)")
    add("--compiler", choices=("gcc", "clang", "icx"), default="gcc", help="compiler to expect (default: gcc)")
    add("--scale-flops", default="1", metavar="X", help="what if: all peaks times X")
    add("--scale-bandwidth", default="1", metavar="X", help="what if: all bandwidths times X")


def _add_output(parser: Parser) -> None:
    group = parser.add_argument_group("output")
    add = group.add_argument
    add(
        "--format",
        choices=FORMATS,
        help="form of the report (default: overview, the nests that cost most); table and text have all that is known "
        "of each nest; html is one page with everything in it (needs the extra html)",
    )
    add("-v", "--verbose", dest="format", action="store_const", const="table", help="short for --format table")
    how_many = group.add_mutually_exclusive_group().add_argument
    how_many("--top", type=int, metavar="N", help="the N nests that cost most (default: what fits)")
    how_many("--all", dest="top", action="store_const", const="all", help="all nests")
    add("--sort", choices=SORTS, default="time", help="order of the nests (default: time)")
    add("--by", choices=GROUPINGS, default="nest", help="add up by function or file (default: nest)")
    add("--exact", action="store_true", help="numbers with all digits")
    add("-o", "--output", metavar="FILE", help="write the report to a file instead of standard output")
    add("--plot", dest="plots", action="append", default=[], metavar="FILE", help="roofline plot: .svg, .png or .pdf")
    add("--by-line", action="store_true", help="show counts with every source line")
    add("--explain", action="store_true", help="write the derivation out, as with pen and paper")
    add(
        "--instructions",
        action="store_true",
        help="also print the instruction roofline, and draw it with --plot (GIPS over instructions per transaction)",
    )
    add(
        "--advise",
        action="store_true",
        help="also say what to change in loops and kernels, the gain, and how good any order could be",
    )
    add(
        "--patch",
        action="store_true",
        help="write a unified diff that follows the advice, where that is mechanical, instead of the report",
    )
    add("--dump", choices=("ir",), help="show the intermediate representation instead of the report")
    add("--quiet", action="store_true", help="no notes and no progress on standard error")
    add("--no-color", action="store_true", help="no colours (NO_COLOR is honoured too)")
