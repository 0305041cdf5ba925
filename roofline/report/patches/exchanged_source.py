"""The axes x and y of a kernel exchanged: each index and extent in its body, and each of its launches in the file.

``threadIdx.x`` becomes ``threadIdx.y`` and the other way round, as do the numbers and extents of blocks; a launch with
``grid`` and ``block`` gets ``dim3(grid.y, grid.x, grid.z)`` and the same of the block.  A thread of the new launch then
does what the thread with its x and y exchanged did.  It is left to people where

* the kernel is declared apart, or taken as a value, so that it may be started elsewhere;
* an extent of a launch is no ``dim3``: what a number means does not show in the text;
* functions and macros of the file ask for the index of a thread, or those of headers other than the system's may do so;
* the blocks along x are more than may be along y.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from analyzer.frontend.text.lexical import without_comments
from analyzer.python.regex import regex

from ..regions import RegionReport
from .edits import Edit, edit_at
from .source_loops import WORD, closing

_INDEX = regex(r"\b(?:threadIdx|blockIdx|blockDim|gridDim)\b(?P<axis>\s*\.\s*(?P<name>[xyz])\b)?")
_KERNEL = regex(r"\b__global__\b")
_CALL = regex(r"\b(?P<name>[A-Za-z_]\w*)\s*\(")
_TEMPLATE = regex(r"\s*<(?!<)[\w\s,:*]{0,200}>")
_LAUNCH = regex(r"\s*<<<")
_MADE = regex(r"(?:dim3\s*)?(?P<opening>[({])")
_HEADER = regex(r"^[ \t]*#[ \t]*include\b[ \t]*(?P<name>[^\n]*)", re.MULTILINE)
_OF_SYSTEM = regex(
    r"<(?:[a-z_]+|(?:assert|float|inttypes|limits|math|omp|stdint|stdio|stdlib|string|sys/time|time|unistd|"
    r"cuda|cuda_fp16|cuda_runtime|cuda_runtime_api|device_launch_parameters|hip/hip_runtime)\.h)>.*"
)
_OTHER_WAYS = regex(r"\b(?:asm|__asm__|__cluster_dims__|cooperative_groups)\b")  # to use positions in the grid
_OTHER = {"x": "y", "y": "x"}
_MOST_BLOCKS_ALONG_Y = 65_535  # CUDA C++ Programming Guide, technical specifications by compute capability


def exchanged(source: str, first_line: int, region: RegionReport) -> tuple[Edit, ...]:
    """Return the edits that exchange x and y; () where the source does not allow it."""
    text = without_comments(source)
    name = region.profile.function.partition("<")[0]
    if not all(_may_be_exchanged(each) for each in (region, *region.launches)):
        return ()
    bodies = [*_bodies(text)]
    own = [body for body in bodies if body[0] == name]
    if len(own) != 1 or not _is_whole(source, text, own[0], bodies):
        return ()
    _, at, start, end = own[0]
    edits = [
        edit_at(text, first_line, found.start("name"), found.end("name"), _OTHER[found["name"]])
        for found in _INDEX.finditer(text, start, end)
        if found["name"] in _OTHER
    ]
    mentions = [found for found in WORD.finditer(text) if found[0] == name and found.start() != at]
    for mention in mentions:
        launched = _launched(text, first_line, mention.end())
        if not launched:
            return ()
        edits += launched
    return tuple(edits) if mentions else ()


def _may_be_exchanged(region: RegionReport) -> bool:
    """Return whether the blocks of a launch along x are known, and may be along y."""
    blocks = None if region.profile.launch is None else region.profile.launch.grid[0]
    return blocks is not None and blocks <= _MOST_BLOCKS_ALONG_Y


def _bodies(text: str) -> Iterator[tuple[str, int, int, int]]:
    """Yield the kernels that are defined or declared: name, its position, and where the body begins and ends."""
    for found in _KERNEL.finditer(text):
        called = next((each for each in _CALL.finditer(text, found.end()) if not each[0].startswith("__")), None)
        after = None if called is None else closing(text, called.end())
        if called is None or after is None:
            continue
        brace = after + 1 + len(text[after + 1 :]) - len(text[after + 1 :].lstrip())
        end = closing(text, brace + 1, "{}") if text[brace : brace + 1] == "{" else None
        if end is not None:
            yield called["name"], called.start("name"), brace, end


def _is_whole(source: str, text: str, own: tuple[str, int, int, int], bodies: list[tuple[str, int, int, int]]) -> bool:
    """Return whether the body alone has what asks for indices of threads, each axis by its name."""
    _, _, start, end = own
    if any(found["axis"] is None for found in _INDEX.finditer(text, start, end)):
        return False
    outside = "".join(
        text[before:after]
        for before, after in zip(
            [0, *(body[3] for body in bodies)], [*(body[2] for body in bodies), len(text)], strict=True
        )
    )
    if not all(_OF_SYSTEM.fullmatch(found["name"].strip()) for found in _HEADER.finditer(source)):
        return False
    return not (_INDEX.search(outside) or _OTHER_WAYS.search(text))


def _launched(text: str, first_line: int, position: int) -> list[Edit]:
    """Return the edits of a launch whose kernel is named before a position; [] where it is none with two ``dim3``."""
    template = _TEMPLATE.match(text, position)
    found = _LAUNCH.match(text, template.end() if template else position)
    end = -1 if found is None else text.find(">>>", found.end())
    if found is None or end < 0:
        return []
    parts = _arguments(text, found.end(), end)
    edits = [_extent(text, first_line, *part) for part in parts[:2]]
    return [edit for edit in edits if edit is not None] if len(parts) > 1 and None not in edits else []


def _extent(text: str, first_line: int, start: int, end: int) -> Edit | None:
    """Return the edit of an extent from ``start`` to ``end``; None where it is no ``dim3`` by its text."""
    whole = text[start:end]
    if WORD.fullmatch(whole):
        declared = re.search(rf"\bdim3\s+(?:[^;]*,\s*)?{whole}\b", text)
        new = f"dim3({whole}.y, {whole}.x, {whole}.z)"
        return edit_at(text, first_line, start, end, new) if declared else None
    made = _MADE.match(text, start, end)
    if made is None or text[end - 1] not in ")}" or (made["opening"] == "(" and not whole.startswith("dim3")):
        return None
    parts = _arguments(text, made.end(), end - 1)
    if len(parts) < 2 or closing(text, made.end(), "()" if made["opening"] == "(" else "{}") != end - 1:
        return None
    x, y, *others = (text[slice(*part)] for part in parts)
    return edit_at(text, first_line, made.end(), end - 1, ", ".join((y, x, *others)))


def _arguments(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return where each of the arguments begins and ends that stand between two positions."""
    depth, cuts = 0, [start]
    for position in range(start, end):
        character = text[position]
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            cuts.append(position + 1)
    found = []
    for before, after in zip(cuts, [*(cut - 1 for cut in cuts[1:]), end], strict=True):
        part = text[before:after]
        found.append((before + len(part) - len(part.lstrip()), after - len(part) + len(part.rstrip())))
    return found
