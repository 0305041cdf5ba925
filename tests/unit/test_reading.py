"""Nothing of the product reads a file or parses a document but the one reader of data; exceptions have reasons."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
FUNCTIONS = frozenset(
    (
        *("open", "io.open", "os.open", "os.fdopen", "json.load", "json.loads", "tomllib.load", "tomllib.loads"),
        *("csv.reader", "csv.DictReader", "pickle.load", "pickle.loads", "marshal.load", "marshal.loads"),
        *("np.load", "np.loadtxt", "np.genfromtxt", "np.fromfile", "np.memmap", "linecache.getlines", "shelve.open"),
    )
)
METHODS = frozenset(("read_text", "read_bytes", "raw_decode", "open"))
_SHIPPED = "our own data, shipped with the package"
_OURS = "what our own process wrote to its pipe"
_COMPILED = "what our own process compiled, in a file without a name"
_MACHINE = "files of the kernel that describe this machine, of fixed names"
_OUTPUT = "opened to be written"
_NOWHERE = "what libclang complains about, sent to the null device"
EXCEPTIONS = {
    ("analyzer/data_files/files.py", "os.open"): "the reader itself",
    ("analyzer/data_files/files.py", "os.fdopen"): "the reader itself",
    ("analyzer/data_files/documents.py", "tomllib.loads"): "the reader itself",
    ("analyzer/data_files/json_lines.py", "json.loads"): "one key of a document that was read already",
    ("analyzer/source.py", "open"): "sources: pipes are read too, with a limit on size and time",
    ("analyzer/source.py", "os.open"): "sources: pipes are read too, with a limit on size and time",
    ("analyzer/diagnostics.py", "read_text"): _SHIPPED,
    ("analyzer/diagnostics.py", "tomllib.loads"): _SHIPPED,
    ("analyzer/counts/policy.py", "read_text"): _SHIPPED,
    ("analyzer/ir/passes/unrolled.py", "read_text"): _SHIPPED,
    ("analyzer/ir/passes/unrolled.py", "tomllib.loads"): _SHIPPED,
    ("analyzer/frontend/known_functions.py", "read_text"): _SHIPPED,
    ("analyzer/frontend/known_functions.py", "tomllib.loads"): _SHIPPED,
    ("analyzer/registers/costs.py", "read_text"): _SHIPPED,
    ("analyzer/registers/costs.py", "tomllib.loads"): _SHIPPED,
    ("roofline/catalog.py", "read_text"): _SHIPPED,
    ("roofline/catalog.py", "tomllib.loads"): _SHIPPED,
    ("roofline/model/expectation/gpu/instructions.py", "read_text"): _SHIPPED,
    ("roofline/model/expectation/gpu/instructions.py", "tomllib.loads"): _SHIPPED,
    ("analyzer/coverage/lines_csv.py", "csv.reader"): "a text that was read already",
    ("cli/render/html/page.py", "read_text"): _SHIPPED,
    ("analyzer/domains/isl/counting.py", "open"): _OURS,
    ("analyzer/domains/isl/counting.py", "pickle.loads"): _OURS,
    ("cli/run/isolated_worker.py", "open"): _OURS,
    ("cli/run/isolated_worker.py", "pickle.loads"): _OURS,
    ("cli/lsp/worker.py", "json.loads"): _OURS,
    ("cli/lsp/worker.py", "os.fdopen"): _OURS,
    ("cli/cache/codec.py", "json.loads"): "kept results, checked as they are built",
    ("cli/cache/private.py", "os.open"): "kept results, below a folder that this user alone can write",
    ("cli/cache/private.py", "open"): "kept results, below a folder that this user alone can write",
    ("cli/run/checkpoint.py", "open"): _MACHINE,
    ("analyzer/frontend/clang/reading/salvage.py", "open"): _NOWHERE,
    ("analyzer/frontend/clang/reading/compiled_prelude.py", "open"): _COMPILED,
    ("analyzer/frontend/clang/reading/compiled_prelude.py", "os.open"): _COMPILED,
    ("analyzer/frontend/clang/reading/missing.py", "read_text"): _SHIPPED,
    ("analyzer/frontend/clang/reading/missing.py", "tomllib.loads"): _SHIPPED,
    ("cli/run/isolated_worker.py", "os.open"): _NOWHERE,
    ("roofline/probe/cpu/topology.py", "read_text"): _MACHINE,
    ("roofline/probe/cpu/measurement.py", "read_text"): _MACHINE,
    ("roofline/machine/mistakes.py", "read_text"): _SHIPPED,
    ("roofline/machine/mistakes.py", "tomllib.loads"): _SHIPPED,
    ("roofline/measured/table.py", "csv.reader"): "one line of a text that was read already, of limited length",
    ("roofline/measured/formats/perf_json.py", "raw_decode"): "inside of the limits of decode_json",
    ("cli/output.py", "open"): _OUTPUT,
    ("cli/output.py", "os.open"): _OUTPUT,
    ("cli/output.py", "os.fdopen"): _OUTPUT,
}


@cache
def calls() -> frozenset[tuple[str, str]]:
    """Return every call of something that reads, by file and name."""
    return frozenset(_calls())


def _calls() -> Iterator[tuple[str, str]]:
    for package in ("analyzer", "roofline", "cli"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call) and (name := reading(node.func)):
                    yield path.relative_to(ROOT).as_posix(), name


def reading(function: ast.expr) -> str:
    """Return the name of a function or method that reads, nothing for others."""
    if isinstance(function, ast.Name | ast.Attribute) and (text := ast.unparse(function)) in FUNCTIONS:
        return text
    return function.attr if isinstance(function, ast.Attribute) and function.attr in METHODS else ""


def test_only_the_reader_reads() -> None:
    assert calls() - EXCEPTIONS.keys() == set()


def test_every_exception_is_needed() -> None:
    assert EXCEPTIONS.keys() - calls() == set()
