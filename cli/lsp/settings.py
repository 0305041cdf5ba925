"""The settings of the editor: initialization options, or the section ``aiEstimate`` of a changed configuration.

::

    { "machine": "v100",              // or a list
      "defines": { "n": 4096 },
      "arguments": ["-p", "build"],   // further options of ai-estimate check
      "lenses": true, "rules": true, "advise": false,
      "debounce": 0.3, "limit": 60 }  // seconds: wait after a key, and at most for one analysis
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import fields

from analyzer.errors import OptionError
from analyzer.near_names import did_you_mean

SECTION = "aiEstimate"
_TEXT_KEYS = ("machine", "defines", "arguments")


class Settings(Struct, frozen=True):
    """The settings; ``arguments`` are options of ``ai-estimate check``, those of machines and sizes included."""

    arguments: tuple[str, ...] = ()
    lenses: bool = True
    rules: bool = True
    advise: bool = False
    debounce: float = 0.3
    limit: float = 60.0


def parse_settings(options: object) -> Settings:
    """Read the options; raises ``OptionError`` for a key or a value that is not known."""
    given = options.get(SECTION, options) if isinstance(options, Mapping) else options
    if given is None:
        return Settings()
    if not isinstance(given, Mapping):
        raise OptionError(f"the settings of ai-estimate must be an object, not {given!r}")
    return _parse(given)


def _parse(options: Mapping[str, Any]) -> Settings:
    known = (*_TEXT_KEYS, *(field.name for field in fields(Settings) if field.name != "arguments"))
    for key in options:
        if key not in known:
            hint = did_you_mean(str(key), known) or f"possible: {', '.join(known)}"
            raise OptionError(f"the settings of ai-estimate have no key {key!r}", hint=hint)
    return Settings(
        tuple(_arguments(options)),
        _flag(options, "lenses"),
        _flag(options, "rules"),
        _flag(options, "advise", default=False),
        _seconds(options, "debounce", 0.3, least=0.0),
        _seconds(options, "limit", 60.0, least=0.1),
    )


def _arguments(options: Mapping[str, Any]) -> list[str]:
    found = [*_texts(options, "arguments")]
    for machine in _texts(options, "machine"):
        found += ["--machine", machine]
    defines = options.get("defines", {})
    if not isinstance(defines, Mapping) or not all(isinstance(value, str | int | float) for value in defines.values()):
        raise OptionError(f"`defines` of ai-estimate must map names to numbers or text, not {defines!r}")
    for name, value in defines.items():
        found += ["-D", f"{name}={value}"]
    return found


def _texts(options: Mapping[str, Any], key: str) -> list[str]:
    value = options.get(key, [])
    entries = [value] if isinstance(value, str) else value
    if not isinstance(entries, list | tuple) or not all(isinstance(entry, str) for entry in entries):
        raise OptionError(f"`{key}` of ai-estimate must be text or a list of texts, not {value!r}")
    return list(entries)


def _flag(options: Mapping[str, Any], key: str, *, default: bool = True) -> bool:
    value = options.get(key, default)
    if not isinstance(value, bool):
        raise OptionError(f"`{key}` of ai-estimate must be true or false, not {value!r}")
    return value


def _seconds(options: Mapping[str, Any], key: str, default: float, *, least: float) -> float:
    value = options.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= 3600:
        raise OptionError(f"`{key}` of ai-estimate must be a number of seconds of at least {least:g}, not {value!r}")
    return float(value)
