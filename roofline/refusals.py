"""What was given and is of no use: a value, function, kernel or lines that no file has, with the nearest known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from analyzer.coverage.counts import ExecutionCounts
from analyzer.errors import OptionError
from analyzer.given_data.model import GivenData
from analyzer.given_values import is_trip, line_of, symbol_of
from analyzer.ir.nodes import RegionKind
from analyzer.near_names import did_you_mean
from analyzer.profile import AnalyzedFile

_MOST_LISTED = 8
_UNREAD = frozenset({"AI001", "AI213"})  # syntax errors, and parts that are left out


def refuse_foreign(counts: ExecutionCounts, files: Sequence[AnalyzedFile]) -> None:
    """Raise ``OptionError`` for counts of a run that are of none of the files."""
    if files and all(counts.of_file(file.path) is None for file in files):
        recorded = [file.path for file in counts.files]
        hint = f"it has {_listed(recorded)}" if recorded else "it has none at all"
        raise OptionError("--profile has no counts of the files named", hint=hint)


def refuse_unused(
    names: Iterable[str],
    files: Sequence[AnalyzedFile],
    given_at: Mapping[str, tuple[str, int]] | None = None,
    option: str = "-D ",
) -> None:
    """Raise ``OptionError`` for a name, given by an ``option`` or in a file, that none of the files uses."""
    used = frozenset[str]().union(*(file.profile.used for file in files))
    for name in sorted(set(names) - used) if files else ():
        known = sorted(frozenset[str]().union(*(file.profile.names for file in files)))
        plain = symbol_of(name)
        members = [other for other in known if other.rpartition(".")[2].rpartition("->")[2] == plain]
        hint = did_you_mean(plain, known, most=3) or did_you_mean(plain, members[:1], least_alike=0.0)
        path, line = (given_at or {}).get(name, (None, None))
        given = f"{option}{name}" if path is None else name
        line_of_loop = line_of(plain) if is_trip(plain) else None
        message = f"{given}: nothing depends on a symbol or macro of this name"
        if line_of_loop is not None:
            message = f"{given}: the trip count of a loop in line {line_of_loop} is not open (sizes decide it)"
        raise OptionError(
            message, path=path, line=line, hint=hint or (f"possible: {_listed(known)}" if known else None)
        )


def refuse_unread(given: GivenData, files: Sequence[AnalyzedFile]) -> None:
    """Raise ``OptionError`` for an array or matrix that nothing in any of the files depends on."""
    used = frozenset[str]().union(*(file.profile.given for file in files))
    known = sorted(frozenset[str]().union(*(file.profile.arrays for file in files)))
    for array in given.arrays if files else ():
        if array.name not in used:
            near = did_you_mean(array.name, [name for name in known if name != array.name], most=3)
            hint = near or "it must be an array of integers that the functions only read"
            raise OptionError(f"--array {array.name}: nothing is chosen or counted by an array of this name", hint=hint)
    for matrix in given.matrices if files else ():
        if matrix.name not in used:
            hint = "name the arrays that hold it: --matrix csr:rowptr,col,val=FILE"
            raise OptionError(f"--matrix {matrix.name}: no loop is found that walks through a sparse matrix", hint=hint)


def refuse_empty_values(defines: Mapping[str, str], files: Sequence[AnalyzedFile]) -> None:
    """Raise ``OptionError`` for a variable that is defined as nothing, which is a macro and no value."""
    for name in (name for name, text in defines.items() if not text.strip() and name.isidentifier()):
        declared = re.compile(rf"\b[A-Za-z_]\w*[\s*&]+{name}\s*[,;=)\[]")
        for file in files:
            lost = _UNREAD & {found.code for found in file.diagnostics} and declared.search(file.profile.source_text)
            if lost or any(name in region.symbols for region in file.regions):
                hint = f"write -D {name}=1000; a macro of nothing would take {name} out of the source"
                raise OptionError(f"-D {name}= gives no value", hint=hint)


def refuse_missing(
    functions: Iterable[str], kernels: Iterable[str], lines: tuple[int, int] | None, files: Sequence[AnalyzedFile]
) -> None:
    """Raise ``OptionError`` for a function or kernel that no file defines, and for lines without a loop.

    Nothing is certain where a part of a file was not read.
    """
    wanted = (("function", tuple(functions)), ("kernel", tuple(kernels)))
    if not (lines or any(names for _, names in wanted)):
        return
    if not files or any(found.code in _UNREAD for file in files for found in file.diagnostics):
        return
    from analyzer.frontend.lower.kernels.kernel import (
        plain_name,  # here, as kept results are shown without the analysis
    )

    defined = [usage for file in files for usage in file.profile.usage]
    known = {name: None for usage in defined for name in (plain_name(usage.name), usage.name, usage.key)}
    shown = dict.fromkeys(plain_name(usage.name) for usage in defined)
    for what, names in wanted:
        for name in names:
            if name not in known:
                hint = did_you_mean(name, shown, most=3) or (f"there are {_listed(list(shown))}" if shown else None)
                raise OptionError(f"no {what} named {name} has a body here", hint=hint)
    for name in wanted[1][1]:
        kinds = {region.kind for file in files for region in file.regions if name in (region.function, region.name)}
        if kinds and RegionKind.KERNEL not in kinds:
            raise OptionError(
                f"--launch {name}: {name} is a function of the host, which no grid of threads runs",
                hint="leave --launch out, or name a kernel (__global__)",
            )
    if lines is not None and not any(file.regions for file in files):
        ranges = [f"{usage.name}:{usage.lines[0]}-{usage.lines[1]}" for usage in defined]
        hint = f"the functions are {_listed(ranges)}" if ranges else None
        raise OptionError(f"--lines {lines[0]}-{lines[1]}: no loop is there", hint=hint)


def _listed(names: Sequence[str]) -> str:
    """Return the first names, as far as they fit into a sentence."""
    return f"{', '.join(names[:_MOST_LISTED])}{', ...' if len(names) > _MOST_LISTED else ''}"
