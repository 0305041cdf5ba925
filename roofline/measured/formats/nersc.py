"""``data.txt`` of nersc-roofline: roofs, and the intensity of each kernel at each level with its rate.  Read and write.

========================  ========================================================================
``memroofs``              bandwidths in GB/s, ``mem_roof_names`` their names in quotation marks
``comproofs``             peaks in GFLOP/s, ``comp_roof_names`` their names
``AI``                    FLOP/byte of each kernel (of memory), or by level: ``AI_HBM``, ``AI_L2``, ``AI_L1``
``FLOPS``, ``GFLOPs``     GFLOP/s of each kernel
``labels``                names of the kernels; names in quotation marks may touch each other
========================  ========================================================================

``AI`` of a single kernel with one number for each of ``memroofs`` has one for each level, in their order.
Lines that start with ``#`` are comments.  Source: NERSC, https://github.com/cyanguwa/nersc-roofline (Plotting).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from analyzer.python.regex import regex

from ..errors import MeasurementError
from ..importers import KernelImporter, RoofImporter
from ..numbers import number
from ..results import DRAM, Reading, Sample
from ..roofs import MeasuredBandwidth, MeasuredPeak, MeasuredRoofs, level_named

NAME = "nersc"
_KEYS = ("memroofs", "mem_roof_names", "comproofs", "comp_roof_names", "AI", "FLOPS", "labels")
_KEY = regex(r"\s*(memroofs|mem_roof_names|comproofs|comp_roof_names|AI(?:_\w+)?|FLOPS|GFLOPs|labels)\b\s*(.*)$")
_QUOTED = regex(r"'([^']*)'|\"([^\"]*)\"")
_MEMORIES = ("HBM", "DRAM", "MCDRAM", "DDR", "MEM")
_GIGA = 1e9
_MODES = {"FMA": "fma", "NO-FMA": "no_fma", "NOFMA": "no_fma", "TENSOR CORE": "matrix"}


class Roofs(Struct, frozen=True):
    """Named roofs: bandwidths in byte/s and peaks in FLOP/s."""

    bandwidths: tuple[tuple[str, float], ...]
    peaks: tuple[tuple[str, float], ...]


class Point(Struct, frozen=True):
    """One kernel to write: FLOP/byte by level, and FLOP/s."""

    label: str
    intensities: Mapping[str, float]
    flop_per_s: float


def recognises(text: str) -> bool:
    """Return whether a file is of this form."""
    keys = {found[1] for line in text.split("\n") if (found := _KEY.match(line))}
    return "memroofs" in keys and "comproofs" in keys


def read(text: str, path: str) -> Reading:
    """Return the samples of all kernels; raises ``MeasurementError`` also where the file has only roofs."""
    entries = _entries(text, path)
    line, rates = _numbers(entries, "FLOPS" if "FLOPS" in entries else "GFLOPs", path)
    intensities = _by_level(entries, path) if len(rates) == 1 else {}
    if not intensities:
        intensities = {_level(key): _numbers(entries, key, path)[1] for key in entries if key.startswith("AI")}
    if not rates or not intensities:
        raise MeasurementError("has roofs, but no kernels (AI and FLOPS)", path=path, line=line)
    _, labels = _names(entries, "labels", path)
    counts = {"labels": len(labels) or len(rates), **{f"AI of {key}": len(found) for key, found in intensities.items()}}
    for what, count in counts.items():
        if count != len(rates):
            raise MeasurementError(
                f"has {len(rates)} FLOPS, but {count} {what}", path=path, line=line, hint="one for each kernel"
            )
    samples = tuple(
        Sample(
            name=labels[at] if labels else f"kernel {at + 1}",
            line=line,
            flop_per_s=rate * _GIGA,
            intensities={level: found[at] for level, found in intensities.items()},
        )
        for at, rate in enumerate(rates)
    )
    return Reading(path, NAME, samples)


def read_roofs(text: str, path: str) -> Roofs:
    """Return the roofs of a file; raises ``MeasurementError``."""
    entries = _entries(text, path)

    def named(values: str, names: str) -> tuple[tuple[str, float], ...]:
        line, found = _numbers(entries, values, path)
        _, labels = _names(entries, names, path)
        if len(labels) != len(found):
            raise MeasurementError(f"has {len(found)} {values}, but {len(labels)} names", path=path, line=line)
        return tuple((label, value * _GIGA) for label, value in zip(labels, found, strict=True))

    return Roofs(named("memroofs", "mem_roof_names"), named("comproofs", "comp_roof_names"))


def measured_roofs(text: str, path: str) -> MeasuredRoofs:
    """Return the roofs whose level or kind is known by its name; raises ``MeasurementError``."""
    found = read_roofs(text, path)
    levels = [(level_named(name), name, value) for name, value in found.bandwidths]
    left_out = [f"the level {name!r} is not known" for level, name, _ in levels if level is None]
    left_out += [f"the peak {name!r} is not known" for name, _ in found.peaks if name.upper() not in _MODES]
    return MeasuredRoofs(
        "nersc-roofline",
        "nersc-roofline",
        tuple(MeasuredBandwidth(level, value) for level, _, value in levels if level is not None),
        tuple(MeasuredPeak("", _MODES[name.upper()], value) for name, value in found.peaks if name.upper() in _MODES),
        tuple(left_out),
    )


def write(roofs: Roofs, points: Sequence[Point]) -> str:
    """Return a file of roofs and kernels; levels that not every kernel has are left out."""
    lines = [
        "memroofs " + " ".join(f"{value / _GIGA:.7g}" for _, value in roofs.bandwidths),
        "mem_roof_names " + " ".join(_quoted(name) for name, _ in roofs.bandwidths),
        "comproofs " + " ".join(f"{value / _GIGA:.7g}" for _, value in roofs.peaks),
        "comp_roof_names " + " ".join(_quoted(name) for name, _ in roofs.peaks),
    ]
    if points:
        levels = [level for level in points[0].intensities if all(level in point.intensities for point in points)]
        for level in levels:
            key = "AI_HBM" if level == DRAM else f"AI_{level}"
            lines.append(f"{key} " + " ".join(f"{point.intensities[level]:.7g}" for point in points))
        lines.append("FLOPS " + " ".join(f"{point.flop_per_s / _GIGA:.7g}" for point in points))
        lines.append("labels " + " ".join(_quoted(point.label) for point in points))
    return "\n".join(lines) + "\n"


def _by_level(entries: Mapping[str, tuple[int, str]], path: str) -> dict[str, list[float]]:
    """Return the intensities of the only kernel, one for each memory roof in their order; {} where they are not so."""
    _, numbers = _numbers(entries, "AI", path)
    _, names = _names(entries, "mem_roof_names", path)
    if len(numbers) < 2 or len(numbers) != len(names):
        return {}
    return {_level(name): [value] for name, value in zip(names, numbers, strict=True)}


def _quoted(name: str) -> str:
    return "'" + name.replace("'", "").replace("\n", " ") + "'"


def _entries(text: str, path: str) -> dict[str, tuple[int, str]]:
    found: dict[str, tuple[int, str]] = {}
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip() or content.lstrip().startswith("#"):
            continue
        match = _KEY.match(content)
        if match is None:
            raise MeasurementError(
                f"the line starts with none of {', '.join(_KEYS)}", path=path, line=line, hint="# starts a comment"
            )
        found[match[1]] = (line, match[2])
    return found


def _numbers(entries: Mapping[str, tuple[int, str]], key: str, path: str) -> tuple[int, list[float]]:
    line, text = entries.get(key, (1, ""))
    values = [number(part) for part in text.split()]
    if any(value is None for value in values) or "," in text:
        raise MeasurementError(f"{key} has something that is no number", path=path, line=line, hint="write 828.758")
    return line, [value for value in values if value is not None]


def _names(entries: Mapping[str, tuple[int, str]], key: str, path: str) -> tuple[int, list[str]]:
    line, text = entries.get(key, (1, ""))
    names = [single or double for single, double in _QUOTED.findall(text)]
    if _QUOTED.sub("", text).strip():
        raise MeasurementError(f"{key} has a name that is not in quotation marks", path=path, line=line)
    return line, names


def _level(key: str) -> str:
    """Return ``DRAM`` for ``AI_HBM`` and for a bare ``AI``, ``L2`` for ``AI_L2``."""
    name = key.removeprefix("AI").removeprefix("_").upper()
    return DRAM if not name or name in _MEMORIES else name


IMPORTERS = (
    KernelImporter(name=NAME, made_by="nersc-roofline (data.txt)", recognises=recognises, read=read),
    RoofImporter(name=NAME, what="a data.txt of nersc-roofline", recognises=recognises, read=measured_roofs),
)
