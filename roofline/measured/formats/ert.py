"""``roofline.json`` of the Empirical Roofline Toolkit: ``empirical.gbytes`` and ``empirical.gflops``, in 1e9/s.

The two objects alone, as slides and papers print them without the braces around and with commas too many or too few,
are read as well.
Names of levels are guessed by ERT from plateaus of the bandwidth; version 1.1.0 does not record the precision.
"""

from __future__ import annotations

import re
from typing import Any

from analyzer.python.regex import regex

from ..documents import entry, line_of, parse_json, words
from ..errors import MeasurementError
from ..importers import RoofImporter
from ..roofs import MeasuredBandwidth, MeasuredPeak, MeasuredRoofs, level_named

NAME = "ert"
_GIGA = 1e9
_COMMA_TOO_MANY = regex(r",(\s*[}\]])")
_NO_COMMA = regex(r"(})(\s*\")")
_PRECISION = regex(r"FP(64|32|16)|\b(DP|SP|HP)\b", re.IGNORECASE)
_LETTERS = {"DP": "fp64", "SP": "fp32", "HP": "fp16"}


def recognises(text: str) -> bool:
    """Return whether a file is of this form."""
    return '"gbytes"' in text and '"gflops"' in text


def read(text: str, path: str) -> MeasuredRoofs:
    """Return the roofs; raises ``MeasurementError``."""
    lines = {name: line_of(text, f'"{name}"') for name in ("empirical", "gbytes", "gflops")}
    is_whole = '"empirical"' in text
    document = parse_json(text if is_whole else _completed(text), path)
    empirical = entry(document, "empirical") if is_whole else document
    left_out: list[str] = []
    bandwidths = []
    for label, value in _pairs(entry(empirical, "gbytes", "data"), path, lines["gbytes"]):
        level = level_named(label)
        if level is None:
            left_out.append(f"the level {label!r} is not known")
        else:
            bandwidths.append(MeasuredBandwidth(level, value * _GIGA))
    peaks = [
        MeasuredPeak(_precision(label), _mode(label), value * _GIGA)
        for label, value in _pairs(entry(empirical, "gflops", "data"), path, lines["gflops"])
    ]
    if not bandwidths or not peaks:
        raise MeasurementError(
            "has no bandwidths or no peak", path=path, line=lines["empirical"], hint="did ERT run to its end?"
        )
    version = words(entry(empirical, "metadata"), "ERT_VERSION")
    return MeasuredRoofs("ERT", f"ERT {version}".strip(), tuple(bandwidths), tuple(peaks), tuple(left_out))


def _completed(text: str) -> str:
    """Return the members of an object as a document, on the same lines."""
    inner = text.strip() if text.lstrip().startswith("{") else "{" + text.rstrip() + "}"
    return _NO_COMMA.sub(r"\1,\2", _COMMA_TOO_MANY.sub(r"\1", inner))


def _pairs(data: Any, path: str, line: int) -> list[tuple[str, float]]:
    """Return the pairs of ``[["L1", 14336.0], ...]`` or of one; raises ``MeasurementError`` for another shape."""
    if isinstance(data, list) and len(data) == 2 and isinstance(data[0], str):
        data = [data]
    if not isinstance(data, list):
        raise MeasurementError("has no data of a roof", path=path, line=line, hint="did ERT run to its end?")
    found = []
    for pair in data:
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str) or not _positive(pair[1]):
            raise MeasurementError(f"{pair!r} is no name and number"[:200], path=path, line=line)
        found.append((pair[0], float(pair[1])))
    return found


def _positive(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e12


def _precision(label: str) -> str:
    found = _PRECISION.search(label)
    if found is None:
        return ""
    return f"fp{found[1]}" if found[1] else _LETTERS[found[2].upper()]


def _mode(label: str) -> str:
    text = label.lower().replace("-", "").replace("_", "").replace(" ", "")
    return "no_fma" if "nofma" in text else "matrix" if "tensor" in text or "tc" in text else "fma"


IMPORTERS = (RoofImporter(name=NAME, what="an ERT roofline.json", recognises=recognises, read=read),)
