"""Baselines: findings that are known, and the intensity of every loop at the time.

Findings are known by rule, file, function and fingerprint of the loop, loops by file, function and fingerprint; lines
do not matter.  A loop whose fingerprint is not known any more was changed: it is compared with the one of the same
function that is gone, recognised by its counters and arrays, or else by its order (AI103), and what was known of that
one is known of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct, field
from msgspec.structs import replace

from ..report.source_names import source_name
from .findings import Finding, State
from .subject import Subject

SCHEMA_VERSION = 1
NO_MACHINE = "-"
_NOTICEABLE = Fraction(999, 1000)
_NEVER_KEPT = frozenset({"AI103"})


class KnownLoop(Struct, frozen=True):
    """A nest at the time of the baseline; ``shape`` names its counters and arrays, ``intensity`` is by machine."""

    path: str
    function: str
    fingerprint: str
    shape: str
    intensity: Mapping[str, Fraction]


class Baseline(Struct, frozen=True):
    """How often each finding is known, and the loops in the order of the source."""

    findings: Mapping[tuple[str, str, str, str], int] = field(default_factory=dict)
    loops: tuple[KnownLoop, ...] = ()


def baseline_of(findings: Iterable[Finding], subjects: Iterable[Subject]) -> Baseline:
    """Return the baseline that makes all of these findings known."""
    counted = Counter(
        found.key for found in findings if found.code not in _NEVER_KEPT and found.state is not State.SUPPRESSED
    )
    return Baseline(dict(sorted(counted.items())), tuple(_known(subject) for subject in subjects))


def _known(subject: Subject) -> KnownLoop:
    intensity = {
        NO_MACHINE if projection is None else projection.machine.id: ratio.number
        for ratio, projection in subject.judged()
        if ratio.number is not None
    }
    numbers = {name: number for name, number in intensity.items() if number is not None}
    return KnownLoop(subject.path, subject.function, subject.fingerprint, shape_of(subject), numbers)


def shape_of(subject: Subject) -> str:
    """Return counters of the loops and names of the arrays, in order."""
    counters = ",".join(source_name(loop.iterator) for loop in subject.home.profile.loops)
    arrays = ",".join(sorted({reference.array for reference in subject.home.profile.access_patterns.references}))
    return f"{counters}|{arrays}"


def mark_known(
    findings: Sequence[Finding], pairs: Iterable[tuple[Subject, KnownLoop]], baseline: Baseline
) -> tuple[tuple[Finding, ...], int]:
    """Return the findings with those marked that are known, and how many known ones are gone."""
    left = Counter(dict(baseline.findings))
    earlier = {
        (subject.path, subject.function, subject.fingerprint): (known.path, known.function, known.fingerprint)
        for subject, known in pairs
    }
    marked = []
    for found in findings:
        keys = (found.key, (found.code, *earlier.get(found.key[1:], found.key[1:])))
        known = next((key for key in keys if found.state is State.NEW and left[key] > 0), None)
        if known is not None:
            left[known] -= 1
        marked.append(replace(found, state=State.BASELINE) if known is not None else found)
    return tuple(marked), sum(left.values())


def fallen(pairs: Iterable[tuple[Subject, KnownLoop]]) -> Iterator[Finding]:
    """Find AI103: loops whose intensity is lower than at the time of the baseline."""
    for subject, known in pairs:
        for ratio, projection in subject.judged():
            before = known.intensity.get(NO_MACHINE if projection is None else projection.machine.id)
            now = ratio.number
            if before is not None and now is not None and now < before * _NOTICEABLE:
                yield subject.finding(
                    "AI103",
                    "fell",
                    {"before": float(before), "now": float(now), "on": subject.on(projection)},
                    facts={"intensity_before": float(before)},
                )


def pairs_of(subjects: Sequence[Subject], loops: Sequence[KnownLoop]) -> Iterator[tuple[Subject, KnownLoop]]:
    """Yield each loop with what it was: the same one, else one of the same function that is there no more."""
    now, before = list(subjects), list(loops)
    for same in (_is_identical, _is_elsewhere, _is_alike):
        for subject in tuple(now):
            known = next((known for known in before if same(subject, known)), None)
            if known is not None:
                now.remove(subject)
                before.remove(known)
                yield subject, known
    for location in dict.fromkeys((subject.path, subject.function) for subject in now):
        own = [subject for subject in now if (subject.path, subject.function) == location]
        gone = [known for known in before if (known.path, known.function) == location]
        if len(own) == len(gone):
            yield from zip(own, gone, strict=True)


def _is_elsewhere(subject: Subject, known: KnownLoop) -> bool:
    return (subject.path, subject.fingerprint) == (known.path, known.fingerprint)


def _is_identical(subject: Subject, known: KnownLoop) -> bool:
    return _is_elsewhere(subject, known) and subject.function == known.function


def _is_alike(subject: Subject, known: KnownLoop) -> bool:
    here = (subject.path, subject.function, shape_of(subject))
    return here == (known.path, known.function, known.shape)
