"""What an importer is; :mod:`.all_importers` has those that the modules of :mod:`.formats` declare.

A module of that package ends with::

    IMPORTERS = (KernelImporter(name=NAME, made_by="tool --csv", recognises=recognises, read=read),)
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from .results import Reading
from .roofs import MeasuredRoofs


class KernelImporter(Struct, frozen=True, kw_only=True):
    """A format of measured kernels.

    ``name`` is that of the command line, ``made_by`` the command that writes such files; ``recognises`` takes the text,
    ``read`` the text and the path for messages, and raises ``MeasurementError``.  FLOPs of profilers of GPUs count
    machine code (``counts_machine_code``).  Formats of a higher ``rank`` are tried later: 0 has a mark of its own, 1
    accepts columns that other formats have too, 2 has no header.
    """

    name: str
    made_by: str
    recognises: Callable[[str], bool]
    read: Callable[[str, str], Reading]
    counts_machine_code: bool = False
    rank: int = 0


class RoofImporter(Struct, frozen=True, kw_only=True):
    """A format of measured roofs of a machine; ``what`` names such a file in a message ("an ERT roofline.json")."""

    name: str
    what: str
    recognises: Callable[[str], bool]
    read: Callable[[str, str], MeasuredRoofs]
