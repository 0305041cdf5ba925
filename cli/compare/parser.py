"""The argument parser of ``ai-estimate compare``: its own options; all others are those of ``ai-estimate FILE...``."""

from __future__ import annotations

import textwrap

from roofline.comparison.reasons.codes import Code
from roofline.measured.all_importers import kernel_importers
from roofline.measured.repeats import REDUCTIONS

from ..parser import Parser

COMPARE_FORMATS = ("table", "text", "json", "csv", "markdown", "html", "nersc")

_DESCRIPTION = """\
Compare what is predicted with what was measured: FLOPs, bytes and intensity of every level, and the speed against the
bound that holds for the measured intensity; say which rule explains a difference.

FLOPs of ncu and nvprof are counts of machine code, so the policy is nvidia-sass then, else source (--policy).
"""
_EPILOG = """\
formats (recognised by what the file holds):
{formats}

reasons that are reported where the numbers fit them:
{reasons}

Every option of `ai-estimate FILE...` holds here too: -D, --machine, --cores, --launch, ... (ai-estimate --help).

examples:
  ai-estimate compare triad.cu --measured ncu.csv --machine v100
  ai-estimate compare triad.c -D n=2^24 --measured likwid.csv --machine xeon-6148 --cores 2 --tolerance bytes=25%
  ai-estimate compare triad.cu --measured ncu.csv --machine v100 --format html --output gap.html
  ai-estimate compare --measured data.txt --machine v100 --plot measured.svg     measured data alone
  ai-estimate compare kernel.cu --measured metrics.csv --measured times.csv --machine v100 --map 'axpy*=saxpy'

exit codes: 0 all that was compared agrees or is within its bound, 1 something differs, 2 an input or an option that
cannot be used, or nothing that could be compared
"""


def compare_parser() -> Parser:
    """Return the parser of the options that only ``compare`` has."""
    formats = "\n".join(f"  {form.name:<17} {form.made_by}" for form in kernel_importers())
    reasons = textwrap.fill(", ".join(Code), 116, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    parser = Parser(
        prog="ai-estimate compare",
        usage="ai-estimate compare FILE... --measured FILE [--machine NAME] [options]",
        description=_DESCRIPTION,
        epilog=_EPILOG.format(formats=formats, reasons=reasons),
    )
    add = parser.add_argument
    add("--measured", action="append", default=[], metavar="FILE", help="measured data; repeatable")
    add("--measured-format", metavar="NAME", help="format of the measured files, where it is not recognised")
    add(
        "--map",
        dest="maps",
        action="append",
        default=[],
        metavar="MEASURED=PREDICTED",
        help="join a measured name (may have *) with a region, a function or FILE:LINE; repeatable",
    )
    add(
        "--tolerance",
        default="10%",
        metavar="T",
        help="10%% (default), or by quantity and level: flops=1%%,bytes=25%%,bytes.L2=50%%,time=20%%",
    )
    add(
        "--repeated",
        choices=tuple(REDUCTIONS),
        default="median",
        help="what stands for several launches of one kernel with one shape (default: median)",
    )
    add("--executions", type=int, default=1, metavar="N", help="the measured region ran N times (default: 1)")
    add("--policy", metavar="NAME", help="FLOP policy (default: nvidia-sass for ncu and nvprof, else source)")
    add("--format", choices=COMPARE_FORMATS, default="table", help="form of the comparison (default: table)")
    add("-o", "--output", metavar="FILE", help="write to a file instead of standard output")
    add("--quiet", action="store_true", help="no remarks on standard error")
    add("--no-color", action="store_true", help="no colours")
    return parser
