"""TSVC_2 under instrumentation: what the first executions of each of its loops do, with the data that it sets up.

The repetition ``for (nl ...)`` calls ``dummy`` at its end, where one execution is written down; after three the
next function begins.
"""

from __future__ import annotations

import re
from pathlib import Path

from .counted import run_counted
from .figures import Counts

_EXECUTIONS = 3
_ARRAYS = ("flat_2d_array", "x", "a", "b", "c", "d", "e", "aa", "bb", "cc", "tt", "indx")
_POINTER_TO_INT = re.compile(r"\bint(?=\s*\*)")
_CALL = re.compile(r"time_function\(&(\w+), (.*)\);")
_REPETITION, _OPENED = "for (int nl = 0;", "for (int nl = (counting::reset(), 0);"
_STRUCTURE = re.compile(r"&\(struct\{(.*)\}\)\{(.*)\}")

_OPENING = """
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <sys/time.h>
#include "counted.hpp"
struct Enough {};
static const char* running;
static int execution;
#define gettimeofday(...) 0
#define printf(...) 0
"""
_LOOPS = """
#define for(...) COUNTED_TURNS(__VA_ARGS__)
#line 1"""
_CLOSING = """
#undef for
#undef printf
int dummy(real_t*, real_t*, real_t*, real_t*, real_t*, real_t (*)[LEN_2D], real_t (*)[LEN_2D], real_t (*)[LEN_2D],
          real_t)
{
    counting::print(running);
    counting::reset();
    if (++execution == EXECUTIONS) throw Enough();
    return 0;
}
template <typename F> void measure(const char* name, F function, void* info)
{
    struct args_t arguments;
    arguments.arg_info = info;
    running = name;
    execution = 0;
    try { function(&arguments); } catch (const Enough&) {}
}
"""


def tests_of(source: str) -> dict[str, str]:
    """The test functions that ``main`` runs, with the text of the argument that each is given, in order."""
    return dict(_CALL.findall(source))


def run_tsvc(checkout: Path) -> dict[str, list[Counts]]:
    """What each of the first executions of each loop counted."""
    folder = checkout / "src"
    source, common, header, arrays = (
        _with_counted_types((folder / name).read_text("utf-8"))
        for name in ("tsvc.c", "common.c", "common.h", "array_defs.h")
    )
    tests = tests_of(source)
    source = source.replace(_REPETITION, _OPENED)
    body = source[: source.index("typedef real_t(*test_function_t)")]
    unit = "\n".join((_OPENING, common, _LOOPS, body, _CLOSING.replace("EXECUTIONS", str(_EXECUTIONS)), _main(tests)))
    found = run_counted(unit, {"common.h": header, "array_defs.h": arrays})
    repetitions = {f"loop@{number}" for number, line in enumerate(body.splitlines(), 1) if _OPENED in line}
    return {
        name: [{kind: n for kind, n in counts.items() if kind not in repetitions} for counts in executions]
        for name, executions in found.items()
    }


def _with_counted_types(text: str) -> str:
    text = text.replace("typedef float real_t;", "typedef Counted real_t;").replace("int indx[", "Whole indx[")
    return _POINTER_TO_INT.sub("Whole", text)


def _main(tests: dict[str, str]) -> str:
    lines = ["int n1 = 1, n3 = 1; Whole* ip; real_t s1, s2; init(&ip, &s1, &s2);"]
    lines += [f"counting::in_memory({name}, sizeof {name});" for name in _ARRAYS]
    lines += [f"counting::in_memory({name}, LEN_1D * sizeof *{name});" for name in ("ip", "xx")]
    for name, argument in tests.items():
        given = _STRUCTURE.fullmatch(argument)
        if given is None:
            lines.append(f'measure("{name}", {name}, {argument});')
        else:
            lines.append(f'{{ struct {{{given[1]}}} info = {{{given[2]}}}; measure("{name}", {name}, &info); }}')
    return "int main() {\n" + "\n".join(lines) + "\nreturn 0;\n}\n"
