"""Fuzz one target for some seconds, or all of them.

    python -m tests.fuzz TARGET|all [SECONDS] [--seed N]

With ``atheris`` (extra ``fuzz``) the search is guided by coverage; without it inputs are damaged at random.  The seeds
are the corpus, the hostile sources and recorded data.  What breaks is written to ``crash-*`` in the working folder and
told; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import sys
import tempfile
import time
import traceback
from pathlib import Path


def main() -> int:
    """Choose the engine and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target")
    parser.add_argument("seconds", type=int, nargs="?", default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plain", action="store_true", help="without atheris")
    options = parser.parse_args()
    if options.plain or importlib.util.find_spec("atheris") is None:
        return _at_random(options.target, options.seconds, options.seed)
    return _guided(options.target, options.seconds, options.seed)


def _guided(name: str, seconds: int, seed: int) -> int:
    import atheris

    with atheris.instrument_imports(include=["analyzer", "roofline", "cli"]):
        from .targets import TARGETS, attempt
    target = TARGETS[name]
    folder = tempfile.mkdtemp(prefix=f"corpus-{name}-")
    for number, text in enumerate(target.seeds()):
        Path(folder, str(number)).write_bytes(text)
    arguments = [f"-max_total_time={seconds}", f"-seed={seed}", "-max_len=4096", "-timeout=60", "-rss_limit_mb=4096"]
    atheris.Setup(["fuzz", *arguments, "-print_final_stats=1", folder], lambda data: attempt(target, data))
    atheris.Fuzz()  # leaves the process
    return 0


def _at_random(name: str, seconds: int, seed: int) -> int:
    from ..property.damage import damaged
    from .targets import TARGETS, attempt

    target, chance = TARGETS[name], random.Random(seed)
    seeds, crashes, runs, end = list(target.seeds()), 0, 0, time.monotonic() + seconds
    while time.monotonic() < end:
        data = damaged(chance.choice(seeds).decode("latin-1"), chance).encode("utf-8", "surrogatepass")
        runs += 1
        try:
            attempt(target, data)
        except Exception:
            crashes += 1
            path = Path(f"crash-{name}-{runs}")
            path.write_bytes(data)
            print(f"{path}:\n{traceback.format_exc()}", flush=True)
    print(f"{name}: {runs} inputs, {crashes} crashes")
    return 1 if crashes else 0


if __name__ == "__main__":
    sys.exit(main())
