"""Command line and configuration to the settings of a check, for each group of files with the same configuration."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from analyzer.diagnostics import Severity
from analyzer.errors import OptionError
from roofline.rules.codes import check_codes

from ..options import STANDARD_INPUT, AnalyzeOptions, analyze_options
from ..parser import analyze_parser
from .config import NOTHING, Configuration, Finder, read_configuration
from .parser import check_parser, parse_check

# Keys that are more than the default of the option of the same name: lists are put together, and two are no options.
_COMBINED = frozenset(
    {"machine", "defines", "include-dirs", "profile", "arrays", "matrices", "confine", "select", "ignore", "exclude"}
    | {"min-ai"}
)


class Group(Struct, frozen=True, kw_only=True):
    """Files with the same configuration, and their settings."""

    files: tuple[str, ...]
    configuration: Configuration
    analysis: AnalyzeOptions
    selected: frozenset[str]
    fail_on: Severity
    baseline: str | None

    def with_files(self, files: tuple[str, ...]) -> Group:
        """Return the same settings for some of the files."""
        return replace(self, files=files, analysis=replace(self.analysis, files=files))


def grouped(arguments: Sequence[str], files: Iterable[str]) -> Iterator[Group]:
    """Yield the groups in the order of their first files; raises ``OptionError``."""
    parsed = parse_check(arguments)
    by_configuration: dict[str | None, tuple[Configuration, list[str]]] = {}
    finder = Finder()
    given = None if parsed.config is None else read_configuration(Path(parsed.config)) or NOTHING
    for file in files:
        where = "stdin" if file == STANDARD_INPUT else file
        found = given or (NOTHING if parsed.isolated else finder.nearest(where))
        by_configuration.setdefault(found.path, (found, []))[1].append(file)
    for configuration, members in by_configuration.values():
        yield _group(arguments, configuration, members)


def _group(arguments: Sequence[str], configuration: Configuration, files: Sequence[str]) -> Group:
    values = configuration.values
    parser = check_parser()
    parser.set_defaults(**{key.replace("-", "_"): value for key, value in values.items() if key not in _COMBINED})
    parsed = parser.parse_args(arguments)
    own = {text.partition("=")[0] for text in parsed.defines}
    configured = [text for text in values.get("defines", ()) if text.partition("=")[0] not in own]
    parsed.defines = [*configured, *parsed.defines]
    parsed.include_dirs = [*parsed.include_dirs, *values.get("include-dirs", ())]
    shared_data = not (parsed.profile or parsed.arrays or parsed.matrices)
    parsed.profile = parsed.profile or values.get("profile", [])
    parsed.arrays = parsed.arrays or values.get("arrays", [])
    parsed.matrices = parsed.matrices or values.get("matrices", [])
    parsed.confine = parsed.confine or values.get("confine", [])  # a repository cannot add to what the user allows
    parsed.machines = parsed.machines or values.get("machine", [])
    shared = frozenset(text.partition("=")[0] for text in values.get("defines", ()))
    asks_least = any(budget.demand.max_distance is not None for budget in configuration.budgets)
    return Group(
        files=tuple(files),
        configuration=configuration,
        analysis=replace(
            _analysis(parsed, files), shared_defines=shared, shared_data=shared_data, least_traffic=asks_least
        ),
        selected=selected_codes(
            _listed(parsed.select) or values.get("select", ()), [*values.get("ignore", ()), *_listed(parsed.ignore)]
        ),
        fail_on=Severity(parsed.fail_on),
        baseline=parsed.baseline,
    )


def _analysis(parsed: argparse.Namespace, files: Sequence[str]) -> AnalyzeOptions:
    """Return the options of the analysis: conditions of the caches are wanted, nothing else is rendered."""
    wanted: dict[str, Any] = {**vars(analyze_parser().parse_args([])), **vars(parsed)}
    wanted.update(files=list(files), format="json", explain=True, exclude=[])
    options = analyze_options(argparse.Namespace(**wanted))
    if options.swept is not None:
        raise OptionError(f"a check takes one value of {options.swept.name}, not a range", hint="run it once for each")
    return options


def _listed(groups: Sequence[str] | None) -> list[str]:
    return [code.strip() for group in groups or () for code in group.split(",") if code.strip()]


def selected_codes(select: Sequence[str], ignore: Sequence[str]) -> frozenset[str]:
    """Return the codes of the rules asked for: all, or those with a prefix in ``select``, less those in ``ignore``."""
    chosen = frozenset(code for start in select for code in _beginning(start)) if select else frozenset(check_codes())
    return chosen - {code for start in ignore for code in _beginning(start)}


def _beginning(start: str) -> list[str]:
    codes = [code for code in check_codes() if start and code.startswith(start.upper())]
    if not codes:
        raise OptionError(f"no rule has a code that begins as {start!r}", hint="--list-rules shows all of them")
    return codes


def settings_text(group: Group) -> str:
    """Return the settings in force as lines of TOML, with the configuration file that they come from."""
    options = group.analysis
    settings = {
        "machine": list(options.machines),
        "defines": dict(options.defines),
        "include-dirs": list(options.include_dirs),
        "profile": list(options.profile),
        "arrays": {name: text for name, _, text in (each.partition("=") for each in options.arrays)},
        "matrices": list(options.matrices),
        "confine": list(options.confine),
        "std": options.std or "",
        "policy": options.policy,
        "cache": options.cache.value,
        "peak": options.peak,
        "select": sorted(group.selected),
        "fail-on": group.fail_on.value,
        "baseline": group.baseline or "",
        "min-ai": str(group.configuration.values.get("min-ai", "")),
    }
    lines = [f"# {len(group.files)} files, configuration: {group.configuration.path or 'none'}"]
    lines += [f"{key} = {_toml(value)}" for key, value in settings.items()]
    for budget in group.configuration.budgets:
        demand = budget.demand
        lines += ["[[budget]]", f"file = {_toml(budget.file)}", f"function = {_toml(budget.function)}"]
        lines += [f"loop = {_toml(budget.loop)}", f"hot = {_toml(demand.hot)}"]
        lines += [f"min-ai = {_toml(str(demand.min_ai))}"] * (demand.min_ai is not None)
        lines += [f"bound = {_toml(demand.bound)}"] * (demand.bound is not None)
        lines += [f"max-distance = {_toml(str(demand.max_distance))}"] * (demand.max_distance is not None)
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml(name)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_toml(item)}" for key, item in value.items()) + " }" if value else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    text = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
