"""The argument parser of ``ai-estimate check``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import PurePath

from analyzer.errors import OptionError

from ..parser import Parser, add_analysis

CHECK_FORMATS = ("text", "full", "json", "jsonl", "sarif", "github", "gitlab", "junit")
_FORMAT_BY_SUFFIX = {".json": "json", ".jsonl": "jsonl", ".sarif": "sarif", ".xml": "junit"}
SEVERITIES = ("error", "warning", "note")

_DESCRIPTION = """\
Check loops against rules and budgets, for pre-commit and CI.

  ai-estimate check src/ --machine haswell
  ai-estimate check src/ --write-baseline ai-baseline.json      accept what there is
  ai-estimate check src/ --baseline ai-baseline.json            only what is new, or got worse
  ai-estimate check src/ --diff-base origin/main                only loops that changed
"""
_EPILOG = """\
in the source:
  // ai-estimate: hot, min-ai=0.4, bound=memory        what is asked of the loop below, or of that on its line
  // ai-estimate: assume N=4096, trip(i)=N/2           facts (for every command)
  // ai-estimate: ignore[AI112]                        also ignore-next-line, ignore-begin, ignore-end, ignore-file

configuration, nearest upwards: .ai-estimate.toml, ai-estimate.toml, [tool.ai-estimate] in pyproject.toml
  machine = "haswell"
  defines = { N = 4096 }
  [[budget]]
  function = "triad"
  min-ai = 0.08

exit codes: 0 nothing found, 1 findings of at least --fail-on, 2 an input, an option or a configuration cannot be used
"""


def check_parser() -> Parser:
    """Return the parser."""
    parser = Parser(
        prog="ai-estimate check",
        usage="ai-estimate check [PATH...] [options]",
        description=_DESCRIPTION,
        epilog=_EPILOG,
    )
    parser.add_argument("files", nargs="*", metavar="PATH", help="files and folders (default: the current folder)")
    _add_rules(parser)
    _add_configuration(parser)
    _add_known(parser)
    _add_output(parser)
    add_analysis(parser)
    return parser


def parse_check(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the command line alone."""
    parsed: argparse.Namespace = check_parser().parse_args(arguments)
    if parsed.config is not None and parsed.isolated:
        raise OptionError("--config and --isolated exclude each other", hint="leave one of them out")
    if parsed.diff_base is not None and "-" in parsed.files:
        raise OptionError("--diff-base cannot compare standard input (-)", hint="name the file")
    suffix = PurePath(parsed.output_file or "").suffix.lower()
    parsed.format = parsed.format or _FORMAT_BY_SUFFIX.get(suffix, "text")
    return parsed


def _add_rules(parser: Parser) -> None:
    add = parser.add_argument_group("rules").add_argument
    add("--select", action="append", metavar="CODES", help="only these rules: AI105,AI106, or beginnings as AI1")
    add("--ignore", action="append", metavar="CODES", help="without these rules")
    add("--fail-on", choices=SEVERITIES, default="warning", help="least severity of exit code 1 (default: warning)")
    add("--exit-zero", action="store_true", help="exit code 0 whatever is found")
    add("--list-rules", action="store_true", help="list the rules and exit; ai-estimate explain AI105 says more")


def _add_configuration(parser: Parser) -> None:
    add = parser.add_argument_group("configuration").add_argument
    add("--config", metavar="FILE", help="this configuration instead of the nearest")
    add("--isolated", action="store_true", help="no configuration")
    add("--show-settings", action="store_true", help="show what is in force for which files, and exit")
    add("--force-exclude", action="store_true", help="leave excluded files out even where they are named")


def _add_known(parser: Parser) -> None:
    add = parser.add_argument_group("what is known already").add_argument
    add("--baseline", metavar="FILE", help="pass over the findings in it, and find loops whose intensity fell")
    add("--write-baseline", metavar="FILE", help="write the findings and intensities, and exit with 0")
    add("--diff-base", metavar="REF", help="only loops that changed since this commit (git)")


def _add_output(parser: Parser) -> None:
    add = parser.add_argument_group("output").add_argument
    add(
        "--format",
        choices=CHECK_FORMATS,
        help="one line each (text), full, or for programs (default: by the suffix of the output file, else text)",
    )
    add(
        "-o",
        "--output-file",
        "--output",
        dest="output_file",
        metavar="FILE",
        help="write to a file instead of standard output",
    )
    add("--quiet", action="store_true", help="no notes on standard error")
    add("--no-color", action="store_true", help="no colours (NO_COLOR is honoured too)")
