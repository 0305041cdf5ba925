"""The codes of a check, apart from what they do: listing them needs no analysis."""

from __future__ import annotations

from typing import Final

BOUND_CODE: Final = "AI100"
CODES: Final = ("AI005", *(f"AI{number}" for number in range(100, 115)))
