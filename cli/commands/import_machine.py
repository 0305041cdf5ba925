"""``ai-estimate machines import FILE --like NAME``: measured roofs of another tool, as a machine file."""

from __future__ import annotations

from collections.abc import Sequence

from roofline.catalog import find_machine
from roofline.machine_from_measurements import import_machine

from ..output import complain, say, write_report
from ..tool_parsers import import_parser


def run_import(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code; raises ``AnalyzerError`` for a file or a machine that does not fit."""
    options = import_parser().parse_args(arguments)
    found = import_machine(options.file, find_machine(options.like), options.precision)
    write_report(found.text, options.output)
    if not options.quiet:
        for remark in found.remarks:
            complain(f"warning: {remark}")
        if options.output is not None and options.output != "-":
            say(f"wrote {options.output}: ai-estimate machines show {options.output}")
    return 0
