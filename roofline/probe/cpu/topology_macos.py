"""The cores and caches of a Mac, from the text of ``sysctl hw machdep``.

Keys: ``hw.perflevel0.*`` are of the fast cores of Apple silicon (developer.apple.com, "Determining system
capabilities"); Intel Macs have ``hw.*`` alone. macOS pins no threads, so figures of all cores are of the fast ones.
"""

from __future__ import annotations

import re

from .topology import UNKNOWN, Cache, Topology


def parse_sysctl(text: str, cores: int | None = None) -> Topology:
    """Read ``name: value`` lines; ``cores`` takes only so many cores."""
    facts = dict(re.findall(r"^(\S+):\s*(.+?)\s*$", text, re.MULTILINE))

    def number(*keys: str) -> int | None:
        stated = (facts.get(key, "") for key in keys)
        return next((int(value) for value in stated if value.isdigit() and int(value) > 0), None)

    there = number("hw.perflevel0.physicalcpu", "hw.physicalcpu") or 1
    used = min(cores or there, there)
    line = number("hw.cachelinesize")
    shared = {1: 1, 2: number("hw.perflevel0.cpusperl2") or 1, 3: number("hw.perflevel0.cpusperl3") or there}
    caches = []
    for level, name in ((1, "l1dcachesize"), (2, "l2cachesize"), (3, "l3cachesize")):
        capacity = number(f"hw.perflevel0.{name}", f"hw.{name}")
        if capacity is not None:
            sharers = min(shared[level], used)
            caches.append(
                Cache(
                    level=level,
                    capacity_bytes=capacity,
                    shared_by=sharers,
                    instances=-(-used // sharers),
                    line_bytes=line,
                )
            )
    model = facts.get("machdep.cpu.brand_string", "Mac")
    slow = number("hw.perflevel1.physicalcpu")
    notes = [f"the {slow} slow cores are left out"] if slow else []
    return Topology(
        model=model,
        vendor=next((maker for maker in ("Apple", "Intel") if maker in model), UNKNOWN),
        processors=tuple(range(used)),
        caches=tuple(caches),
        threads_per_core=1 if slow else max(1, (number("hw.logicalcpu") or there) // there),
        memory_bytes=number("hw.memsize"),
        free_bytes=number("hw.memsize"),
        virtual=facts.get("kern.hv_vmm_present") == "1",
        notes=(*notes, *(() if caches else ("the system reports nothing about its caches",))),
    )
