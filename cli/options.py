"""Parsed arguments to one frozen options value of the ``analyze`` command."""

from __future__ import annotations

import os
import re
import shlex
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from analyzer.data_files.numbers import rational
from analyzer.errors import OptionError
from analyzer.frontend.confinement import check_folders
from analyzer.near_names import did_you_mean
from analyzer.traffic.hierarchy import parse_hierarchy
from analyzer.traffic.options import CacheModel
from roofline.options import EstimateOptions, WhichConditions, names_in

from .budget import parse_budget
from .cache.folder import folder_of
from .colors import colors_allowed
from .defines import Define, integer, parse_define
from .render.hotspots.view import View
from .values import read_values

STANDARD_INPUT = "-"
_MOST_FACTOR = 1e9
_MOST_COUNT = 10**9
_FORMAT_BY_SUFFIX = {".json": "json", ".csv": "csv", ".html": "html", ".md": "markdown"}
PLOT_SUFFIXES = ("svg", "png", "pdf")


class SweptSize(Struct, frozen=True):
    """The one size that is a range, the names that take each of its values too (``-D m=n``), and the option for it."""

    name: str
    values: tuple[int, ...]
    followers: tuple[str, ...] = ()
    option: str = "-D"


class Workers(Struct, frozen=True):
    """Where files are analyzed: in ``count`` processes (None: as many as pay) of at most ``memory_mib``, or elsewhere.

    ``executor`` is ``dask://host:port`` or ``mpi``.
    """

    count: int | None = None
    memory_mib: int = 4096
    executor: str | None = None


class AnalyzeOptions(EstimateOptions, frozen=True, kw_only=True):
    """Everything that ``ai-estimate FILE...`` was asked for; the names follow the command line."""

    files: tuple[str, ...]
    exclude: tuple[str, ...]
    workers: Workers
    store: Path | None
    swept: SweptSize | None
    machines: tuple[str, ...]
    format: str
    output: str | None
    plots: tuple[str, ...]
    by_line: bool
    explain: bool
    instructions: bool
    patch: bool
    dump: str | None
    quiet: bool
    color: bool
    view: View

    @property
    def has_sources(self) -> bool:
        """Return whether sources are named, by themselves or by a compilation database."""
        return bool(self.files or self.compile_commands)

    def as_primitive(self) -> dict[str, Any]:
        """Return the report's ``options``: everything that the numbers depend on, and the memory of a process."""
        return {**super().as_primitive(), "budget_mib": self.workers.memory_mib}


def analyze_options(arguments: Namespace, *, needs_files: bool = True) -> AnalyzeOptions:
    """Check the arguments and freeze them; raises ``OptionError``.

    A field is the argument of the same name, checked by :data:`_CHECKED`; those here are made of several.
    """
    if needs_files and not arguments.files and arguments.compile_commands is None:
        raise OptionError("no input file", hint="name a source file or a folder, or - for standard input; see --help")
    _check_together(arguments)
    sizes = _sizes(arguments)
    budget = parse_budget(arguments.budget)
    count = None if arguments.jobs is None else _at_least_one("-j", arguments.jobs)
    made = {
        "workers": Workers(count, budget.memory_mib, arguments.executor),
        "store": folder_of(os.environ) if arguments.keep_results else None,
        "defines": sizes.defines,
        "given_at": sizes.given_at,
        "swept": sizes.swept,
        "budget_s": budget.seconds,
        "budget_operations": budget.operations,
        "write_allocate": True if arguments.write_allocate else False if arguments.no_write_allocate else None,
        "format": _format(_default_format(arguments), arguments.output),
        "advise": arguments.advise or arguments.patch,
        "conditions": _conditions(arguments),
        "color": colors_allowed(no_color=arguments.no_color),
        "view": View(top=_top(arguments.top), sort=arguments.sort, by=arguments.by, exact=arguments.exact),
    }
    given = {name: value for name, value in vars(arguments).items() if name in _FIELDS and name not in made}
    return AnalyzeOptions(**made, **{name: _checked(name, value) for name, value in given.items()})


class _Sizes(Struct, frozen=True):
    """Values by name, the file and line of those that a file lists, and the values of the sizes of a sweep."""

    defines: Mapping[str, str]
    given_at: Mapping[str, tuple[str, int]]
    swept: SweptSize | None


def _refuse_two_values(defines: Iterable[Define]) -> None:
    """Raise ``OptionError`` for a name with two values: which one is meant cannot be known."""
    first: dict[str, Define] = {}
    for define in defines:
        known = first.setdefault(define.name, define)
        if known != define:
            what = f"{define.name} is given twice, as {known.text} and as {define.text}"
            raise OptionError(f"-D {define.name}: {what}", hint="leave one of them out")


