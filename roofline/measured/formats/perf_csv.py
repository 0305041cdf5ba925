"""``perf stat -x,``: ``value,unit,event,run time,percent running[,metric value,metric unit]`` on each line.

``-I`` puts a time stamp before that, ``-A``, ``--per-core``, ``--per-socket`` and ``--per-node`` the core, socket
or node and how many CPUs it has, ``-r`` a spread behind the event.  Lines that only hold a metric are passed over.
Other separators (``-x;``) are recognised.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.python.regex import regex

from ..errors import MeasurementError
from ..importers import KernelImporter
from ..numbers import Style, number, style_of
from ..perf_stat import Counter, reading_of
from ..results import Reading

NAME = "perf-csv"
_STAMP = regex(r"\d+[.,]\d{6,}")
_PLACE = regex(r"(?:S\d+(?:-D\d+)?(?:-L\d+-ID\d+)?(?:-C\d+)?|D\d+|N\d+|CPU\d+|C\d+)")
_COUNT = regex(r"[\d.,]+|<not (?:counted|supported)>")
_EVENT = regex(r"[A-Za-z][\w./:=,\-]*")
_METRIC = regex(r"(?:\s*\d+[.,]\d{6,}[,;|\t])?(?:[A-Z][\w-]*[,;|\t](?:\d+[,;|\t])?)?\s*[,;|\t]{3}")
_SEPARATORS = (";", "|", "\t", ",")


def recognises(text: str) -> bool:
    """Return whether a file is of this form: most of its lines have a count and an event."""
    lines = [line for _, line in _counts(text)]
    fitting = [line for line in lines if _parts(line) is not None]
    return bool(fitting) and 2 * len(fitting) >= len(lines)


def read(text: str, path: str) -> Reading:
    """Return one sample for the whole program; raises ``MeasurementError``."""
    rows = [(at, _parts(line)) for at, line in _counts(text)]
    wrong = next((at for at, parts in rows if parts is None), None)
    if wrong is not None or not rows:
        raise MeasurementError(
            "the line is not value,unit,event,...",
            path=path,
            line=wrong or 1,
            hint="use perf stat -x, with LC_ALL=C; the file may be cut off here",
        )
    known = [(at, parts) for at, parts in rows if parts is not None]
    style = style_of(((at, parts[1][0]) for at, parts in known if not parts[1][0].startswith("<")), path)
    return reading_of(list(_counters(known, style, path)), path, NAME)


def _counts(text: str) -> list[tuple[int, str]]:
    """Return the lines that should hold a count, with their numbers."""
    lines = [(at, line) for at, line in enumerate(text.split("\n"), start=1) if line.strip()]
    return [(at, line) for at, line in lines if not line.startswith("#") and not _METRIC.match(line)]


def _counters(rows: list[tuple[int, tuple[str, list[str]]]], style: Style, path: str) -> Iterator[Counter]:
    for line, (stamp, cells) in rows:
        value = number(cells[0], style)
        if value is None and not cells[0].startswith("<"):
            raise MeasurementError(f"{cells[0]!r} is not a count", path=path, line=line)
        rest = [cell for cell in cells[3:] if not cell.endswith("%")]
        running = number(rest[1], style) if len(rest) > 1 else None
        if running is None or running > 100:
            raise MeasurementError(
                "the line has no percentage of the time that the event was counted",
                path=path,
                line=line,
                hint="the file is cut off here, or has decimal commas (use LC_ALL=C)",
            )
        moment = number(stamp.replace(",", ".")) if stamp else None
        yield Counter(line=line, event=cells[2], value=value, unit=cells[1], running=running, stamp=moment)


def _parts(line: str) -> tuple[str, list[str]] | None:
    """Return the time stamp (or nothing) and the cells from the count on; None where the line is of another form."""
    for separator in _SEPARATORS:
        cells = _grouped([cell.strip() for cell in line.split(separator)], separator)
        stamp = ""
        if (len(cells) > 3 and _STAMP.fullmatch(cells[0]) and not _is_event(cells[2])) or (
            len(cells) > 3 and _STAMP.fullmatch(cells[0]) and _COUNT.fullmatch(cells[1])
        ):
            stamp = cells.pop(0)
        if cells and _PLACE.fullmatch(cells[0]):
            del cells[0]
            if len(cells) > 3 and cells[0].isdigit() and _COUNT.fullmatch(cells[1]) and _is_event(cells[3]):
                del cells[0]
        unit = cells[1] if len(cells) > 2 else "0"  # a number there is the rest of a decimal comma
        if not unit[:1].isdigit() and _COUNT.fullmatch(cells[0]) and _is_event(cells[2]):
            return stamp, cells
    return None


def _is_event(cell: str) -> bool:
    return bool(_EVENT.fullmatch(cell))


def _grouped(cells: list[str], separator: str) -> list[str]:
    """Return the cells with events such as ``uncore_imc/event=0x4,umask=0x3/``, which have commas, in one piece."""
    found: list[list[str]] = []
    is_open = False
    for cell in cells:
        if is_open:
            found[-1].append(cell)
        else:
            found.append([cell])
        is_open ^= cell.count("/") % 2 == 1
    return [separator.join(parts) for parts in found]


IMPORTERS = (KernelImporter(name=NAME, made_by="perf stat -x,", recognises=recognises, read=read, rank=2),)
