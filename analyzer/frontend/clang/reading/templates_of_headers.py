"""Headers that a build makes from a template next to the sources (``config.h.in``): read without its choices.

``#cmakedefine X``, and ``#undef X`` of autoconf, leave X as it is: undefined, where nobody gives it; ``@X@`` and
``${X}`` outside of texts are 0.
"""

from __future__ import annotations

import os
import re

from ....errors import SourceError
from ....python.regex import regex
from ....source import Language, read_source
from ...confinement import is_within
from ...options import ParseOptions
from ...text.includes import nearby

_ENDING = ".in"
_DEFINITION = regex(r"^([ \t]*)#[ \t]*(?:cmakedefine|undef)[ \t]+\w+.*$", re.MULTILINE)
_SWITCH = regex(r"^([ \t]*)#[ \t]*cmakedefine01[ \t]+(\w+).*$", re.MULTILINE)
_VALUE = regex(r'("(?:\\.|[^"\\\n])*")|@\w+@|\$\{\w+\}')


def made_header(name: str, folder: str, options: ParseOptions) -> tuple[str, str] | None:
    """Return the path that a header of a template would have, and its text; None where no template is found."""
    found = nearby(name + _ENDING, folder)
    if found is None or not found.endswith(name + _ENDING) or not os.path.isfile(found):
        return None
    if options.confine and not is_within(found, options.confine):
        return None
    try:
        return found.removesuffix(_ENDING), without_choices(read_source(found, language=Language.C).text)
    except SourceError:
        return None


def without_choices(text: str) -> str:
    """Return the text of a template as a header, line by line.

    >>> without_choices('#cmakedefine A @B@\\n#undef G\\n#cmakedefine01 C\\n#define D @E@ "@F@"')
    '\\n\\n#define C 0\\n#define D 0 "@F@"'
    """
    text = _DEFINITION.sub("", _SWITCH.sub(r"\1#define \2 0", text))
    return _VALUE.sub(lambda found: found[1] or "0", text)
