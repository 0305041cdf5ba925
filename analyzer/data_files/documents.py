"""JSON and TOML text to plain data, within the limits of :mod:`.structure`; errors have a line wherever one is known.

Beyond what the formats demand: no key twice, no number that is not finite, no integer beyond 64 bits (TOML) or 1e30
(JSON), no text that no file name could hold (NUL, half of a surrogate pair but for those that stand for raw bytes).
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from ..errors import AnalyzerError
from ..python.regex import regex
from .files import MOST_BYTES, read_text
from .json_lines import json_lines, repeated_key
from .structure import BeyondLimit, check_json, check_toml
from .toml_lines import KeyPath, key_lines
from .values import Origin, Value, path_text

MOST_JSON_INTEGER = 10**30
_MEND = "mend the file"
_MOST_TOML_INTEGER = 2**63 - 1
_UNUSABLE = regex("[\0\ud800-\udc7f\udd00-\udfff]")  # the rest of the surrogates are bytes of names, as Python's
_TOML_LINE = regex(r"at line (\d+)")
_LONG_NUMBER = regex(r"(?<![0-9_])[0-9_]{640}")


def read_toml(path: str | Path, *, error: type[AnalyzerError]) -> Value:
    """Return the root of a TOML file; raise ``error``."""
    return parse_toml(read_text(path, error=error), str(path), error=error)


def parse_toml(text: str, path: str, *, error: type[AnalyzerError]) -> Value:
    """Return the root of TOML text; raise ``error`` at the line of a mistake."""
    try:
        check_toml(text)
        data = tomllib.loads(text)
    except BeyondLimit as trouble:
        raise _beyond(trouble, text, path, 1, error) from None
    except tomllib.TOMLDecodeError as trouble:
        found = _TOML_LINE.search(str(trouble))
        line = int(found[1]) if found else text.rstrip().count("\n") + 1
        message = re.sub(r" \(at .*\)$", "", str(trouble), flags=re.DOTALL)
        raise error(
            f"not a valid TOML file: {message}", path=path, line=line, hint="see https://toml.io for the syntax"
        ) from None
    except ValueError:
        raise _digits(text, path, 1, error) from None
    origin = Origin(path, error, cache(partial(key_lines, text)))
    _check_values(data, origin, _MOST_TOML_INTEGER)
    return Value(data, (), origin)


def read_json(path: str | Path, *, error: type[AnalyzerError], most_bytes: int = MOST_BYTES) -> Value:
    """Return the root of a JSON file; raise ``error``."""
    return parse_json(read_text(path, error=error, most_bytes=most_bytes), str(path), error=error)


def parse_json(
    text: str,
    path: str,
    *,
    error: type[AnalyzerError],
    line: int = 1,
    nan_is_null: bool = False,
    if_large: str = _MEND,
) -> Value:
    """Return the root of JSON text that begins at ``line``; raise ``error`` at the line of a mistake.

    ``nan_is_null`` takes ``NaN`` and ``Infinity`` for null: some tools print them where they measured nothing.
    ``if_large`` says what to do where it holds too much.
    """
    decoder = json_decoder(nan_is_null=nan_is_null)
    data = decode_json(decoder.decode, text, path, error=error, line=line, if_large=if_large)
    return Value(data, (), Origin(path, error, cache(partial(json_lines, text, line))))


def json_decoder(*, nan_is_null: bool = False) -> json.JSONDecoder:
    """Return a decoder that refuses keys that stand twice, for :func:`decode_json`."""
    return json.JSONDecoder(object_pairs_hook=_table, parse_constant=(lambda _name: None) if nan_is_null else float)


def decode_json(
    decode: Callable[[str], Any],
    text: str,
    path: str,
    *,
    error: type[AnalyzerError],
    line: int = 1,
    if_large: str = _MEND,
) -> Any:
    """Return the JSON text decoded by ``decode``, within the limits; raise ``error``."""
    try:
        check_json(text)
        data = decode(text)
    except BeyondLimit as trouble:
        raise _beyond(trouble, text, path, line, error, if_large) from None
    except _Repeated:
        key, at = repeated_key(text, line) or ((), line)
        message = f"{path_text(key)} stands twice"
        raise error(message, path=path, line=at, hint="remove one of the two") from None
    except json.JSONDecodeError as trouble:
        hint = "the file is cut off or damaged here"
        raise error(f"is not valid JSON: {trouble.msg}", path=path, line=line + trouble.lineno - 1, hint=hint) from None
    except ValueError:
        raise _digits(text, path, line, error) from None
    _check_values(data, Origin(path, error, partial(json_lines, text, line)), MOST_JSON_INTEGER)
    return data


class _Repeated(ValueError):
    """A key that stands twice in one object."""


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise _Repeated
    return table


def _beyond(
    trouble: BeyondLimit, text: str, path: str, first: int, error: type[AnalyzerError], hint: str = _MEND
) -> AnalyzerError:
    line = first + text.count("\n", 0, trouble.offset)
    return error(str(trouble), path=path, line=line, hint=hint)


def _digits(text: str, path: str, first: int, error: type[AnalyzerError]) -> AnalyzerError:
    found = _LONG_NUMBER.search(text)
    line = first + (0 if found is None else text.count("\n", 0, found.start()))
    return error("holds a number of too many digits", path=path, line=line, hint="write a smaller number")


def _check_values(root: Any, origin: Origin, most: int) -> None:
    """Raise the error of a number out of range, or of a text that no file name could hold."""
    if not isinstance(root, dict | list) and (wrong := _wrong(root, most)):
        raise origin.wrong((), f"{path_text(())} {wrong}", "write another value")
    waiting: list[tuple[KeyPath, Any]] = [((), root)] if isinstance(root, dict | list) else []
    while waiting:
        position, container = waiting.pop()
        for key, value in container.items() if isinstance(container, dict) else enumerate(container):
            if isinstance(value, dict | list):
                waiting.append(((*position, key), value))
            if wrong := _wrong(value, most) or _wrong(key, most):
                here = (*position, key)
                raise origin.wrong(here, f"{path_text(here)} {wrong}", "write another value")


def _wrong(value: object, most: int) -> str:
    """Return the defect of a value in itself, empty where it can be used."""
    if isinstance(value, str):
        return "holds a character that is no text (NUL, or half of a surrogate pair)" if _UNUSABLE.search(value) else ""
    if isinstance(value, int):
        return "" if -most - 1 <= value <= most else f"is beyond {most:.2g}"
    return "is not a finite number" if isinstance(value, float) and not math.isfinite(value) else ""
