"""``ai-estimate completion SHELL``: the shell code that completes our commands, options and names."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.errors import OptionError

from ..completion import script
from ..output import write_standard
from ..tool_parsers import completion_parser


def run_completion(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code; raises ``OptionError`` where argcomplete is not installed."""
    options = completion_parser().parse_args(arguments)
    try:
        text = script(options.shell)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "argcomplete":
            raise
        raise OptionError("completion needs argcomplete", hint="pip install 'ai-estimate[completion]'") from error
    write_standard(text)
    return 0
