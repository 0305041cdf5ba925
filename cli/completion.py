"""Completion of commands, options and their values in shells, by argcomplete.

The output of ``ai-estimate completion bash`` makes the shell call ``ai-estimate`` at every TAB, with the line so far in
the environment (``_ARGCOMPLETE``, ``COMP_LINE``, ``COMP_POINT``: argcomplete's protocol); :func:`answer` replies. The
command is found as :mod:`.main` does, and then taken out of the line, so that its own parser completes the rest.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .parser import Parser

if TYPE_CHECKING:
    from roofline.report.report import Report

Completer = Callable[..., list[str]]
_BUDGET_S = 2.0  # of CPU time for a source of the line: a shell waits for it


def answer() -> int:
    """Write the completions where the shell wants them; nothing without argcomplete."""
    try:
        from argcomplete.finders import CompletionFinder
    except ModuleNotFoundError:
        return 1
    line, point = os.environ["COMP_LINE"], int(os.environ.get("COMP_POINT") or len(os.environ["COMP_LINE"]))
    skipped = int(os.environ["_ARGCOMPLETE"])
    parser, start, end = _chosen(line[:point], skipped)
    _attach(parser)
    os.environ["COMP_LINE"] = line[:start] + line[end:]
    os.environ["COMP_POINT"] = str(point - (end - start))
    CompletionFinder()(parser, always_complete_options=False)
    return 0


def script(shell: str) -> str:
    """Return the shell code that must run once; raises ``ModuleNotFoundError`` without argcomplete."""
    from argcomplete.shell_integration import shellcode

    return shellcode(["ai-estimate"], shell=shell)


def _chosen(text: str, skipped: int) -> tuple[argparse.ArgumentParser, int, int]:
    """Return the parser of the command in a line, and the start and end of its words, which are to be removed.

    ``skipped`` words at the start are the program; a word counts only where a blank follows it.
    """
    words = list(_words(text))[skipped:]
    tree: _Commands = COMMANDS
    start = end = 0
    found: Callable[[], argparse.ArgumentParser] = _analyze
    for position, (word, begins, ends) in enumerate(words):
        entry = tree.get(word) if ends < len(text) else None
        if entry is None:
            break
        start, end = (start if position else begins), ends + 1
        found, tree = entry
    parser = found()
    if tree:
        _offer_commands(parser, tree)
    return parser, start, end


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the words of a line with their start and end; quotes do not matter for commands."""
    position = 0
    for word in text.split(" "):
        if word:
            yield word, position, position + len(word)
        position += len(word) + 1


def _analyze() -> Parser:
    from .parser import analyze_parser

    return analyze_parser()


def _compare() -> argparse.ArgumentParser:
    from .compare.parser import compare_parser

    both = [_analyze(), compare_parser()]
    return argparse.ArgumentParser(parents=both, add_help=False, conflict_handler="resolve")


def _check() -> Parser:
    from .check.parser import check_parser

    return check_parser()


def _machines() -> Parser:
    from .parser import machines_parser

    return machines_parser()


def _explain() -> Parser:
    from .parser import explain_parser

    return explain_parser()


def _tool(name: str) -> Callable[[], Parser]:
    def make() -> Parser:
        from . import tool_parsers

        made: Parser = getattr(tool_parsers, f"{name}_parser")()
        return made

    return make


_Commands = Mapping[str, tuple[Callable[[], argparse.ArgumentParser], Any]]
_MACHINES: _Commands = {"measure": (_tool("measure"), {}), "import": (_tool("import"), {})}
COMMANDS: _Commands = {
    "analyze": (_analyze, {}),
    "check": (_check, {}),
    "compare": (_compare, {}),
    "completion": (_tool("completion"), {}),
    "explain": (_explain, {}),
    "lsp": (_tool("lsp"), {}),
    "machines": (_machines, _MACHINES),
}
"""Parsers by command, and the commands inside of it."""


def _offer_commands(parser: argparse.ArgumentParser, tree: _Commands) -> None:
    """Let the first positional argument be a command too."""
    first = next((action for action in parser._actions if not action.option_strings), None)
    if first is None:
        return
    stated = [str(choice) for choice in first.choices or ()]
    first.choices = None
    files = not stated

    def complete(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
        given = getattr(parsed_args, first.dest, None)
        names = [] if isinstance(given, list) and given else [*stated, *tree]
        return [*_starting(names, prefix), *(_files(prefix) if files else ())]

    setattr(first, "completer", complete)  # noqa: B010  argcomplete reads it, argparse does not declare it


def _attach(parser: argparse.ArgumentParser) -> None:
    """Say how values are completed; an action with choices needs nothing said."""
    completers: dict[str, Completer] = {
        "machines": _listed(_machine_names, with_files=True),
        "names": _listed(_machine_names, with_files=True),
        "policy": _listed(_policies, with_files=True),
        "codes": _listed(_codes),
        "select": _listed(_codes),
        "ignore": _listed(_codes),
        "defines": _of_sources(_sizes),
        "sweeps": _of_sources(_sizes),
        "functions": _of_sources(_functions),
        "launches": _of_sources(_kernels),
    }
    for action in parser._actions:
        if action.dest in completers and not action.choices:
            setattr(action, "completer", completers[action.dest])  # noqa: B010  as above


def _listed(names: Callable[[], Iterable[str]], *, with_files: bool = False) -> Completer:
    """Return a completer of names that may be joined by commas."""

    def complete(prefix: str, **_: object) -> list[str]:
        before, comma, last = prefix.rpartition(",")
        found = [f"{before}{comma}{name}" for name in _starting(names(), last)]
        return [*found, *(_files(prefix) if with_files and not comma else ())]

    return complete


def _of_sources(names: Callable[[Report], Iterable[str]]) -> Completer:
    """Return a completer of names in the sources of the line; none where these cannot be read in a short time."""

    def complete(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
        from analyzer.errors import AnalyzerError
        from roofline.estimation import estimate

        paths = [path for path in getattr(parsed_args, "files", None) or () if os.path.isfile(path)]
        try:
            return _starting(dict.fromkeys(names(estimate(paths, budget_s=_BUDGET_S))), prefix) if paths else []
        except AnalyzerError:
            return []

    return complete


def _sizes(report: Report) -> Iterator[str]:
    return (
        f"{spelled}="
        for region in report.regions
        for spelled in region.profile.symbols
        if spelled not in region.profile.values and not spelled.startswith("?")
    )


def _functions(report: Report) -> Iterator[str]:
    return (region.profile.function for region in report.regions if region.profile.function)


def _kernels(report: Report) -> Iterator[str]:
    return (f"{region.profile.function}:" for region in report.regions if region.profile.kind.value == "kernel")


def _starting(names: Iterable[str], prefix: str) -> list[str]:
    return sorted(name for name in names if name.startswith(prefix))


def _files(prefix: str) -> list[str]:
    from argcomplete.completers import FilesCompleter

    return list(FilesCompleter()(prefix))


def _machine_names() -> Iterable[str]:
    from roofline.catalog import load_catalog

    return (name for entry in load_catalog().entries for name in (entry.id, *entry.aliases) if " " not in name)


def _policies() -> Iterable[str]:
    from analyzer.counts.policy import shipped_policies

    return shipped_policies()


def _codes() -> Iterable[str]:
    from analyzer.diagnostics import catalog

    return catalog()
