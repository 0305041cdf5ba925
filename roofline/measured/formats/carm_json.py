"""The CARM tool's JSON lines, format 3.0: one document on each line, each with its points, in base units."""

from __future__ import annotations

from ..documents import amount, entry, parse_json, words
from ..errors import MeasurementError
from ..importers import KernelImporter
from ..results import Reading, Sample
from .carm_csv import PRECISIONS, sample_of

NAME = "carm-json"
_VERSION = "3."


def recognises(text: str) -> bool:
    """Return whether a file is of this form."""
    return text.lstrip().startswith("{") and '"format_version"' in text and '"points"' in text


def read(text: str, path: str) -> Reading:
    """Return the samples of all points; raises ``MeasurementError``."""
    samples = []
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip():
            continue
        document = parse_json(content, path, line)
        version, points = words(document, "format_version"), entry(document, "points")
        if not version.startswith(_VERSION) or not isinstance(points, list):
            raise MeasurementError(
                f"is not format 3 of CARM (format_version {version!r})",
                path=path,
                line=line,
                hint="convert it with carm",
            )
        samples += [_sample(document, point, line, path) for point in points]
    if not samples:
        raise MeasurementError("has no point", path=path, line=1)
    return Reading(path, NAME, tuple(samples))


def _sample(document: object, point: object, line: int, path: str) -> Sample:
    found = sample_of(
        words(point, "label") or words(entry(document, "metadata"), "name"),
        line,
        rate=amount(point, "flops_per_second"),
        bandwidth=amount(point, "bandwidth"),
        seconds=amount(point, "runtime_s"),
        intensity=amount(point, "arithmetic_intensity"),
        precision=PRECISIONS.get(words(entry(document, "metadata"), "precision").lower(), ""),
        threads=amount(point, "num_threads"),
        flops=amount(point, "total_flops"),
        size=amount(point, "total_bytes"),
    )
    if not found.has_numbers:
        raise MeasurementError("a point has no number", path=path, line=line, hint="the file is damaged here")
    return found


IMPORTERS = (KernelImporter(name=NAME, made_by="carm (JSON lines)", recognises=recognises, read=read),)
