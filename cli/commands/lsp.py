"""``ai-estimate lsp``: the language server on standard input and output."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.errors import OptionError

from ..tool_parsers import lsp_parser


def run_lsp(arguments: Sequence[str]) -> int:
    """Serve until the editor leaves; raises ``OptionError`` where pygls is not installed."""
    lsp_parser().parse_args(arguments)
    try:
        from ..lsp.server import make_server
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise OptionError("the language server needs pygls", hint="pip install 'ai-estimate[lsp]'") from error
    make_server().start_io()
    return 0
