"""Fuzz one target for some seconds, or all readers of data by the structure of their documents.

    python -m tests.fuzz TARGET|readers [SECONDS] [--seed N]

With ``atheris`` (extra ``fuzz``) the search is guided by coverage; without it inputs are damaged at random.  The seeds
are the corpus, the hostile sources and recorded data.  What breaks is written to ``crash-*`` in the working folder and
told; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import importlib.util
import multiprocessing
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path


def main() -> int:
    """Choose the engine and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target")
    parser.add_argument("seconds", type=int, nargs="?", default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plain", action="store_true", help="without atheris")
    parser.add_argument("--corpus", type=Path, help="keep what reached new code there, and begin with it")
    options = parser.parse_args()
    if options.target == "readers":
        from .many import fuzz_readers

        return fuzz_readers(options.seconds, options.seed)
    if options.plain or importlib.util.find_spec("atheris") is None:
        return _at_random(options.target, options.seconds, options.seed)
    arguments = (options.target, options.seconds, options.seed, options.corpus or Path(tempfile.mkdtemp()))
    before = _files_of(options.target)
    engine = multiprocessing.get_context("fork").Process(target=_guided, args=arguments)
    engine.start()
    engine.join()
    return 1 if engine.exitcode or _files_of(options.target) - before else 0


def _files_of(name: str) -> set[tuple[Path, float]]:
    return {(path, path.stat().st_mtime) for path in Path().glob(f"crash-{name}-*")}


class _Crashes:
    """What broke, once for each place that raised."""

    def __init__(self, name: str, read: Callable[[bytes], None]) -> None:
        self._name, self._read = name, read
        self.runs, self.places = 0, Counter[tuple[str, str, int]]()

    def attempt(self, data: bytes) -> None:
        self.runs += 1
        try:
            self._read(data)
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            place = (type(error).__name__, frame.filename, frame.lineno or 0)
            self.places[place] += 1
            if self.places[place] == 1:
                path = Path(f"crash-{self._name}-{len(self.places)}")
                path.write_bytes(data)
                print(f"{path}:\n{traceback.format_exc()}", flush=True)


def _guided(name: str, seconds: int, seed: int, folder: Path) -> None:
    """Fuzz in a process of its own: the engine ends it, whatever was found."""
    import atheris  # type: ignore[import-untyped, unused-ignore]

    with atheris.instrument_imports(include=["analyzer", "roofline", "cli"]):
        from .targets import TARGETS, attempt
    target = TARGETS[name]
    crashes = _Crashes(name, partial(attempt, target))
    folder.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(target.seeds()):
        (folder / f"seed-{number}").write_bytes(text)

    def mutated(data: bytes, most_bytes: int, number: int) -> bytes:
        return target.damaged(data, random.Random(number))[:most_bytes]

    arguments = [f"-max_total_time={seconds}", f"-seed={seed}", "-max_len=4096", "-timeout=60", "-rss_limit_mb=4096"]
    more = {"custom_mutator": mutated} if target.is_code else {}
    atheris.Setup(["fuzz", *arguments, "-print_final_stats=1", str(folder)], crashes.attempt, **more)
    atheris.Fuzz()


def _at_random(name: str, seconds: int, seed: int) -> int:
    from .targets import TARGETS, attempt

    target, chance = TARGETS[name], random.Random(seed)
    crashes = _Crashes(name, partial(attempt, target))
    seeds, end = list(target.seeds()), time.monotonic() + seconds
    while time.monotonic() < end:
        crashes.attempt(target.damaged(chance.choice(seeds), chance))
    print(f"{name}: {crashes.runs} inputs, {len(crashes.places)} crashes")
    return 1 if crashes.places else 0


if __name__ == "__main__":
    sys.exit(main())
