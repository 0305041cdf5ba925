"""FLOP policies of nvcc by architecture, measured on its machine code: a new architecture is a run.

    python -m tests.bench.sass_policy [--arch sm_75 sm_86 ...] [--fast-math] [--folder analyzer/counts/policies]

Writes ``nvcc-sm_86.toml`` for each architecture: the FLOPs of divisions, roots and mathematical functions, by precision
and by what is known of the arguments.  Each is compiled by itself and run by an interpreter of machine code on
drawn arguments (``tests/oracle/sass``): the cost is what most of them take, with the range over all of them, zeros
(fields start with them) and denormal numerators included.  nvcc 13
makes code for sm_75 and later; sm_70 is no longer supported.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from tests.oracle.sass.kernels import flops_of_call
from tests.oracle.sass.listing import Code
from tests.oracle.sass.state import NotModelled
from tests.oracle.sass.toolchain import MISSING, CompileError, Toolchain, toolchain

ARCHITECTURES = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
FOLDER = Path(__file__).parents[2] / "analyzer/counts/policies"
DRAWS = 48
_HEADERS = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
_PRECISIONS = {"float": "fp32", "double": "fp64", "__half": "fp16", "__half2": "fp16", "__nv_bfloat16": "bf16"}
_PRECISIONS["__nv_bfloat162"] = "bf16"
_RANGES: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(("asin", "acos", "atanh", "erfinv"), (-0.97, 0.97)),
    **dict.fromkeys(("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "y0", "y1", "tgamma", "lgamma"), (0.05, 20.0)),
    "acosh": (1.1, 20.0),
    **dict.fromkeys(("erf", "erfc", "normcdf", "exp", "exp2", "exp10", "expm1", "sinh", "cosh", "tanh"), (-3.0, 3.0)),
}
_ORDINARY = (-8.0, 8.0)
_KEPT = "kept:"  # before the name of a function whose argument a product needs afterwards
_ONE = [
    "sqrt",
    "rsqrt",
    "cbrt",
    "rcbrt",
    "exp",
    "exp2",
    "exp10",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sin",
    "cos",
    "tan",
    "sinpi",
    "cospi",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "erf",
    "erfc",
    "erfinv",
    "erfcx",
    "normcdf",
    "tgamma",
    "lgamma",
    "ceil",
    "floor",
    "round",
    "trunc",
    "rint",
    "nearbyint",
    "logb",
    "j0",
    "j1",
    "y0",
    "y1",
]
_WHOLE = ["lrint", "llrint", "lround", "llround", "ilogb", "signbit", "isnan", "isinf", "isfinite"]
_TWO = ["pow", "atan2", "hypot", "fmod", "remainder", "fdim", "copysign", "rhypot"]
_FAST_ONE = [
    "__expf",
    "__exp10f",
    "__logf",
    "__log2f",
    "__log10f",
    "__sinf",
    "__cosf",
    "__tanf",
    "__saturatef",
    "__frcp_rn",
    "__frsqrt_rn",
    "__fsqrt_rn",
]
_HALVES = [
    "hexp",
    "hexp2",
    "hexp10",
    "hlog",
    "hlog2",
    "hlog10",
    "hsqrt",
    "hrsqrt",
    "hrcp",
    "hsin",
    "hcos",
    "htanh",
    "hfloor",
    "hceil",
    "htrunc",
    "hrint",
]
_PAIRS = ["h2exp", "h2exp2", "h2log", "h2log2", "h2sqrt", "h2rsqrt", "h2rcp", "h2sin", "h2cos"]


class Case(Struct, frozen=True):
    """One expression of ``a`` and ``b``: the name of its cost, the type, and where arguments come from.

    ``rare`` are further first arguments, which only the range counts.
    """

    name: str
    element: str
    expression: str
    arguments: tuple[tuple[float, float], ...]
    per: int = 1
    rare: tuple[float, ...] = ()


class Cost(Struct, frozen=True):
    """FLOPs by precision: what most arguments take, the least and the most of any."""

    typical: Mapping[str, int]
    least: Mapping[str, int]
    most: Mapping[str, int]


def cases() -> Iterator[Case]:
    """Yield what is measured."""
    for element, suffix in (("float", "f"), ("double", "")):
        for name in _ONE:
            rare = (0.0,) if name == "sqrt" else ()
            yield Case(name, element, f"{name}{suffix}(a)", (_RANGES.get(name, _ORDINARY),), rare=rare)
            yield Case(f"{_KEPT}{name}", element, f"{name}{suffix}(a) * a", (_RANGES.get(name, _ORDINARY),))
        for name in _WHOLE:
            call = name if name.startswith(("is", "signbit")) else f"{name}{suffix}"
            yield Case(name, element, f"({element})({call}(a) > 1)", (_ORDINARY,))
        for name in _TWO:
            yield Case(name, element, f"{name}{suffix}(a, b)", _pair(name))
        yield Case("ldexp", element, f"ldexp{suffix}(a, (int)b)", (_ORDINARY, (-3.0, 3.0)))
        yield Case("pow.literal", element, f"pow{suffix}(a, ({element})2.5)", ((0.1, 8.0),))
        rare = (0.0, 1e-310) if element == "double" else (0.0,)
        yield Case("div", element, "a / b", (_ORDINARY, (0.2, 8.0)), rare=rare)
        yield Case("div.literal", element, f"a / ({element})3", (_ORDINARY,), rare=rare)
        yield Case("reciprocal", element, "1 / a", ((0.2, 8.0),))
        yield Case("scalbn", element, f"scalbn{suffix}(a, (int)b)", (_ORDINARY, (-3.0, 3.0)))
        yield Case("norm3d", element, f"norm3d{suffix}(a, b, a)", (_ORDINARY, _ORDINARY))
        yield Case("norm4d", element, f"norm4d{suffix}(a, b, a, b)", (_ORDINARY, _ORDINARY))
        for name, beginning in (("sin", "angle reduction"), ("pow", "logarithm of a base")):
            yield from _shared(name, beginning, element, suffix)
        yield from _with_outputs(element, suffix)
    yield Case("saturate", "float", "__saturatef(a)", (_ORDINARY,))
    for name in _FAST_ONE:
        yield Case(name, "float", f"{name}(a)", ((0.1, 8.0),))
        yield Case(f"{_KEPT}{name}", "float", f"{name}(a) * a", ((0.1, 8.0),))
    for name, second in (("__powf", (-2.0, 2.0)), ("__fdividef", (0.2, 8.0))):
        yield Case(name, "float", f"{name}(a, b)", ((0.1, 8.0), second))
        yield Case(f"{_KEPT}{name}", "float", f"{name}(a, b) * a", ((0.1, 8.0), second))
    yield Case("__sincosf", "float", "({ float s, c; __sincosf(a, &s, &c); o[0] = s; c; })", (_ORDINARY,))
    yield Case("__dsqrt_rn", "double", "__dsqrt_rn(a)", ((0.1, 8.0),))
    for name in _HALVES:
        yield Case(name, "__half", f"{name}(a)", ((0.2, 3.0),))
        yield Case(name, "__nv_bfloat16", f"{name}(a)", ((0.2, 3.0),))
    for name in _PAIRS:
        yield Case(name, "__half2", f"{name}(a)", ((0.2, 3.0),), per=2)
    yield Case("div", "__half", "__hdiv(a, b)", ((0.2, 3.0), (0.2, 3.0)))
    yield Case("neg", "__nv_bfloat16", "-a", ((0.2, 3.0),))
    for name in ("add", "sub", "mul"):
        yield Case(name, "__nv_bfloat16", f"__h{name}(a, b)", ((0.2, 3.0), (0.2, 3.0)))
        yield Case(f"{name}.pair", "__nv_bfloat162", f"__h{name}2(a, b)", ((0.2, 3.0), (0.2, 3.0)), per=2)


def _with_outputs(element: str, suffix: str) -> Iterator[Case]:
    """Yield functions that have a second result, which is stored."""
    for name in ("sincos", "sincospi"):
        yield Case(name, element, f"({{ {element} s, c; {name}{suffix}(a, &s, &c); o[0] = s; c; }})", (_ORDINARY,))
    yield Case("modf", element, f"({{ {element} w, r = modf{suffix}(a, &w); o[0] = w; r; }})", (_ORDINARY,))
    whole = f"o[0] = ({element})w; r;"
    yield Case("frexp", element, f"({{ int w; {element} r = frexp{suffix}(a, &w); {whole} }})", (_ORDINARY,))
    divided = f"({{ int w; {element} r = remquo{suffix}(a, b, &w); {whole} }})"
    yield Case("remquo", element, divided, _pair("remquo"))


def _pair(name: str) -> tuple[tuple[float, float], tuple[float, float]]:
    return {"pow": ((0.1, 8.0), (-3.0, 3.0)), "fmod": ((1.0, 100.0), (0.5, 10.0))}.get(name, (_ORDINARY, (0.2, 8.0)))


def _shared(name: str, beginning: str, element: str, suffix: str) -> Iterator[Case]:
    """Yield two calls that begin alike: what they share is the cost of both apart less that of both together."""
    both = f"sin{suffix}(a) + cos{suffix}(a)" if name == "sin" else f"pow{suffix}(a, b) + pow{suffix}(a, b + 1)"
    yield Case(f"shared:{beginning}", element, both, (_ORDINARY,) if name == "sin" else _pair("pow"))


def source_of(listed: Sequence[Case]) -> str:
    """Return one kernel for each case."""
    lines = [_HEADERS]
    for index, case in enumerate(listed):
        parameters = ", ".join(f"const {case.element} *{letter}_" for letter in "ab"[: len(case.arguments)])
        reads = " ".join(f"{case.element} {letter} = {letter}_[0];" for letter in "ab"[: len(case.arguments)])
        lines.append(
            f'extern "C" __global__ void k{index}({parameters}, {case.element} *o) '
            f"{{ {reads} o[1] = {case.expression}; }}"
        )
    return "\n".join(lines)


def cost_of(case: Case, code: Code) -> Cost:
    """Run a case on drawn arguments; raise ``NotModelled``."""
    drawing = random.Random(case.name.removeprefix(_KEPT))
    found: Counter[tuple[tuple[str, int], ...]] = Counter()
    for _ in range(DRAWS):
        arguments = [drawing.uniform(low, high) for low, high in case.arguments]
        found[_flops_of(case, code, arguments)] += 1
    others = [_flops_of(case, code, [each, *(high for _, high in case.arguments[1:])]) for each in case.rare]
    rows = [dict(row) for row in (*found, *others)]
    kinds = {precision for row in rows for precision in row}
    return Cost(
        dict(found.most_common(1)[0][0]),
        {kind: min(row.get(kind, 0) for row in rows) for kind in kinds},
        {kind: max(row.get(kind, 0) for row in rows) for kind in kinds},
    )


def _flops_of(case: Case, code: Code, arguments: Sequence[float]) -> tuple[tuple[str, int], ...]:
    counted, _ = flops_of_call(code, arguments, case.element)
    return tuple(sorted((precision, flops // case.per) for precision, flops in counted.items() if flops))


def measured(tools: Toolchain, arch: str, flags: tuple[str, ...]) -> dict[tuple[str, str], Cost]:
    """Return the costs by name and precision."""
    listed = list(cases())
    compiled = tools.compiled_text(source_of(listed), arch, flags)
    found: dict[tuple[str, str], Cost] = {}
    for index, case in enumerate(listed):
        try:
            cost = cost_of(case, compiled.codes[f"k{index}"])
        except NotModelled as reason:
            print(f"{arch}: {case.name} of {case.element} is not modelled: {reason}", file=sys.stderr)
            continue
        found.setdefault((case.name, _PRECISIONS[case.element]), cost)
    return _with_beginnings(found)


def _with_beginnings(found: dict[tuple[str, str], Cost]) -> dict[tuple[str, str], Cost]:
    """Replace what two calls take together by what they share."""
    made = {key: cost for key, cost in found.items() if not key[0].startswith("shared:")}
    for (name, precision), both in found.items():
        if name.startswith("shared:"):
            beginning = name.removeprefix("shared:")
            pair = ("sin", "cos") if beginning.startswith("angle") else ("pow", "pow")
            apart: Counter[str] = Counter()
            for each in pair:
                apart.update(found[each, precision].typical)
            apart.update({precision: 1 if pair[0] == "sin" else 2})  # the sum, and b + 1
            apart.subtract(both.typical)
            shared = {kind: number for kind, number in apart.items() if number > 0}
            made[beginning, precision] = Cost(shared, shared, shared)
    return made


def text_of(arch: str, version: str, flags: tuple[str, ...], costs: Mapping[tuple[str, str], Cost]) -> str:
    """Return the policy as TOML."""
    name = f"nvcc-{arch}" + ("-fast-math" if flags else "")
    said = f"nvcc {version} -arch={arch}" + "".join(f" {flag}" for flag in flags)
    lines = [
        f"# Made by `python -m tests.bench.sass_policy`: costs of what {said} makes, run on drawn arguments by an",
        "# interpreter of machine code.  `ranges` has the least and the most of functions that arguments decide.",
        f"[{name}]",
        f'title = "what {said} makes"',
        'reference = "fadd + fmul + 2 ffma thread instructions with their predicate on, halves of pairs too"',
        'counts = "machine code"',
        'compiler = "nvcc"',
        'like = "nvidia-sass"',
        "",
        f"[{name}.costs]",
    ]
    names = sorted({cost for cost, _ in costs if not cost.startswith(_KEPT)})
    lines += [_line(each, {p: cost.typical for (n, p), cost in costs.items() if n == each}) for each in names]
    kept = {each: more for each in names if (more := _more_of_kept(each, costs))}
    if kept:
        lines += ["", f"[{name}.kept]"]
        lines += [f"{each} = {{ {', '.join(f'{p} = {more}' for p, more in kept[each].items())} }}" for each in kept]
    lines += ["", f"[{name}.ranges]"]
    for each in names:
        ranges = {
            precision: {
                kind: [cost.least[kind], cost.most[kind]]
                for kind in sorted(cost.most)
                if cost.least[kind] < cost.most[kind]
            }
            for (n, precision), cost in costs.items()
            if n == each and cost.least != cost.most
        }
        if ranges:
            lines.append(_line(each, ranges))
    return "\n".join(lines) + "\n"


def _more_of_kept(name: str, costs: Mapping[tuple[str, str], Cost]) -> dict[str, int]:
    """Return by precision what a function takes more where something needs its argument afterwards."""
    found = {}
    for precision in ("fp32", "fp64"):
        alone, kept = costs.get((name, precision)), costs.get((_KEPT + name, precision))
        if alone is not None and kept is not None:
            found[precision] = kept.typical.get(precision, 0) - alone.typical.get(precision, 0) - 1
    return {precision: more for precision, more in found.items() if more > 0}


def _line(name: str, by_precision: Mapping[str, Mapping[str, object]]) -> str:
    key = name if name.replace("_", "").isalnum() else f'"{name}"'
    parts = []
    for precision, weights in sorted(by_precision.items()):
        inner = ", ".join(f"{kind} = {weight}" for kind, weight in sorted(weights.items()))
        parts.append(f"{precision} = {{ {inner} }}" if inner else f"{precision} = {{}}")
    return f"{key} = {{ {', '.join(parts)} }}"


def main() -> int:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arch", nargs="+", default=list(ARCHITECTURES))
    parser.add_argument("--fast-math", action="store_true")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args()
    tools = toolchain()
    if tools is None:
        print(MISSING, file=sys.stderr)
        return 2
    flags = ("--use_fast_math",) if options.fast_math else ()
    for arch in options.arch:
        try:
            costs = measured(tools, arch, flags)
        except CompileError as error:
            print(f"{arch}: {str(error).splitlines()[0]}", file=sys.stderr)
            continue
        suffix = "-fast-math" if flags else ""
        path = options.folder / f"nvcc-{arch}{suffix}.toml"
        path.write_text(text_of(arch, tools.version(), flags, costs))
        print(f"{path}: {len(costs)} costs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
