"""Who starts processes: one module, for the ones listed here."""

from __future__ import annotations

import ast
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzer.child_processes import TooLate, fork, run_to_end

ROOT = Path(__file__).parents[2]
OWNER = "analyzer/child_processes.py"
STARTERS = {
    "analyzer/frontend/clang/reading/salvage.py": {"fork"},
    "analyzer/domains/isl/counting.py": {"fork"},
    "cli/check/git.py": {"Finished", "TooLate", "run_to_end"},
    "cli/run/checkpoint.py": {"fork_in_two"},
    "cli/run/executors.py": {"pool"},
    "cli/run/isolated_worker.py": {"fork"},
    "cli/lsp/worker.py": {"Talking", "start_python"},
    "roofline/probe/compiler.py": {"Finished", "TooLate", "run_to_end"},
    "roofline/probe/cpu/measurement.py": {"run_to_end"},
    "roofline/probe/program.py": {"Running", "start"},
}
MODULES = {
    "subprocess",
    "multiprocessing",
    "pty",
    "popen2",
    "pexpect",
    "webbrowser",
    "platform",
    "sh",
    "asyncio.subprocess",
}
NAMES = {
    "ProcessPoolExecutor",
    "create_subprocess_exec",
    "create_subprocess_shell",
    "subprocess_exec",
    "popen",
    "system",
}
OF_OS = ("fork", "exec", "spawn", "posix_spawn", "startfile")
MENTIONED = re.compile(rf"\b(?:{'|'.join(sorted(MODULES | NAMES))}|os)\b|child_processes")  # by what ``starting`` finds


def starting(tree: ast.AST) -> Iterator[str]:
    """Whatever of a module could start a process."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names if name.name in MODULES or name.name.split(".")[0] in MODULES)
            case ast.ImportFrom(module=module, names=names) if module:
                yield from (name.name for name in names if name.name in NAMES or f"{module}.{name.name}" in MODULES)
                if module in MODULES or module.split(".")[0] in MODULES:
                    yield module
                if module == "os":
                    yield from (name.name for name in names if name.name.startswith(OF_OS))
            case ast.Attribute(value=ast.Name(id="os"), attr=name) if name.startswith(OF_OS) or name in NAMES:
                yield f"os.{name}"
            case ast.Attribute(attr=name) if name in NAMES - {"system"} or name == "subprocess":
                yield name


def asked(tree: ast.AST) -> set[str]:
    """What a module imports of the one that starts processes."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    ours = (node for node in imports if (node.module or "").endswith("child_processes"))
    return {name.name for node in ours for name in node.names}


@pytest.mark.slow
def test_one_module_starts_every_process() -> None:
    started, askers = {}, {}
    for path in (path for top in ("analyzer", "cli", "roofline") for path in sorted((ROOT / top).rglob("*.py"))):
        text = path.read_text("utf-8")
        if MENTIONED.search(text):
            name, tree = path.relative_to(ROOT).as_posix(), ast.parse(text)
            started[name], askers[name] = list(starting(tree)), asked(tree)
    assert started.pop(OWNER)
    assert {path: names for path, names in started.items() if names} == {}
    assert {path: names for path, names in askers.items() if names} == STARTERS


@pytest.mark.parametrize(
    "text",
    [
        *("import subprocess", "from os import fork", "import os\nos.fork()", "import os\nos.system('x')"),
        *("from multiprocessing import Pool", "import os\nos.posix_spawn('x', [], {})", "import os\nos.execv('x', [])"),
        *(
            "import asyncio\nasyncio.create_subprocess_shell('x')",
            "import concurrent.futures as c\nc.ProcessPoolExecutor()",
        ),
        *("from concurrent.futures import ProcessPoolExecutor", "import asyncio\nasyncio.subprocess.PIPE"),
    ],
)
def test_the_scan_sees(text: str) -> None:
    assert MENTIONED.search(text)
    assert list(starting(ast.parse(text)))


def test_what_a_program_started_ends_with_it() -> None:
    began = time.monotonic()
    with pytest.raises(TooLate):
        run_to_end(["/bin/sh", "-c", "sleep 60 & sleep 60"], within_s=0.5)
    assert time.monotonic() - began < 20


def test_a_program_is_given_its_input_and_nothing_else() -> None:
    code = "import sys; sys.stdout.write(sys.stdin.read().upper()); sys.exit(3)"
    done = run_to_end([sys.executable, "-c", code], within_s=60, given=b"abc")
    assert (done.code, done.output, done.complaint) == (3, b"ABC", b"")
    assert run_to_end([sys.executable, "-c", code], within_s=60).output == b""


def test_a_copy_never_returns() -> None:
    import os

    def fails(sender: int) -> int:
        raise SystemExit(0)

    child, receiver = fork(fails)
    os.close(receiver)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
