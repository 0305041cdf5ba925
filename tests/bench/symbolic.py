"""Hold reports without sizes against reports with random ones, over files of public code.

``python -m tests.bench.symbolic FILE... [--vectors 20] [--machine haswell]`` prints for each file how many rows and
figures were compared and every contradiction, and exits with 1 if there is one.  A figure is a formula, an intensity or
a rate "at most"; see :mod:`tests.symbolic`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from analyzer.errors import AnalyzerError

from ..symbolic import compared


def main() -> int:
    """Compare the files; return 1 where something contradicts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--vectors", type=int, default=20)
    parser.add_argument("--machine", default="haswell")
    options = parser.parse_args()
    rows = figures = wrong = 0
    for file in options.files:
        try:
            found = compared(file, options.machine, options.vectors)
        except AnalyzerError as error:
            print(f"{file}: {error}")
            continue
        rows, figures, wrong = rows + found.rows, figures + found.figures, wrong + len(found.wrong)
        print(f"{file}: {found.rows} rows, {found.figures} figures, {len(found.wrong)} contradictions")
        for text in found.wrong:
            print(f"  {text}")
    print(f"{rows} rows, {figures} figures, {wrong} contradictions")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
