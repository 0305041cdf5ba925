"""``ai-estimate lsp``: the language server on standard input and output."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from typing import BinaryIO, cast

from analyzer.errors import OptionError

from ..output import forget_standard
from ..tool_parsers import lsp_parser


def run_lsp(arguments: Sequence[str]) -> int:
    """Serve until the editor leaves, and return 1 where it asks for the end without ``shutdown`` before.

    Raises ``OptionError`` where pygls is not installed.
    """
    lsp_parser().parse_args(arguments)
    try:
        from ..lsp.server import make_server
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise OptionError("the language server needs pygls", hint="pip install 'ai-estimate[lsp]'") from error
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # it warns of a process that ends after the server
    server = make_server()
    server.start_io(stdout=cast("BinaryIO", _Answers(sys.stdout.buffer)))
    return server.exit_code


class _Answers:
    """Standard output until the editor is gone: what nobody reads any more is dropped, and the end of input follows."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream: BinaryIO | None = stream

    def write(self, data: bytes) -> None:
        """Send a message, if there is still a reader."""
        try:
            if self._stream is not None:
                self._stream.write(data)
                self._stream.flush()
        except BrokenPipeError:
            self._stream = None
            forget_standard()

    def flush(self) -> None:
        """Do nothing: each message is sent at once."""

    def close(self) -> None:
        """Do nothing: standard output closes with the process."""
