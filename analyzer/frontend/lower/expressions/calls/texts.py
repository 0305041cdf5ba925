"""Comparisons of texts that the source spells out: the literal that a call gives a parameter is known in the body.

So ``checksum(__func__)`` takes the one branch of ``if (!strcmp(name, "s000")) ... else if ...`` that is for its caller.
"""

from __future__ import annotations

from collections.abc import Set

from .....ir.types import INT32
from .....ir.values import Constant
from ....known_functions import canonical_name, table
from ....surface import nodes as sx
from ....surface.designation import without_casts
from ...state import State

_COMPARED, _COMPARED_TO_LENGTH, _LENGTH = "strcmp", "strncmp", "strlen"


def note_text(state: State, parameter: sx.Variable, argument: sx.Expression, assigned: Set[sx.Variable]) -> None:
    """Note the literal that a call gives a parameter, which the body does not change."""
    text = None if parameter in assigned else _text_of(state, argument)
    if text is None:
        state.memory.given_texts.pop(parameter, None)
    else:
        state.memory.given_texts[parameter] = text


def compared_texts(state: State, call: sx.Call, name: str) -> Constant | None:
    """Return the result of a comparison of known texts, or the length of one; None for other calls."""
    if name not in (_COMPARED, _COMPARED_TO_LENGTH, _LENGTH):
        return None
    texts = [_text_of(state, argument) for argument in call.arguments[: 1 if name == _LENGTH else 2]]
    known = [text.encode() for text in texts if text is not None]
    if len(known) < len(texts):
        return None
    if name == _LENGTH:
        return Constant(len(known[0]), call.type.element if isinstance(call.type, sx.ScalarT) else INT32)
    if name == _COMPARED_TO_LENGTH:
        length = state.quietly(call.arguments[2])
        if length is None or length.constant is None:
            return None
        known = [text[: length.constant] for text in known]
    first, second = known
    return Constant((first > second) - (first < second), INT32)


def is_length(state: State, call: sx.Call) -> bool:
    """Return whether a call goes to the end of a text that the source does not spell out."""
    name = canonical_name(call.name)
    is_own = call.function in state.inputs.unit.functions
    return name in table().lengths and not is_own and compared_texts(state, call, name) is None


def _text_of(state: State, expression: sx.Expression) -> str | None:
    """Return the text of a literal, or of a parameter that has one; None where it is not known or has escapes."""
    match without_casts(expression):
        case sx.Text(text=text) if "\\" not in text:
            return text
        case sx.Name(variable=variable):
            return state.memory.given_texts.get(variable)
    return None
