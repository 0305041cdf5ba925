"""String streams of host code on known texts: ``ss >> n``, ``os << n``, ``getline(ss, part, ',')``, ``str``.

A stream has what is left to read as ``.text``, and ``.failed`` once a read found nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....ir.types import ScalarType
from ....python.regex import regex
from ...surface import nodes as sx
from ...surface.types import CHAR, target_of
from ..memory import Location
from ..state import HostState
from ..values import UNKNOWN, Fields, Reference, Value
from .text import parsed

INPUT, OUTPUT = "std::istream::operator>>", "std::ostream::operator<<"
_STREAM = regex(r"std::(?:basic_)?[io]?stringstream\b")
_TEXT, _FAILED = ".text", ".failed"
_WORD = regex(r"\s*(\S+)")
_NEWLINE = ord("\n")


def is_stream(kind: sx.CType) -> bool:
    """Return whether a type is a stream on a text."""
    return isinstance(kind, sx.StructT) and _STREAM.match(kind.name) is not None


def made_stream(values: Sequence[Value]) -> Fields:
    """Return a stream on the text that its constructor has."""
    text = values[0] if values else ""
    return Fields({_TEXT: text if isinstance(text, str) else UNKNOWN, _FAILED: 0})


def has_read(value: Value) -> Value:
    """Return a stream as a condition: whether no read failed."""
    if isinstance(value, Fields) and _FAILED in value.parts:
        failed = value.parts[_FAILED]
        return int(not failed) if isinstance(failed, int) else UNKNOWN
    return value


def read_from(state: HostState, call: sx.Call, stream: Location, targets: Sequence[Value]) -> None:
    """Run ``stream >> a >> b``: ``targets`` are the addresses that the arguments of the call give."""
    for argument, target in zip(call.arguments, targets, strict=True):
        kind = target_of(state.program.type_of(argument))
        text, failed = _left(state, stream), _has_failed(state, stream)
        found = _parsed(text, kind) if text is not None and not failed else None
        if text is None or failed is None:
            state.set_by("operator>>", target, call)
            _leave(state, stream, None)
        elif found is None:
            _leave(state, stream, "", failed=1)
        else:
            state.put(target, found[0])
            _leave(state, stream, found[1])


def write_to(state: HostState, stream: Location, call: sx.Call, values: Sequence[Value]) -> None:
    """Run ``stream << a << b``."""
    text = _left(state, stream)
    for argument, value in zip(call.arguments, values, strict=True):
        if text is None:
            break
        if isinstance(value, int) and state.program.type_of(argument) == CHAR:
            text += chr(value & 255)
        else:
            text = text + str(value) if isinstance(value, int | str) else None
    _leave(state, stream, text)


def stream_method(state: HostState, call: sx.Call, this: Value, values: Sequence[Value]) -> Value:
    """Run a method of a stream, or ``getline`` on one."""
    if not isinstance(this, Reference):
        return UNKNOWN
    stream = (this.variable, this.path)
    text, failed = _left(state, stream), _has_failed(state, stream)
    match call.name.rsplit("::", 1)[-1], values:
        case "str", []:
            return UNKNOWN if text is None else text
        case "str", [given]:
            _leave(state, stream, given if isinstance(given, str) else None)
        case "clear", _:
            _leave(state, stream, text, failed=0)
        case (("fail" | "operator!"), _):
            return UNKNOWN if failed is None else failed
        case "good", _:
            return UNKNOWN if failed is None or text is None else int(not failed and bool(text))
        case "eof", _:
            return UNKNOWN if text is None else int(not text)
        case "getline", [Reference() as target, *rest]:
            _read_line(state, call, stream, target, rest)
            return state.memory.read(stream) or UNKNOWN
    return UNKNOWN


def _read_line(state: HostState, call: sx.Call, stream: Location, target: Reference, rest: Sequence[Value]) -> None:
    text, failed = _left(state, stream), _has_failed(state, stream)
    end = rest[0] if rest else _NEWLINE
    if text is None or failed is None or not isinstance(end, int):
        state.set_by("getline", target, call)
        _leave(state, stream, None)
    elif failed or not text:
        _leave(state, stream, "", failed=1)
    else:
        line, _, text = text.partition(chr(end & 255))
        state.put(target, line)
        _leave(state, stream, text)


def _parsed(text: str, kind: sx.CType) -> tuple[Value, str] | None:
    """Return the value of a type at the start of a text, and what follows it; None where there is none."""
    start = text.lstrip()
    if kind == CHAR:
        return (ord(start[0]), start[1:]) if start else None
    if isinstance(kind, sx.ScalarT) and kind.element.scalar is not ScalarType.VOID:
        number, rest = parsed("atoi" if kind.element.scalar.is_integer else "atof", start)
        return None if rest == start else (number, rest)
    word = _WORD.match(text)
    return None if word is None else (word[1], text[word.end() :])


def _left(state: HostState, stream: Location) -> str | None:
    found = state.memory.exact((stream[0], stream[1] + _TEXT))
    if found is None and state.memory.read(stream) is None:
        return ""
    return found if isinstance(found, str) else None


def _has_failed(state: HostState, stream: Location) -> int | None:
    found = state.memory.exact((stream[0], stream[1] + _FAILED))
    if found is None:
        return 0
    return found if isinstance(found, int) else None


def _leave(state: HostState, stream: Location, text: str | None, *, failed: int | None = None) -> None:
    """Set what is left to read; None is not known."""
    known = text is not None and state.summarized is None
    state.store((stream[0], stream[1] + _TEXT), text if known and text is not None else UNKNOWN, True)
    if not known or failed is not None:
        value = failed if known and failed is not None else UNKNOWN
        state.store((stream[0], stream[1] + _FAILED), value, True)
