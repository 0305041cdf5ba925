"""The loops of ``tests/data/patterns.c`` under instrumentation: the truth of ``tests/data/patterns.json``.

python -m tests.bench.patterns        writes it again (needs g++)
"""

from __future__ import annotations

import json
import re

from ..oracle.sources import ROOT
from .counted import run_counted
from .figures import Counts

SOURCE = ROOT / "tests" / "data" / "patterns.c"
TRUTH = SOURCE.with_suffix(".json")
_FUNCTION = re.compile(r"^void (\w+)\(void\)$", re.MULTILINE)
_ARRAYS = ("a", "b", "c", "d", "e", "aa", "bb", "flat", "ip")
_DATA = """
void fill()
{
    for (int i = 0; i < N; i++) {
        a[i] = i * 11 % 17 - 8; b[i] = i * 7 % 23 - 11; c[i] = i * 5 % 41; d[i] = i * 3 % 7 - 3; e[i] = i;
        ip[i] = (i + 4 * (i % 5)) % N;
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            aa[i][j] = 20 - i * j; bb[i][j] = i - j; flat[i * M + j] = j;
        }
}
"""


def names() -> list[str]:
    """The loops, in order."""
    return _FUNCTION.findall(SOURCE.read_text("utf-8"))


def run_patterns() -> dict[str, Counts]:
    """What one run of each loop counts."""
    text = SOURCE.read_text("utf-8").replace("typedef float real;", "typedef Counted real;")
    text = text.replace("int ip[", "Whole ip[")
    kept = "".join(f"counting::in_memory({name}, sizeof {name});\n" for name in _ARRAYS)
    runs = "".join(f'fill(); counting::reset(); {name}(); counting::print("{name}");\n' for name in names())
    found = run_counted(f'#include "counted.hpp"\n{text}{_DATA}int main() {{\n{kept}{runs}return 0;\n}}\n')
    return {name: counts for name, (counts,) in found.items()}


if __name__ == "__main__":
    lines = (f" {json.dumps(name)}: {json.dumps(counts)}" for name, counts in run_patterns().items())
    TRUTH.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
