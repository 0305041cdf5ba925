"""The page of options and configuration keys, from the parsers and the keys of a configuration: ``cli/OPTIONS.md``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from cli.check.config import BUDGET_KEYS, KEYS, Key
from cli.check.parser import check_parser
from cli.compare.parser import compare_parser
from cli.parser import analyze_parser, explain_parser, machines_parser
from cli.tool_parsers import completion_parser, import_parser, lsp_parser, measure_parser

_HEAD = """\
# Options and configuration keys

What `--help` of every command lists, and the keys of `ai-estimate.toml`. A test writes this page from their
definitions (`pytest tests/e2e/test_option_tables.py --update-goldens`) and fails where it differs. How to use them is
in [the command line](README.md).
"""


def page() -> str:
    """Return the page."""
    return "\n".join((_HEAD, *_options(), *_keys()))


def _options() -> Iterator[str]:
    shown: set[tuple[tuple[str, ...], str | None]] = set()
    for name, parser in (
        ("ai-estimate FILE...", analyze_parser()),
        ("ai-estimate check", check_parser()),
        ("ai-estimate compare", compare_parser()),
    ):
        yield f"## `{name}`\n"
        if shown:
            yield "Beside those above on reading, counting and machines:\n"
        for group in parser._action_groups:
            listed = [action for action in group._group_actions if action.option_strings]
            yield from _table(_title(group), [action for action in listed if _identity(action) not in shown])
        shown |= {_identity(action) for action in parser._actions}
    for parser in (
        machines_parser(),
        measure_parser(),
        import_parser(),
        explain_parser(),
        completion_parser(),
        lsp_parser(),
    ):
        yield f"## `{parser.prog}`\n"
        yield from _table("", parser._actions)


def _table(title: str, actions: Sequence[argparse.Action]) -> Iterator[str]:
    rows = [action for action in actions if action.help and action.dest != "help"]
    if rows:
        yield (f"{title}\n\n" if title else "") + "| option | meaning |\n|---|---|"
        yield from (f"| {_spelled(action)} | {_cell(action.help or '')} |" for action in rows)
        yield ""


def _identity(action: argparse.Action) -> tuple[tuple[str, ...], str | None]:
    return tuple(action.option_strings), action.help


def _title(group: argparse._ArgumentGroup) -> str:
    title = group.title or ""
    return "General" if title == "options" else title[:1].upper() + title[1:]


def _spelled(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else str(action.metavar or f"{{{','.join(map(str, action.choices or ()))}}}")
    return ", ".join(f"`{_cell(f'{option} {value}'.strip())}`" for option in action.option_strings or ("",))


def _cell(text: str) -> str:
    return text.replace("%%", "%").replace("|", "\\|")


def _keys() -> Iterator[str]:
    by_name = {action.dest.replace("_", "-"): action for action in check_parser()._actions}
    yield "## Keys of `ai-estimate.toml`\n\n| key | value | meaning | option |\n|---|---|---|---|"
    for name, key in KEYS.items():
        action = by_name.get(name) or by_name.get(f"{name}s")
        option = f"`{action.option_strings[0]}`" if action is not None else ""
        yield _row(name, key, (key.meaning or (action.help if action is not None else "")) or "", option)
    yield "\n## Keys of `[[budget]]`\n\n| key | value | meaning |\n|---|---|---|"
    yield from (_row(name, key, key.meaning) for name, key in BUDGET_KEYS.items())
    yield ""


def _row(name: str, key: Key, meaning: str, *more: str) -> str:
    return " | ".join((f"| `{name}`", _cell(key.form), _cell(meaning), *more)) + " |"
