"""Regular expressions of modules, compiled when they are first used: a run uses few of them, and compiling all takes a
tenth of a small one."""

from __future__ import annotations

import re
from typing import Any, AnyStr, Generic, cast

_PARTS = tuple(name for name in dir(re.Pattern) if not name.startswith("_"))


def regex(text: AnyStr, flags: int | re.RegexFlag = 0) -> re.Pattern[AnyStr]:
    r"""Return a regular expression that is compiled when something is asked of it; raises ``re.error`` only then.

    >>> word = regex(r"\w+")
    >>> word.findall("a triad"), word.pattern
    (['a', 'triad'], '\\w+')
    """
    return cast("re.Pattern[AnyStr]", _Regex(text, flags))


class _Regex(Generic[AnyStr]):
    """Stands for a compiled expression; takes its methods over once it is compiled."""

    def __init__(self, text: AnyStr, flags: int | re.RegexFlag) -> None:
        self._text: AnyStr = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name not in _PARTS:
            raise AttributeError(name)
        compiled = re.compile(self._text, self._flags)
        self.__dict__.update({part: getattr(compiled, part) for part in _PARTS})
        return self.__dict__[name]
