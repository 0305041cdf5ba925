"""C's arithmetic on known numbers, against what a C compiler makes of the same operands."""

from __future__ import annotations

import math
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from analyzer.ir.arithmetic import applied, applied_unary, binary, cast, common_type, wrapped
from analyzer.ir.types import FP32, FP64, INT32, ElementType, ScalarType
from analyzer.ir.values import Constant

TYPES = {
    ScalarType.BOOL: "_Bool",
    ScalarType.INT8: "signed char",
    ScalarType.UINT8: "unsigned char",
    ScalarType.INT16: "short",
    ScalarType.UINT16: "unsigned short",
    ScalarType.INT32: "int",
    ScalarType.UINT32: "unsigned",
    ScalarType.INT64: "long",
    ScalarType.UINT64: "unsigned long",
}
BINARY = ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"]
UNARY = ["-", "+", "~", "!"]
NAMES = ", ".join(f'{name}: "{scalar.value}"' for scalar, name in TYPES.items())
OPENING = f"""#include <stdio.h>
#define SHOW(e) printf("%s %lu\\n", _Generic((e), {NAMES}), (unsigned long)(e));
int main(void) {{
"""


def number(value: int, scalar: ScalarType) -> Constant:
    return Constant(wrapped(value, scalar), ElementType(scalar))


def drawn(random: Random, scalar: ScalarType) -> Constant:
    """Return a number of a type: a small one, one near the ends of its range, or any."""
    width = 8 * scalar.size_bytes
    near = (1 << width - 1) + random.choice([-1, 0])
    return number(random.choice([random.randrange(-9, 10), random.getrandbits(width), near]), scalar)


def text_of(value: Constant) -> str:
    assert isinstance(value.number, int)
    return f"(({TYPES[value.type.scalar]}){value.number % (1 << 64)}UL)"


def run_c(folder: Path, expressions: list[str]) -> list[tuple[str, int]]:
    """Return the type and the bits, as an ``unsigned long``, of each expression."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    source, program = folder / "a.c", folder / "a.out"
    source.write_text(OPENING + "\n".join(f"SHOW({text})" for text in expressions) + "\n}\n")
    subprocess.run([compiler, "-std=c17", "-w", "-fwrapv", "-o", program, source], check=True)
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    return [(name, int(bits)) for name, bits in (line.split() for line in lines)]


def shown(value: Constant) -> tuple[str, int]:
    """Return a result as the C program shows it."""
    assert isinstance(value.number, int)
    return value.type.scalar.value, wrapped(value.number, value.type.scalar) % (1 << 64)


@pytest.mark.parametrize("sign", BINARY)
def test_binary_operators_are_those_of_a_compiler(sign: str, tmp_path: Path) -> None:
    random = Random(sign)
    pairs = [(drawn(random, one), drawn(random, other)) for one in TYPES for other in TYPES for _ in range(6)]
    if sign in ("<<", ">>"):
        pairs = [(left, number(random.randrange(40), right.type.scalar)) for left, right in pairs]
    known = [(left, right, result) for left, right in pairs if (result := applied(sign, left, right)) is not None]
    assert len(known) > len(pairs) // 2
    found = run_c(tmp_path, [f"{text_of(left)} {sign} {text_of(right)}" for left, right, _ in known])
    for (left, right, result), expected in zip(known, found, strict=True):
        assert shown(result) == expected, (left, sign, right)


@pytest.mark.parametrize("sign", UNARY)
def test_unary_operators_are_those_of_a_compiler(sign: str, tmp_path: Path) -> None:
    random = Random(sign)
    operands = [drawn(random, scalar) for scalar in TYPES for _ in range(12)]
    found = run_c(tmp_path, [f"({sign}{text_of(operand)})" for operand in operands])
    for operand, expected in zip(operands, found, strict=True):
        result = applied_unary(sign, operand)
        assert result is not None
        assert shown(result) == expected, (sign, operand)


def test_conversions_are_those_of_a_compiler(tmp_path: Path) -> None:
    random = Random(1)
    cases = [(drawn(random, one), other) for one in TYPES for other in TYPES for _ in range(6)]
    found = run_c(tmp_path, [f"({TYPES[target]}){text_of(value)}" for value, target in cases])
    for (value, target), expected in zip(cases, found, strict=True):
        result = cast(value, ElementType(target))
        assert result is not None
        assert shown(result) == expected, (value, target)


def test_doubles_are_truncated_as_a_compiler_does(tmp_path: Path) -> None:
    doubles = [-3.9, -0.5, 0.0, 0.25, 100.99]
    found = run_c(tmp_path, [f"(int){double!r}" for double in doubles])
    results = [cast(Constant(double, FP64), INT32) for double in doubles]
    assert [shown(result) for result in results if result is not None] == found


@pytest.mark.parametrize(
    ("sign", "left", "right"),
    [("/", 8, 0), ("%", 8, 0), ("<<", 8, 60), (">>", 8, -1), ("/", 1.0, 0.0), ("*", 1e308, 10.0), ("%", 5.0, 2)],
)
def test_what_is_undefined_has_no_number(sign: str, left: float, right: float) -> None:
    operands = [Constant(value, INT32 if isinstance(value, int) else FP64) for value in (left, right)]
    assert applied(sign, *operands) is None


def test_integers_end_at_256_bits_and_infinities_go_on() -> None:
    assert binary("<<", 1 << 200, 60) is None
    assert binary("+", math.inf, 1.0) == math.inf


def test_signed_overflow_is_given_exactly_and_unsigned_wraps() -> None:
    signed, unsigned = Constant(10**5, INT32), number(10**5, ScalarType.UINT32)
    assert applied("*", signed, signed) == Constant(10**10, INT32)
    assert applied("*", unsigned, unsigned) == number(10**10, ScalarType.UINT32)


def test_floats_win_over_integers_and_complex_over_floats() -> None:
    assert common_type(FP32, ElementType(ScalarType.INT64)) == FP32
    assert common_type(ElementType(ScalarType.COMPLEX_FP32), FP64) == ElementType(ScalarType.COMPLEX_FP64)
