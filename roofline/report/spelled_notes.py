"""Notes on references of kernels, with the references as the source spells them.

The model of the caches names a reference by its subscripts in threads, as ``p[256*blockIdx.x + threadIdx.x].x``.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from analyzer.ir.nodes import Assumption
from analyzer.profile import FileProfile
from analyzer.traffic.results import CacheTraffic, RegionTraffic

from .locations import spelled_reference

_FIELD = "reference"
_CODES = frozenset({"AI406", "AI407"})


def with_spelled_references(traffic: RegionTraffic, file: FileProfile) -> RegionTraffic:
    """Return the traffic of a region of a file with notes that say what the source says, equal ones once."""
    if not any(note.code in _CODES for found in _all(traffic) for model in found.models for note in model.notes):
        return traffic
    lines = file.source_text.split("\n")

    def spelled(note: Assumption) -> Assumption:
        fields = dict(note.fields)
        text = fields.get(_FIELD)
        if note.code not in _CODES or not isinstance(text, str) or note.span.path != file.path:
            return note
        own = lines[max(0, note.span.line - file.first_line) :]
        fields[_FIELD] = spelled_reference(text.partition("[")[0], text, own)[0]
        return replace(note, fields=tuple(fields.items()))

    def changed(model: CacheTraffic) -> CacheTraffic:
        return replace(model, notes=tuple(dict.fromkeys(map(spelled, model.notes))))

    def with_parts(found: RegionTraffic) -> RegionTraffic:
        return replace(
            found,
            models=tuple(map(changed, found.models)),
            nests=tuple(map(with_parts, found.nests)),
            launches=tuple(map(with_parts, found.launches)),
        )

    return with_parts(traffic)


def _all(traffic: RegionTraffic) -> Iterator[RegionTraffic]:
    yield traffic
    for part in (*traffic.nests, *traffic.launches):
        yield from _all(part)
