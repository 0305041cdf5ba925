"""The entry point: choose the command, turn errors into messages and exit codes."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from .run.process import loading, prepare_process

USABLE, UNUSABLE, DEFECT, INTERRUPTED, CLOSED_PIPE, ENDED = 0, 2, 3, 130, 141, 143
COMMANDS = ("analyze", "check", "compare", "completion", "explain", "lsp", "machines")


def run() -> int:
    """Run the whole process: :func:`main`, and an exit without a last search for garbage (a tenth of a small run)."""
    prepare_process()
    if "_ARGCOMPLETE" in os.environ:  # a shell asks how its line could go on
        from .completion import answer

        return answer()
    signal.signal(signal.SIGTERM, _leave)
    try:
        code = main()
    except KeyboardInterrupt:  # before or after all else
        code = INTERRUPTED
    if code == ENDED:
        from .output import complain

        complain("error: ended by SIGTERM before the report was written (a time limit? --budget bounds a file)")
    gc.freeze()  # the interpreter frees everything next; looking for cycles in it first would be wasted
    return code


def _leave(_signal: int, _frame: object) -> None:
    """End as after Ctrl-C: remove half-written files and end the processes started."""
    sys.exit(ENDED)


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``ai-estimate`` with these arguments (default: those of the process) and return the exit code."""
    shadowed = _shadowed()
    if shadowed is not None:
        from .visible import visible

        sys.stderr.write(f"ai-estimate: error: {visible(shadowed)}\n")
        return UNUSABLE
    from analyzer.errors import AnalyzerError

    from .output import complain

    try:
        return _dispatch(list(sys.argv[1:] if argv is None else argv))
    except AnalyzerError as error:
        for line in error.lines():
            complain(f"error: {line}")
        return UNUSABLE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return CLOSED_PIPE
    except SystemExit as leaving:  # argparse leaves this way after --help
        return leaving.code if isinstance(leaving.code, int) else USABLE
    except Exception as error:
        from .run.internal_error import HINT, describe, tracebacks_wanted

        if tracebacks_wanted():
            raise
        complain(f"error: {describe(error)} ({HINT})")
        return DEFECT


def _dispatch(arguments: list[str]) -> int:
    command = arguments[0] if arguments else ""
    match command:
        case "machines":
            from .commands.machines import run_machines

            return run_machines(arguments[1:])
        case "explain":
            from .commands.explain_code import run_explain

            return run_explain(arguments[1:])
        case "check":
            from .commands.check import run_check

            return run_check(arguments[1:])
        case "completion":
            from .commands.completion import run_completion

            return run_completion(arguments[1:])
        case "lsp":
            from .commands.lsp import run_lsp

            return run_lsp(arguments[1:])
        case "compare":
            return _compare(arguments[1:])
        case "analyze":
            return _analyze(arguments[1:])
        case _:
            _refuse_misspelled(command)
            return _analyze(arguments)


def _refuse_misspelled(command: str) -> None:
    """Raise ``OptionError`` for what is no file and nearly a command."""
    if not command or command.startswith("-") or not command.isalpha() or os.path.exists(command):
        return
    from analyzer.errors import OptionError
    from analyzer.near_names import did_you_mean

    hint = did_you_mean(command, COMMANDS)
    if hint:
        raise OptionError(f"no command and no file is called {command}", hint=hint)


def _compare(arguments: list[str]) -> int:
    from .compare.parser import compare_parser

    own, others = compare_parser().parse_known_args(arguments)
    from .commands.compare import run_compare

    return run_compare(own, others)


def _analyze(arguments: list[str]) -> int:
    from .parser import analyze_parser

    parsed = analyze_parser().parse_args(arguments)
    if parsed.version:
        from roofline.version import VERSION

        from .output import write_standard

        write_standard(f"ai-estimate {VERSION}")
        return USABLE
    with loading("cli.commands.analyze"):
        from .commands.analyze import run_analyze
        from .options import analyze_options

    return run_analyze(analyze_options(parsed))


def _shadowed() -> str | None:
    """Return a sentence on a package of ours that another distribution provides; None where all three are ours.

    The three names are generic, so another distribution may have installed one of them over ours or before it.
    """
    import analyzer
    import roofline

    home = Path(__file__).resolve().parent.parent
    for package in (analyzer, roofline):
        file = package.__file__
        if file is None or Path(file).resolve().parent.parent != home:
            location = file or ", ".join(package.__path__)
            return (
                f"the package '{package.__name__}' is not the one of ai-estimate: {location} comes before {home}"
                " (install ai-estimate in an environment of its own)"
            )
    return None