def _sizes(arguments: Namespace) -> _Sizes:
    """Return the sizes of the command line, and those of files that it does not give itself."""
    sweeps = [_of_sweep(argument) for argument in arguments.sweeps]
    stated = list(map(parse_define, arguments.defines))
    _refuse_two_values(stated)
    defines = [*stated, *sweeps]
    twice = next((define.name for define in sweeps if [each.name for each in defines].count(define.name) > 1), None)
    if twice is not None:
        raise OptionError(f"--sweep {twice}: {twice} is given twice", hint="leave one of them out")
    own = {define.name for define in defines}
    in_files = (given for path in arguments.values for given in read_values(path))
    listed = {given.define.name: given for given in in_files if given.define.name not in own}
    if arguments.instructions and arguments.plots and any(define.values for define in defines):
        raise OptionError("--instructions draws one size, but one -D is a range", hint="give one value")
    values = {name: given.define.text for name, given in listed.items()}
    values |= {define.name: define.text for define in defines if not define.values}
    values = {name: _followed(text, values) for name, text in values.items()}
    swept = _swept(defines)
    if swept is not None and sweeps:
        swept = replace(swept, option="--sweep")
    if swept is not None:
        followers = tuple(name for name, text in values.items() if text == swept.name)
        values = {name: text for name, text in values.items() if name not in followers}
        swept = replace(swept, followers=followers)
    return _Sizes(values, {name: (given.path, given.line) for name, given in listed.items()}, swept)


def _followed(text: str, values: Mapping[str, str]) -> str:
    """Return a value; that of another name which has a number for one that is this name (``-D n=1000 -D m=n``)."""
    other = values.get(text)
    return text if other is None or integer(other) is None else other


def _check_together(arguments: Namespace) -> None:
    """Raise ``OptionError`` for arguments that make no sense together."""
    if arguments.files.count(STANDARD_INPUT) > 1:
        raise OptionError("standard input (-) can be read only once", hint="name - once, and other sources by file")
    if arguments.plots and not arguments.machines:
        raise OptionError("--plot needs a machine to draw the roofline of", hint="add --machine NAME")
    if arguments.convention and arguments.cache:
        hint = "leave one out: a convention counts bytes without a model of the caches"
        raise OptionError(f"--convention {arguments.convention} and --cache {arguments.cache} contradict", hint=hint)
    if arguments.patch and arguments.format is not None:
        hint = "leave one out: --advise reports the advice that the diff follows"
        raise OptionError(f"--patch writes a diff, not --format {arguments.format}", hint=hint)
    if arguments.explain and arguments.format == "csv":
        raise OptionError("--explain has no meaning for --format csv", hint="leave one out")
    if arguments.instructions and not arguments.machines:
        raise OptionError("--instructions needs a machine that starts them", hint="add --machine NAME")
    if arguments.instructions and arguments.format in ("json", "csv", "html") and not arguments.plots:
        hint = "leave it out: JSON has the instruction roofline of every nest, and the page under each"
        raise OptionError(f"--instructions has no meaning for --format {arguments.format}", hint=hint)


def _conditions(arguments: Namespace) -> WhichConditions:
    """Return when capacity conditions are worked out: on request, and where sizes are not known, as they may decide."""
    asked = arguments.explain or arguments.advise or arguments.patch
    return WhichConditions.ALWAYS if asked else WhichConditions.IF_UNKNOWN


def _folders(named: list[str]) -> tuple[str, ...]:
    """Return the folders of ``--confine``."""
    check_folders(named)
    return tuple(dict.fromkeys(named))


def _of_sweep(argument: str) -> Define:
    """Return the size of a ``--sweep``: with equal ratios, but for a list and a range with a step; as it is called."""
    _, equals, value = argument.partition("=")
    try:
        define = parse_define(f"{argument}:log" if equals and value.count(":") == 1 else argument)
    except OptionError as error:
        text = error.message.removeprefix("-D ").replace(":log", "")
        raise OptionError(f"--sweep {text}", hint=error.hint) from None
    if not define.values:
        raise OptionError(f"--sweep {argument} is not a range", hint="write --sweep N=10:10000")
    return define


def _swept(defines: Iterable[Define]) -> SweptSize | None:
    ranges = [SweptSize(define.name, define.values) for define in defines if define.values]
    if len(ranges) > 1:
        names = " and ".join(size.name for size in ranges)
        raise OptionError(f"only one -D may be a range, but {names} are", hint="give the others one value each")
    return ranges[0] if ranges else None


