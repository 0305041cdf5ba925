"""What a ``std::string`` is made of: part of another one, characters at a pointer, or a literal."""

from __future__ import annotations

from ...surface.constructs import construct
from ...surface.nodes import COPY, INT, Binary, Call, Expression, Number, OpaqueExpression, PointerT, ScalarT, Text
from ..binding import Cursor
from ..scope import Scope
from .standard_library import NOWHERE, extreme_of, size_of

_CLASS = "basic_string"
_NEW = "new"


def made_text(
    scope: Scope, constructor: Cursor, kind: PointerT, arguments: tuple[Expression, ...]
) -> Expression | None:
    """Return the elements that a constructor of ``std::string`` gives them; None for those that all containers have.

    ``(text, start)`` and ``(text, start, number)`` end with the text, ``(characters, number)`` does not.
    """
    if scope.unit.spelling(constructor) != _CLASS or not arguments:
        return None
    first, *numbers = arguments
    if isinstance(first, Text):
        return _of_literal(scope, kind, first, numbers)
    owner = scope.static_type(first)
    if not isinstance(owner, PointerT) or not numbers or not _are_numbers(scope, numbers):
        return None
    if not owner.owns:
        return Call(COPY, COPY, (first, numbers[0]), kind, scope.span) if len(numbers) == 1 else None
    rest = Binary("-", size_of(scope, first, owner, INT), numbers[0], scope.span)
    asked = [each for each in numbers[1:] if not (isinstance(each, Number) and each.value in NOWHERE)]
    number = extreme_of(scope, "min", (rest, *asked), INT) or rest
    return Call(COPY, COPY, (Binary("+", first, numbers[0], scope.span), number), kind, scope.span)


def assigned_text(scope: Scope, text: Expression, value: Expression) -> Expression:
    """Return what is assigned to a text: characters of a literal, or at a pointer, are memory of its own."""
    kind, given = scope.static_type(text), scope.static_type(value)
    if not isinstance(kind, PointerT) or (isinstance(given, PointerT) and given.owns):
        return value
    made = _of_literal(scope, kind, value, []) if isinstance(value, Text) else None
    number = OpaqueExpression(construct("copy-of-a-container"), (value,), INT, scope.span)
    return made or Call(_NEW, _NEW, (number,), kind, scope.span)


def _are_numbers(scope: Scope, arguments: list[Expression]) -> bool:
    kinds = map(scope.static_type, arguments)
    return all(isinstance(kind, ScalarT) and kind.element.scalar.is_integer for kind in kinds)


def _of_literal(scope: Scope, kind: PointerT, text: Text, numbers: list[Expression]) -> Expression | None:
    """Return memory of as many characters as a literal has, or the call asks for; None where it has escapes."""
    if numbers and not _are_numbers(scope, numbers[:1]):
        return None
    is_plain = not {"\\", '"'} & set(text.text)
    length = Number(len(text.text.encode()), INT, scope.span) if is_plain else None
    number = numbers[0] if numbers else length
    return None if number is None else Call(_NEW, _NEW, (number,), kind, scope.span)
