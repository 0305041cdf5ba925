"""Names of constructs that are not modelled: among the sentences of AI206."""

from __future__ import annotations

from ...diagnostics import Field, Phrase


def construct(form: str, /, **fields: Field) -> Phrase:
    """Return the name of a construct.

    >>> str(construct("call", function="f"))
    'call of f'
    """
    return Phrase.of("AI206", form, **fields)
