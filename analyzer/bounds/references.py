"""What statements read and write, as far as values can be followed: locations, affine subscripts, and who wrote last.

Scalars in registers are locations too: their values take room as others do.  An *operation* is one execution of a
statement of the source; where that became several (``x = p < q ? p : q``), these are one operation, of which what is
certain to be read counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..counts.references import Direction, references_of
from ..domains.access_relations import cell_of, delinearize, elements, parts_of
from ..domains.domain import Iteration, StatementDomain
from ..domains.formula import NotAffine
from ..domains.isl.dataflow import Found, Touch, image_of, sources
from ..domains.isl.sets import Points, Relation, relation, union
from ..ir.conditions import leaves
from ..ir.index import Number, Poly
from ..ir.names import in_source
from ..ir.nodes import DataDependent
from ..ir.values import Access, Opaque, Register, walk_values
from ..python.cached_property import cached_property
from ..quantities.quasipolynomial import NOTHING, Count, total

_HELPER = "$"  # before the name of a variable that the source does not have

Matrix = tuple[tuple[Number, ...], ...]


class Location(Struct, frozen=True):
    """An array seen through one member, or (``is_scalar``) a scalar variable."""

    name: str
    offset_bytes: int = 0
    is_scalar: bool = False


class Reference(Struct, frozen=True, eq=False):
    """A reference of an operation (by its number); ``matrix`` has the factors of its loops in each subscript.

    ``offsets`` are the rests of the subscripts.  ``element`` and ``matrix`` are None where it is not affine.
    """

    statement: int
    location: Location
    label: str
    size_bytes: int
    element: Relation | None
    matrix: Matrix | None
    offsets: tuple[Poly, ...] = ()


class Reads(Struct, frozen=True, eq=False):
    """A read, and what it finds: values of other statements, by their numbers, and of the start.

    ``found`` is None where some writes of the location are not known exactly.  Then at most ``most_written`` values of
    it are computed.
    """

    reference: Reference
    found: Found | None
    most_written: Count


class Statements(Struct, frozen=True, dict=True):
    """The statements of a nest, or of several that run one after the other."""

    all: tuple[StatementDomain, ...]

    @cached_property
    def operations(self) -> tuple[int, ...]:
        """Return for each statement the number of its operation: that of the last statement that it became."""
        found = list(range(len(self.all)))
        for number in range(len(self.all) - 1, 0, -1):
            before = number - 1
            if _helpers_of(self.all[before]) & _helpers_of(self.all[number]):
                found[before] = found[number]
        return tuple(found)

    @property
    def are_understood(self) -> bool:
        """Return whether no part is opaque, and no trip count an average."""
        return not any(
            statement.domain.averaged is not None or any(isinstance(each, Opaque) for each in walk_values(node.value))
            for statement in self.all
            for node in [statement.node]
        )

    @cached_property
    def reads(self) -> Mapping[int, tuple[Reads, ...]]:
        """Return the reads of each statement that may be followed; raises ``OverBudget``."""
        found: dict[int, list[Reads]] = {}
        for location in dict.fromkeys(each.location for each in self.references[0]):
            for read in self._of(location):
                found.setdefault(read.reference.statement, []).append(read)
        return {number: tuple(some) for number, some in found.items()}

    @cached_property
    def references(self) -> tuple[list[Reference], list[Reference]]:
        """Return all reads and all writes of locations that are apart from one another."""
        iterators = frozenset(loop.iterator for statement in self.all for loop in statement.loops)
        accesses = [each.access for statement in self.all for each in references_of(statement)]
        renamed = delinearize(accesses, iterators)
        apart = _apart([renamed.get(access, access) for access in accesses])
        reads: list[Reference] = []
        writes: list[Reference] = []
        for number, statement in enumerate(self.all):
            operation = self.operations[number]
            whole = self.all[operation]
            made = number if statement.domain is not whole.domain else operation
            for access, is_write in _accesses(statement):
                seen = renamed.get(access, access)
                if seen.array in apart:
                    (writes if is_write else reads).append(_reference(made, statement, seen))
            for register, is_write in _registers(statement):
                (writes if is_write else reads).append(_scalar(made, statement, register))
        return reads, writes

    def accumulates(self, number: int) -> bool:
        """Return whether a statement reads what it writes: it may be a sum, whose order is free."""
        return any(self.is_of_a_sum(read.reference) for read in self.reads.get(number, ()))

    def is_of_a_sum(self, read: Reference) -> bool:
        """Return whether a read is of the element that the same operation writes."""
        return any(
            (each.statement, each.location, each.matrix, each.offsets)
            == (read.statement, read.location, read.matrix, read.offsets)
            for each in self.references[1]
        )

    def writers_of(self, location: Location) -> list[Reference]:
        """Return the writes of a location."""
        return [each for each in self.references[1] if each.location == location]

    def _of(self, location: Location) -> Iterator[Reads]:
        reads = [each for each in self.references[0] if each.location == location and each.element is not None]
        writes = self.writers_of(location)
        if location.is_scalar and not writes:
            return
        most = total([self.all[each.statement].domain.count() for each in writes]) if writes else NOTHING
        if any(each.element is None or not self.all[each.statement].domain.is_exact for each in writes):
            yield from (Reads(each, None, most) for each in reads)
            return
        found = sources([self.touch(each, 0) for each in reads], [self.touch(each, 1) for each in writes])
        for each, one in zip(reads, found, strict=True):
            writers = (replace(writer, write=writes[writer.write].statement) for writer in one.writers)
            yield Reads(each, replace(one, writers=tuple(writers)), most)

    def last_writes(self, location: Location) -> Mapping[int, Points]:
        """Return for each statement the iterations that write an element for the last time; raises ``OverBudget``.

        All writes of the location are to elements that are known.
        """
        writes = [self.touch(each, 1) for each in self.writers_of(location)]
        length = max(len(each.schedule) for each in self.all) + 1
        moments = ", ".join(f"m{number}" for number in range(length))
        during = relation(f"{{ [{moments}] -> [0, {moments}] }}")
        elements_of = union(tuple(each.element.image(each.iterations) for each in writes))
        subscripts = ", ".join(f"e{number}" for number in range(elements_of.dimension))
        after = relation(f"{{ [{subscripts}] -> [{', '.join(['1', *['0'] * length])}] }}")
        end = Touch(elements_of, relation(f"{{ [{subscripts}] -> [{subscripts}] }}"), after)
        (found,) = sources([end], [replace(each, time=each.time.then(during)) for each in writes])
        last: dict[int, Points] = {}
        for writer in found.writers:
            number, made = self.writers_of(location)[writer.write].statement, image_of(writer.made_by)
            last[number] = made if number not in last else last[number] | made
        return last

    def time(self, number: int) -> Relation:
        """Map the iterations of a statement to their times among all."""
        return self._time(self.all[number], 1)

    def size_bytes(self, number: int) -> int:
        """Return the bytes of the value that a statement makes."""
        return min(each.size_bytes for each in self.references[1] if each.statement == number)

    def touch(self, reference: Reference, late: int) -> Touch:
        """Return a reference to an affine element with its iterations and times: 0 of a read, 1 of a write."""
        statement = self.all[reference.statement]
        assert reference.element is not None
        return Touch(statement.domain.upper, reference.element, self._time(statement, late))

    def _time(self, statement: StatementDomain, late: int) -> Relation:
        """Map an iteration of a statement to its time among all; it reads (0) before it writes (1)."""
        names = statement.domain.names
        length = max(len(each.schedule) for each in self.all)
        moments = []
        for entry in statement.schedule:
            if isinstance(entry, Iteration):
                moments.append(f"{'-' if entry.downwards else ''}{names.iterator(entry.iterator)}")
            else:
                moments.append(str(entry))
        moments += ["0"] * (length - len(moments)) + [str(late)]
        dims = ", ".join(names.iterator(loop.iterator) for loop in statement.loops)
        return relation(f"{{ [{dims}] -> [{', '.join(moments)}] }}")


def _helpers_of(statement: StatementDomain) -> frozenset[str]:
    """Return the variables of a statement that stand for parts of an expression of the source."""
    path = () if statement.choice is None else statement.choice.path
    tested = (leaf.name for condition in path for leaf in leaves(condition) if isinstance(leaf, DataDependent))
    named = (register.name for register, _ in _all_registers(statement))
    return frozenset(name for name in (*tested, *named) if name.startswith(_HELPER))


def _is_helper(register: Register) -> bool:
    return register.name.startswith(_HELPER)


def _accesses(statement: StatementDomain) -> Iterator[tuple[Access, bool]]:
    yield from dict.fromkeys((each.access, each.direction is Direction.STORE) for each in references_of(statement))


def _registers(statement: StatementDomain) -> Iterator[tuple[Register, bool]]:
    return (found for found in _all_registers(statement) if not _is_helper(found[0]))


def _all_registers(statement: StatementDomain) -> Iterator[tuple[Register, bool]]:
    node = statement.node
    yield from dict.fromkeys((each, False) for each in walk_values(node.value) if isinstance(each, Register))
    if isinstance(node.target, Register):
        yield node.target, True


def _apart(accesses: Sequence[Access]) -> frozenset[str]:
    """Return the arrays of which two references touch either the same bytes or none in common."""
    by_array: dict[str, set[Access]] = {}
    for access in accesses:
        by_array.setdefault(access.array, set()).add(access)
    return frozenset(array for array, some in by_array.items() if _are_apart(some))


def _are_apart(accesses: set[Access]) -> bool:
    if len({access.strides_bytes for access in accesses}) > 1:
        return False
    if any(parts_of(access) > 1 or access.type.lanes > 1 for access in accesses):
        return False
    cells = {cell_of(access) for access in accesses}
    return not any(
        one.offset_bytes <= other.offset_bytes < one.offset_bytes + one.size_bytes
        for one in cells
        for other in cells
        if one is not other
    )


def _reference(number: int, statement: StatementDomain, access: Access) -> Reference:
    element: Relation | None
    try:
        element = elements(statement, access)
    except NotAffine:
        element = None
    location = Location(access.array, access.offset_bytes)
    matrix = _matrix(statement, access.subscripts)
    iterators = {loop.iterator: 0 for loop in statement.loops}
    offsets = () if matrix is None else tuple(each.substitute(iterators) for each in access.subscripts)
    return Reference(number, location, in_source(access.spelling), access.type.size_bytes, element, matrix, offsets)


def _scalar(number: int, statement: StatementDomain, register: Register) -> Reference:
    dims = ", ".join(statement.domain.names.iterator(loop.iterator) for loop in statement.loops)
    element = relation(f"{{ [{dims}] -> [0] }}")
    location = Location(register.name, is_scalar=True)
    return Reference(number, location, in_source(register.name), register.type.size_bytes, element, None)


def _matrix(statement: StatementDomain, subscripts: Sequence[Poly]) -> Matrix | None:
    """Return the factors of the loops in each subscript; None where one is not linear in them."""
    names = frozenset(loop.iterator for loop in statement.loops)
    rows = []
    for subscript in subscripts:
        factors = [subscript.coefficient(loop.iterator).constant for loop in statement.loops]
        inside = [atom for atom in subscript.nested_atoms() if not isinstance(atom, str)]
        if None in factors or inside or subscript.degree_in(names) > 1:
            return None
        rows.append(tuple(factor for factor in factors if factor is not None))
    return tuple(rows)
