"""The cores and caches of this machine as Linux reports them.

Input: a file tree with ``sys/devices/system/cpu``, ``proc/cpuinfo`` and ``proc/meminfo``
(https://www.kernel.org/doc/Documentation/ABI/testing/sysfs-devices-system-cpu), and the processors that may be used.
Output: a :class:`Topology`. A virtual machine shows the hardware that its host chose; ``notes`` name what
is missing or odd.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

_CPU = "sys/devices/system/cpu"
_VENDORS = {"GenuineIntel": "Intel", "AuthenticAMD": "AMD", "HygonGenuine": "Hygon"}
_IMPLEMENTERS = {
    "0x41": "Arm", "0x46": "Fujitsu", "0x48": "HiSilicon", "0x51": "Qualcomm", "0x61": "Apple", "0xc0": "Ampere",
}  # fmt: skip
_SUFFIXES = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}  # of sizes in Linux's sysfs
UNKNOWN = "unknown"
_STEAL = 7  # user, nice, system, idle, iowait, irq, softirq, steal; those of guests are in the first two


class Cache(Struct, frozen=True, kw_only=True):
    """One data or unified cache level; capacity of one instance, ``shared_by`` and ``instances`` in cores in use."""

    level: int
    capacity_bytes: int
    shared_by: int
    instances: int
    line_bytes: int | None = None
    ways: int | None = None


class Topology(Struct, frozen=True, kw_only=True):
    """The report of the operating system; ``processors`` has one processor number for each core in use."""

    model: str
    vendor: str
    processors: tuple[int, ...]
    caches: tuple[Cache, ...]
    threads_per_core: int = 1
    domains: int = 1
    memory_bytes: int | None = None
    free_bytes: int | None = None
    highest_hz: float | None = None
    virtual: bool = False
    has_counters: bool = True
    notes: tuple[str, ...] = ()


def read_linux(root: Path, allowed: frozenset[int] | None = None, cores: int | None = None) -> Topology:
    """Read a tree; ``allowed`` are the processors that may be used (None: all), ``cores`` takes only the first ones."""
    processors = _processors(root, allowed)
    siblings = {number: _siblings(root, number) for number in processors}
    owners: dict[frozenset[int], int] = {}
    for number in processors:
        owners.setdefault(siblings[number], number)
    chosen = tuple(sorted(owners.values()))[:cores]
    info = _information(root)
    caches, notes = _caches(root, chosen)
    virtual = "hypervisor" in info.get("flags", "").split() or (root / "sys/hypervisor/type").exists()
    return Topology(
        model=_model(root, info),
        vendor=_VENDORS.get(info.get("vendor_id", ""), _IMPLEMENTERS.get(info.get("CPU implementer", ""), UNKNOWN)),
        processors=chosen,
        caches=caches,
        threads_per_core=max((len(siblings[number]) for number in chosen), default=1),
        domains=max(1, len({node for number in chosen for node in _nodes(root, number)})),
        memory_bytes=_memory(root, "MemTotal"),
        free_bytes=_memory(root, "MemAvailable"),
        highest_hz=_highest_hz(root, chosen),
        virtual=virtual,
        has_counters=_has_counters(root),
        notes=(*notes, *_limits(root, len(chosen))),
    )


def number_list(text: str) -> tuple[int, ...]:
    """Return the numbers of a list such as ``0-3,8,10-11``.

    >>> number_list("0-2,5")
    (0, 1, 2, 5)
    """
    found: list[int] = []
    for part in text.split(","):
        if match := re.fullmatch(r"(\d+)(?:-(\d+))?", part.strip()):
            found += range(int(match[1]), int(match[2] or match[1]) + 1)
    return tuple(found)


def byte_count(text: str) -> int | None:
    """Return the bytes of a size such as ``32K``, ``1024 kB`` or ``33554432``, None where it is none."""
    match = re.fullmatch(r"(\d+)\s*([KMG]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    return None if match is None else int(match[1]) * _SUFFIXES[match[2].upper()] or None


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def _number(path: Path) -> int | None:
    text = _read(path)
    return int(text) if text and text.isdigit() and int(text) > 0 else None


def _processors(root: Path, allowed: frozenset[int] | None) -> tuple[int, ...]:
    online = number_list(_read(root / _CPU / "online") or "")
    if not online:
        folders = (root / _CPU).glob("cpu[0-9]*")
        online = tuple(sorted(int(folder.name[3:]) for folder in folders if folder.name[3:].isdigit()))
    if not online:
        online = tuple(range((_read(root / "proc/cpuinfo") or "").count("processor\t")))
    return tuple(number for number in online if allowed is None or number in allowed) or tuple(sorted(allowed or {0}))


def _siblings(root: Path, number: int) -> frozenset[int]:
    folder = root / _CPU / f"cpu{number}/topology"
    text = _read(folder / "thread_siblings_list") or _read(folder / "core_cpus_list")
    return frozenset(number_list(text or "")) or frozenset((number,))


def _nodes(root: Path, number: int) -> Iterator[str]:
    for entry in (root / _CPU / f"cpu{number}").glob("node[0-9]*"):
        yield entry.name


def _information(root: Path) -> dict[str, str]:
    """Return the first value of every key of cpuinfo."""
    found: dict[str, str] = {}
    for line in (_read(root / "proc/cpuinfo") or "").splitlines():
        key, colon, value = line.partition(":")
        if colon and value.strip():
            found.setdefault(key.strip(), value.strip())
    return found


def _model(root: Path, info: dict[str, str]) -> str:
    stated = info.get("model name") or info.get("cpu") or _read(root / "proc/device-tree/model")
    if stated:
        return re.sub(r"\((?:R|TM)\)|\s+CPU\b(?= @)|\s+@.*|\x00", "", stated).strip()
    if "CPU part" in info:
        maker = _IMPLEMENTERS.get(info.get("CPU implementer", ""), info.get("CPU implementer", ""))
        return f"{maker} processor, part {info['CPU part']}"
    return "unknown processor"


def _memory(root: Path, key: str) -> int | None:
    """Return the bytes of memory; a container may use no more than its limit."""
    match = re.search(rf"^{key}:\s+(\d+ kB)", _read(root / "proc/meminfo") or "", re.MULTILINE)
    stated = byte_count(match[1]) if match else None
    limit = byte_count(_read(root / "sys/fs/cgroup/memory.max") or "")
    return min((size for size in (stated, limit) if size), default=None)


def _has_counters(root: Path) -> bool:
    """Return whether the kernel offers the hardware counters of a core: hosts seldom hand them on."""
    devices = {path.name for path in (root / "sys/bus/event_source/devices").glob("*")}
    return any(name.startswith(("cpu", "armv8", "power")) for name in devices)


def processor_ticks(root: Path) -> tuple[int, int] | None:
    """Return the ticks of all processors so far, and those that the host took (steal); None where nothing says."""
    match = re.match(r"cpu +((?:\d+ ?)+)", _read(root / "proc/stat") or "")
    ticks = [int(number) for number in match[1].split()] if match else []
    return (sum(ticks[: _STEAL + 1]), ticks[_STEAL]) if len(ticks) > _STEAL else None


def _highest_hz(root: Path, processors: Iterable[int]) -> float | None:
    stated = (_number(root / _CPU / f"cpu{number}/cpufreq/cpuinfo_max_freq") for number in processors)
    return max((1e3 * kilohertz for kilohertz in stated if kilohertz), default=None)


def _limits(root: Path, cores: int) -> Iterator[str]:
    """Yield the limits that exclude processes from processors that they see."""
    quota = re.fullmatch(r"(\d+) (\d+)", _read(root / "sys/fs/cgroup/cpu.max") or "")
    if quota and int(quota[1]) < cores * int(quota[2]):
        yield f"a limit on this container leaves {int(quota[1]) / int(quota[2]):.3g} of {cores} cores"


class _Instance(Struct, frozen=True):
    level: int
    capacity_bytes: int
    line_bytes: int | None
    ways: int | None
    sharers: frozenset[int]


def _caches(root: Path, chosen: Sequence[int]) -> tuple[tuple[Cache, ...], tuple[str, ...]]:
    """Return the levels from the innermost outwards, and notes on odd figures."""
    instances = {instance for number in chosen for instance in _instances(root, number, frozenset(chosen))}
    caches, notes = [], []
    for level in sorted({instance.level for instance in instances}):
        found = [instance for instance in instances if instance.level == level]
        shapes = Counter({(i.capacity_bytes, i.line_bytes, i.ways): 0 for i in found})
        for instance in sorted(found, key=lambda i: min(i.sharers)):
            shapes[instance.capacity_bytes, instance.line_bytes, instance.ways] += len(instance.sharers)
        (capacity, line, ways), _ = shapes.most_common(1)[0]
        if len(shapes) > 1:
            notes.append(f"the cores differ in their L{level}: the commonest one is given, rates are of all cores")
        shared_by = max(len(instance.sharers) for instance in found)
        count = len(found)
        if not (count - 1) * shared_by < len(chosen) <= count * shared_by:
            count = -(-len(chosen) // shared_by)
            notes.append(f"not every core has its part of an L{level}, or the parts differ: {count} are assumed")
        if ways and line and capacity % (line * ways):
            notes.append(f"L{level}: {capacity} bytes are no whole number of sets of {ways} ways, which are left out")
            ways = None
        caches.append(
            Cache(
                level=level, capacity_bytes=capacity, shared_by=shared_by, instances=count, line_bytes=line, ways=ways
            )
        )
    if not caches:
        notes.append("the system reports nothing about its caches")
    return tuple(caches), tuple(notes)


def _instances(root: Path, number: int, chosen: frozenset[int]) -> Iterator[_Instance]:
    for folder in sorted((root / _CPU / f"cpu{number}/cache").glob("index[0-9]*")):
        level, capacity = _number(folder / "level"), byte_count(_read(folder / "size") or "")
        if level is None or capacity is None or _read(folder / "type") not in ("Data", "Unified"):
            continue
        sharers = frozenset(number_list(_read(folder / "shared_cpu_list") or "")) | {number}
        line, ways = _number(folder / "coherency_line_size"), _number(folder / "ways_of_associativity")
        yield _Instance(level, capacity, line, ways, sharers & chosen)
