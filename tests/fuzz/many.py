"""All readers of data in turns, one process: how many inputs, how long, the slowest, and what broke.

    nice -n 10 python -m tests.fuzz readers SECONDS [--seed N]        (SIGTERM ends it sooner, with its figures)

Broken is what raises anything but an error that is worded for the user, takes more than a second, or more memory than
two gigabytes.
"""

from __future__ import annotations

import random
import resource
import signal
import time
import traceback
import zlib
from collections import Counter
from pathlib import Path

from msgspec import Struct, field

from .readers import READERS, Reader

SLOW_S = 1.0
_MEMORY = 2 << 30


class Figures(Struct):
    """What was read by one reader."""

    inputs: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    broken: Counter[str] = field(default_factory=Counter)


def read_many(reader: Reader, seeds: tuple[bytes, ...], chance: random.Random, count: int, figures: Figures) -> bytes:
    """Read some inputs; return the last that broke anew, empty where none did."""
    found = b""
    for _ in range(count):
        data = reader.draw(seeds, chance)
        start = time.thread_time()
        wrong = ""
        try:
            reader.attempt(data)
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            wrong = f"{type(error).__name__} at {frame.filename}:{frame.lineno}: {str(error)[:100]}"
        took = time.thread_time() - start
        figures.inputs += 1
        figures.seconds += took
        figures.slowest = max(figures.slowest, took)
        if took > SLOW_S:
            wrong = wrong or f"takes more than {SLOW_S:g} s"
        if wrong:
            key = wrong.partition(": ")[0]
            found = found if figures.broken[key] else data
            figures.broken[key] += 1
    return found


def fuzz_readers(seconds: int, seed: int) -> int:
    """Read until the time is over; print the figures and return the exit status."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    seeds = {name: tuple(reader.seeds()) for name, reader in READERS.items()}
    chances = {name: random.Random(seed + zlib.crc32(name.encode())) for name in READERS}
    figures = {name: Figures() for name in READERS}
    end = time.monotonic() + seconds
    signal.signal(signal.SIGTERM, lambda _signal, _frame: over.append(True))
    over: list[bool] = []
    while time.monotonic() < end and not over:
        for name, reader in READERS.items():
            found = read_many(reader, seeds[name], chances[name], reader.inputs_of_a_round, figures[name])
            if found:
                path = Path(f"crash-{name.replace(' ', '-')}-{sum(figures[name].broken.values())}")
                path.write_bytes(found)
                print(f"{path}: {figures[name].broken}", flush=True)
    for name, found_ in figures.items():
        row = (name, f"{found_.inputs:,}", f"{found_.seconds:.0f}", f"{1e3 * found_.slowest:.0f}", len(found_.broken))
        print("| `{}` | {} | {} | {} | {} |".format(*row))
    total = sum(found_.inputs for found_ in figures.values())
    broken = sum(len(found_.broken) for found_ in figures.values())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"{total:,} inputs, {broken} broken, {peak} MiB at most")
    return 1 if broken else 0
