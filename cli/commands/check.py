"""``ai-estimate check``: the command line, the files, and then :mod:`cli.check.groups`, which loads the analysis."""

from __future__ import annotations

from collections.abc import Sequence

from ..check.files import files_to_check
from ..check.parser import parse_check
from ..output import write_standard
from ..render.ci.unchecked import Unchecked


def run_check(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code; raises ``AnalyzerError`` where the options cannot be used."""
    parsed = parse_check(arguments)
    if parsed.list_rules:
        from analyzer.diagnostics import catalog
        from roofline.rules.codes import check_codes

        infos = (catalog()[code] for code in check_codes())
        write_standard("".join(f"{info.code}  {info.severity.value:<8} {info.title}\n" for info in infos))
        return 0
    given = files_to_check(parsed)
    plain = parsed.format == "text" and not (parsed.show_settings or parsed.write_baseline or parsed.output_file)
    if plain and given.complete and not given.files:
        write_standard(f"{Unchecked(without_loops=given.without_loops).nothing}\n")
        return 0
    from ..check.groups import run_groups

    return run_groups(arguments, parsed, given)
