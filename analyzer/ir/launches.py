"""How a grid of threads is launched: by the source, by the host code, or several times with other sizes."""

from __future__ import annotations

from msgspec import Struct


class Registers(Struct, frozen=True):
    """The registers of a thread that a compiler is likely to allocate, and within what."""

    likely: int
    least: int
    most: int


class Launch(Struct, frozen=True):
    """How a kernel is started: blocks and threads in x, y, z (None: not known), dynamic shared memory, said where.

    ``registers`` are those of a thread, where the user gives them, else ``predicted_registers``, by the registers that
    a thread may have on a machine with all of its threads resident.  ``arguments`` are the
    whole numbers among the arguments that tell launches of one kernel apart.  ``pinned`` and ``managed`` are the arrays
    in pinned memory of the host, and in memory that moves to where it is used.  ``array_bytes`` are the sizes of arrays
    that were allocated, ``array_offsets`` how many bytes behind an aligned address others start, where
    any do: one of these, all equally likely.
    ``in_series`` is the number of launches of the series that it is one of.  ``null_pointers``
    are the parameters that get no address.  ``random_arrays`` are the arrays that the host fills with random numbers,
    ``array_forms`` those that it fills with ``first + step*k``, with ``first`` and ``step``.  Of ``same_memory`` are
    arrays that start at one address.  Where a runtime starts it ``by_directives``, or a library, the source says
    nothing of blocks and threads.
    """

    grid: tuple[int | None, int | None, int | None]
    block: tuple[int | None, int | None, int | None]
    shared_bytes: int | None
    source: str
    registers: int | None = None
    predicted_registers: tuple[tuple[int, Registers], ...] = ()
    arguments: tuple[tuple[str, int], ...] = ()
    pinned: tuple[str, ...] = ()
    managed: tuple[str, ...] = ()
    array_bytes: tuple[tuple[str, int], ...] = ()
    array_offsets: tuple[tuple[str, tuple[int, ...]], ...] = ()
    in_series: int = 1
    null_pointers: tuple[str, ...] = ()
    random_arrays: tuple[str, ...] = ()
    array_forms: tuple[tuple[str, int, int], ...] = ()
    same_memory: tuple[tuple[str, ...], ...] = ()
    by_directives: bool = False


class RepeatedLaunch(Struct, frozen=True):
    """A launch that is made ``least`` to ``most`` times; ``values`` are those of what varies in its series."""

    launch: Launch
    values: tuple[tuple[str, int], ...]
    least: int
    most: int


class LaunchSeries(Struct, frozen=True):
    """The launches of one kernel from one position in the host code, in the order in which they come first.

    An ``is_open`` series has more launches than those known: a loop around them was not followed to its end.
    """

    launches: tuple[RepeatedLaunch, ...]
    is_open: bool = False

    @property
    def least(self) -> int:
        """Return how many launches there are at least."""
        return sum(item.least for item in self.launches)

    @property
    def most(self) -> int:
        """Return how many launches were met, under whatever condition."""
        return sum(item.most for item in self.launches)


class SeriesPart(Struct, frozen=True):
    """What a region stands for in a series: one of the launches, or (None) all, with symbols for what varies."""

    series: LaunchSeries
    position: int | None
