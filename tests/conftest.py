"""Fixtures of all tests: the program in process, and golden files."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

GOLDEN = Path(__file__).parent / "golden"
LONGEST = (  # files of more than 30 s of CPU time: begun last, one would keep one core busy and leave the others idle
    *("e2e/test_everyday.py", "e2e/test_first_screen.py", "e2e/test_hostile.py", "property/test_given_back.py"),
    *("property/test_counts.py", "e2e/test_kernel_bytes.py", "e2e/test_forms.py", "property/test_lower_bounds.py"),
    *("e2e/test_cli.py", "e2e/test_identity.py", "e2e/test_corpus.py", "e2e/test_security.py", "e2e/test_drawn.py"),
    *("e2e/test_documentation.py", "e2e/test_patch.py", "property/test_ranges.py", "unit/limits/test_hard_limit.py"),
    *("e2e/test_lsp.py", "e2e/test_examples_of_codes.py"),
)
FAST = (  # folders of the fast loop
    *("parity", "unit/annotations", "unit/bounds", "unit/counts", "unit/data_files", "unit/domains"),
    *("unit/frontend/fragment", "unit/frontend/launches", "unit/frontend/lower", "unit/frontend/text", "unit/ir"),
    *("unit/profiling", "unit/quantities", "unit/registers", "unit/roofline/comparison", "unit/roofline/machine"),
    *("unit/roofline/measured", "unit/roofline/report"),
)
os.environ["AI_ESTIMATE_CACHE_DIR"] = ""  # results of earlier runs would hide what a test is about
os.environ["AI_ESTIMATE_TRACEBACK"] = "1"
os.environ.pop(
    "PYTHONDONTWRITEBYTECODE", None
)  # the processes of a run compile each module once, not each of them anew
sys.dont_write_bytecode = False
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does


class Outcome(Struct, frozen=True):
    """What a run of the program left."""

    code: int
    stdout: str
    stderr: str


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the longest files come first, in this order; those of one file stay as they are.

    Mark the fast loop: the first case of each test in its folders.
    """
    here = Path(__file__).parent
    rank = {here / name: number for number, name in enumerate(LONGEST)}
    folders = {here / name for name in FAST}
    assert all(path.exists() for path in (*rank, *folders))
    items.sort(key=lambda item: rank.get(item.path, len(rank)))
    tests = set()
    for item in items:
        test = item.nodeid.partition("[")[0]
        is_first = test not in tests and item.get_closest_marker("slow") is None
        if is_first and not folders.isdisjoint(item.path.parents):
            tests.add(test)
            item.add_marker("fast")


def pytest_collection_finish() -> None:
    """Look for cycles as seldom as the command does, and never among what lasts: modules and thousands of tests."""
    import analyzer.pipeline
    from cli.run.process import OBJECTS_BETWEEN_COLLECTIONS

    assert analyzer.pipeline  # loaded once: the processes that a run starts have it from here
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write the golden files anew")


@pytest.fixture(scope="session", autouse=True)
def contradictions() -> Iterator[list[str]]:
    """Collect what does not hold of the reports that are made, by whatever part of the program."""
    import roofline.report.regions
    import roofline.report.soundness

    from .invariants import violations

    found: list[str] = []
    make = roofline.report.regions.region_report

    def made(profile: Any, traffic: Any, targets: Any, options: Any, reuses: Any = None) -> Any:
        report = make(profile, traffic, targets, options, reuses)
        if reuses is None:
            found.extend(violations(report))
        return report

    find = roofline.report.soundness.sound

    def checked(profile: Any, traffic: Any) -> Any:
        answer = find(profile, traffic)
        found.extend(finding.message for finding in answer.diagnostics)
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(roofline.report.regions, "region_report", made)
        patch.setattr(roofline.report.regions, "sound", checked)
        yield found


@pytest.fixture(autouse=True)
def no_report_contradicts_itself(contradictions: list[str]) -> Iterator[None]:
    """Fail after a test whose reports contradict themselves."""
    yield
    found, contradictions[:] = list(contradictions), []
    assert not found, "\n".join(found)


@pytest.fixture
def run(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Call ``main`` in this process: ``run("kernel.c", "--format", "json", stdin="...")``.

    It also analyzes here; in tests marked ``isolated``, in a copy of this process, as for users.
    """

    from cli.main import main

    from .in_process import analyzing_here

    where = contextlib.nullcontext if request.node.get_closest_marker("isolated") else analyzing_here

    def call(*arguments: object, stdin: str = "") -> Outcome:
        stdout, stderr = io.StringIO(), io.StringIO()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with where(), contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
            code = main([str(argument) for argument in arguments])
        return Outcome(code, stdout.getvalue(), stderr.getvalue())

    return call


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str | bytes], None]:
    """Compare with a file under ``tests/golden``: ``golden("triad.txt", text)``; a missing file fails."""
    update: Any = request.config.getoption("--update-goldens")

    def compare(name: str, found: str | bytes) -> None:
        path = GOLDEN / name
        data = found.encode("utf-8") if isinstance(found, str) else found
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            return
        assert path.exists(), f"no golden file {name}: run pytest --update-goldens, and read what it wrote"
        wanted = path.read_bytes()
        if isinstance(found, str):
            assert found == wanted.decode("utf-8"), f"{name} differs: run pytest --update-goldens if that is meant"
        else:
            assert found == wanted, f"{name} differs: run pytest --update-goldens if that is meant"

    return compare
