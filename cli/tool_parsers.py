"""The argument parsers of the commands around the analysis: ``machines measure``, ``lsp``, ``completion``."""

from __future__ import annotations

import argparse

from .parser import Parser

SHELLS = ("bash", "zsh", "fish")

_MEASURE = """\
Measure this machine with micro-benchmarks, built with the C compiler found here ($CC, cc, gcc or clang), and write a
machine file: clocks (also under vectors), bandwidths of every cache level and of memory (load, copy, triad; also with
non-temporal stores), how much of the last cache there is to be had, peaks (fp64 and fp32, with FMA and without), ports
at each width, latencies and divisions, of one core and of all. What looks doubtful, on a busy or a virtual machine, is
said and marked in the file, and what there was no time for.

  ai-estimate machines measure -o mine.toml
  ai-estimate kernel.c --machine ./mine.toml
"""

PRECISIONS = ("fp64", "fp32", "fp16")

_IMPORT = """\
Make a machine file of measured roofs. Bandwidths and peaks are those of the file; clocks, cores and sizes of caches,
which roofline tools do not record, are those of the machine that was measured.

  ai-estimate machines import roofline.json --like v100 -o mine.toml
  ai-estimate kernel.cu --machine ./mine.toml
  ai-estimate kernel.cu --machine roofline.json@v100     the same without a file
"""


def measure_parser() -> Parser:
    """Return the parser of ``ai-estimate machines measure``."""
    parser = Parser(
        prog="ai-estimate machines measure",
        description=_MEASURE,
    )
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", help="the machine file, ends in .toml (default: standard output)")
    add("--cores", type=int, metavar="N", help="describe and measure N cores (default: all that may be used)")
    add("--cc", metavar="COMMAND", help="compiler to use (with --gpu: the nvcc to use)")
    add("--seconds", type=float, default=20.0, metavar="S", help="end within S seconds (default: 20)")
    add("--gpu", action="store_true", help="measure the NVIDIA GPU instead; needs nvcc and a driver")
    add("--quiet", action="store_true", help="no progress and no notes; doubts are still reported")
    return parser


def import_parser() -> Parser:
    """Return the parser of ``ai-estimate machines import``."""
    parser = Parser(
        prog="ai-estimate machines import",
        description=_IMPORT,
    )
    add = parser.add_argument
    add("file", metavar="FILE", help="roofline.json (ERT), roofline.csv (rocprof-compute, CARM), data.txt (nersc)")
    add("--like", required=True, metavar="NAME", help="the machine that was measured: clocks, cores, sizes of caches")
    add("--precision", choices=PRECISIONS, default="fp64", help="of peaks whose tool does not say (default: fp64)")
    add("-o", "--output", metavar="FILE", help="the machine file, ends in .toml (default: standard output)")
    add("--quiet", action="store_true", help="no warnings")
    return parser


def lsp_parser() -> Parser:
    """Return the parser of ``ai-estimate lsp``."""
    parser = Parser(
        prog="ai-estimate lsp",
        description="Language server on standard input and output: lenses over loops, derivations on hover, findings. "
        "Editors start it; machine and sizes come from their settings (cli/lsp/README.md).",
        formatter_class=argparse.HelpFormatter,
    )
    parser.add_argument("--stdio", action="store_true", help="for editors that pass it; there is no other way")
    return parser


_COMPLETION = """\
Print what makes a shell complete commands, options, machines, policies and codes. To have it in every shell:

  bash   echo 'eval "$(ai-estimate completion bash)"' >> ~/.bashrc
  zsh    echo 'eval "$(ai-estimate completion zsh)"' >> ~/.zshrc     (below compinit)
  fish   ai-estimate completion fish > ~/.config/fish/completions/ai-estimate.fish

Needs the extra `completion` (argcomplete).
"""


def completion_parser() -> Parser:
    """Return the parser of ``ai-estimate completion``."""
    parser = Parser(
        prog="ai-estimate completion",
        description=_COMPLETION,
    )
    parser.add_argument("shell", choices=SHELLS, help="bash, zsh or fish")
    return parser