def _program_arguments(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        hint = "close every quotation mark, as for a shell"
        raise OptionError(f"--args {text} cannot be split into words: {error}", hint=hint) from None


def _lines(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    bounds = re.fullmatch(r"([0-9]{1,9})(?:[:-]([0-9]{1,9}))?", text)
    if bounds is None:
        raise OptionError(f"--lines {text} is not a range of lines", hint="write --lines 10:20")
    first = int(bounds[1])
    last = int(bounds[2] or first)
    if last < first:
        raise OptionError(f"--lines {text}: the range ends before it starts", hint="write the smaller line first")
    return first, last


def _probability(text: str) -> Fraction:
    try:
        value = rational(text)
    except ValueError:
        raise OptionError(f"--branch-probability {text} is not a number", hint="write 0.5 or 1/2") from None
    if not 0 <= value <= 1:
        raise OptionError(f"--branch-probability {text} is not between 0 and 1", hint="write 0.5 or 1/2")
    return value


def _factor(option: str, text: str) -> float:
    try:
        value = float(rational(text))
    except ValueError:
        raise OptionError(f"{option} {text} is not a number", hint=f"write {option} 2") from None
    if not 0 < value <= _MOST_FACTOR:
        raise OptionError(f"{option} {text} must be above 0 and at most {_MOST_FACTOR:g}", hint=f"write {option} 2")
    return value


def _at_least_one(option: str, value: int) -> int:
    if not 1 <= value <= _MOST_COUNT:
        raise OptionError(f"{option} must be at least 1 and at most {_MOST_COUNT}, not {value}")
    return value


def _top(count: int | Literal["all"] | None) -> int | None:
    """Return how many nests are shown, 0 for all of them."""
    return 0 if count == "all" else None if count is None else _at_least_one("--top", count)


def _names(option: str, groups: Iterable[str]) -> tuple[str, ...]:
    """Return the names in lists with commas, each once; raises ``OptionError`` for a list without any."""
    found = {group: names_in(group) for group in groups}
    for group, names in found.items():
        if not names:
            raise OptionError(f"{option} {group!r} names nothing", hint="give a name, or leave the option out")
    return tuple(dict.fromkeys(name for names in found.values() for name in names))


def _line_bytes(value: int) -> int:
    if _at_least_one("--line-bytes", value) & (value - 1):
        raise OptionError(f"--line-bytes {value} is no power of two", hint="write --line-bytes 64")
    return value


def _standard(name: str | None) -> str | None:
    if name is not None and name not in _STANDARDS and not name.startswith("iso9899:"):
        hint = did_you_mean(name, _STANDARDS) or "write --std c11 or --std c++17"
        raise OptionError(f"no language standard is called {name!r}", hint=hint)
    return name


def _hierarchy(text: str | None) -> str | None:
    if text is not None:
        parse_hierarchy(text)
    return text


def _default_format(arguments: Namespace) -> str:
    """Return the format that is named, else that of the suffix of ``-o``, else the first screen.

    The whole table where what the screen lacks is asked for.
    """
    suffix = PurePath(arguments.output or "").suffix.lower()
    by_suffix = _FORMAT_BY_SUFFIX.get(suffix, "table" if arguments.verify or arguments.by_line else "overview")
    found: str = arguments.format or by_suffix
    return found


def _format(name: str, output: str | None) -> str:
    """Return the format; raises ``OptionError`` for a page without its packages, or of megabytes on a terminal."""
    if name == "html":
        missing = [package for package in ("jinja2", "plotly", "pygments") if find_spec(package) is None]
        if missing:
            raise OptionError(f"--format html needs {' and '.join(missing)}", hint="pip install 'ai-estimate[html]'")
        if output is None and sys.stdout is not None and sys.stdout.isatty():
            raise OptionError("--format html writes a page of some megabytes", hint="add -o report.html")
    return name


def plot_format(path: str) -> str:
    """Return the format that the suffix of a file stands for: "svg" of ``Roof.SVG``."""
    return PurePath(path).suffix.lower().lstrip(".")


def _plot(path: str) -> str:
    suffix = plot_format(path)
    if suffix not in PLOT_SUFFIXES:
        raise OptionError(
            f"--plot {path}: the format of a plot follows from its suffix, and this one is not known",
            hint="use .svg, .png or .pdf",
        )
    return path


_OF_C = ("89", "90", "99", "9x", "11", "1x", "17", "18", "23", "2x", "2y")
_OF_CXX = ("98", "03", "11", "0x", "14", "1y", "17", "1z", "20", "2a", "23", "2b", "26", "2c")
_STANDARDS = tuple(
    f"{family}{year}"
    for families, years in ((("c", "gnu"), _OF_C), (("c++", "gnu++"), _OF_CXX))
    for family in families
    for year in years
)
"""What clang 18 calls the versions of the languages (``clang/Basic/LangStandards.def``)."""
_FIELDS = frozenset(AnalyzeOptions.__struct_fields__)
_CHECKED: Mapping[str, Callable[[Any], Any]] = {
    "files": lambda named: tuple(dict.fromkeys(named)),
    "confine": _folders,
    "program_arguments": _program_arguments,
    "functions": partial(_names, "--function"),
    "lines": _lines,
    "fma": lambda word: word == "fast",
    "branch_probability": _probability,
    "line_bytes": _line_bytes,
    "std": _standard,
    "cache": lambda word: CacheModel(word or "analytic"),
    "hierarchy": _hierarchy,
    "machines": partial(_names, "--machine"),
    "cores": lambda count: None if count is None else _at_least_one("--cores", count),
    "scale_flops": partial(_factor, "--scale-flops"),
    "scale_bandwidth": partial(_factor, "--scale-bandwidth"),
    "plots": lambda paths: tuple(map(_plot, paths)),
}


def _checked(name: str, value: Any) -> Any:
    """Return the value of a field: its argument as it is checked, a list as a tuple."""
    check = _CHECKED.get(name)
    if check is not None:
        return check(value)
    return tuple(value) if isinstance(value, list) else value
