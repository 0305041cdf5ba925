"""Drawn nests of loops that multiply, divide, step evenly or end at a root: the formula is what a run counts."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

import pytest
from msgspec import Struct

from roofline import estimate, source_text

_SIZES = (1, 2, 3, 5, 8, 13, 16, 27, 31, 64)
_NESTS = 60


class Drawn(Struct, frozen=True):
    """One loop: where it starts and ends, its step in C, the comparison, and a condition in its body (period, rest)."""

    start: str
    comparison: str
    stop: str
    step: str
    condition: tuple[int, int] | None = None

    def head(self, name: str) -> str:
        """Return the head of the loop in C, with the condition of its body."""
        tested = f"{name} * {name}" if self.stop == "square" else name
        stop = "n" if self.stop == "square" else self.stop
        text = f"for (int {name} = {self.start}; {tested} {self.comparison} {stop}; {name} {self.step})"
        return text if self.condition is None else f"{text} if ({name} % {self.condition[0]} == {self.condition[1]})"

    def values(self, values: Mapping[str, int]) -> Iterator[int]:
        """Yield the values of the counter in the iterations whose condition holds."""
        counter, stop = _number(self.start, values), _number("n" if self.stop == "square" else self.stop, values)
        operator, by = self.step.split("= ")
        while True:
            tested = counter * counter if self.stop == "square" else counter
            if not {"<": tested < stop, "<=": tested <= stop, ">": tested > stop}[self.comparison]:
                return
            if self.condition is None or counter % self.condition[0] == self.condition[1]:
                yield counter
            counter = {"+": counter + int(by), "*": counter * int(by), "/": counter // int(by)}[operator]


def _number(text: str, values: Mapping[str, int]) -> int:
    name, _, divisor = text.partition(" / ")
    found = values[name] if name in values else int(name)
    return found // int(divisor) if divisor else found


def drawn_nest(seed: int) -> tuple[Drawn, ...]:
    """Return one to three loops."""
    draw = random.Random(seed)
    loops: list[Drawn] = []
    for depth in range(draw.randint(1, 3)):
        outer = "abc"[:depth]
        match draw.choice(("up", "up", "down", "down", "even", "even", "square")):
            case "up":
                start = draw.choice(("1", "2", "3"))
                loops.append(Drawn(start, draw.choice(("<", "<=")), draw.choice(("n", *outer)), draw.choice(_TIMES)))
            case "down":
                start = draw.choice(("n", "n / 2", *outer))
                loops.append(Drawn(start, ">", draw.choice(("0", "1", "2")), draw.choice(("/= 2", "/= 3"))))
            case "even":
                condition = (draw.choice((2, 3)), draw.randint(0, 1)) if draw.random() < 0.3 else None
                stop = draw.choice(("n", *outer))
                loops.append(Drawn("0", draw.choice(("<", "<=")), stop, draw.choice(("+= 1", "+= 2")), condition))
            case _:
                loops.append(Drawn("1", "<=", "square", "+= 1"))
    return tuple(loops)


_TIMES = ("*= 2", "*= 3", "*= 4")


def text_of(loops: Sequence[Drawn]) -> str:
    """Return the nest as a C function with one addition in its body."""
    heads = "".join(loop.head(name) + "\n" for loop, name in zip(loops, "abc", strict=False))
    return f"void f(int n, double *x) {{\n{heads}x[0] += 1.0;\n}}\n"


def iterations(loops: Sequence[Drawn], values: dict[str, int], names: str = "abc") -> int:
    """Return how often the body runs."""
    if not loops:
        return 1
    return sum(iterations(loops[1:], {**values, names[0]: value}, names[1:]) for value in loops[0].values(values))


@pytest.mark.parametrize("part", range(4))
def test_formulas_are_what_runs_count(part: int) -> None:
    closed = 0
    for seed in range(part, _NESTS, 4):
        loops = drawn_nest(seed)
        (region,) = estimate(source_text(text_of(loops))).regions
        flops = region.flops.quantity
        if any(name != "n" for name in flops.estimate.symbols):
            continue
        closed += flops.is_exact
        for size in _SIZES:
            truth = iterations(loops, {"n": size})
            assert flops.lower.evaluate({"n": size}) <= truth <= flops.most.evaluate({"n": size}), (
                text_of(loops),
                size,
            )
            assert not flops.is_exact or flops.estimate.evaluate({"n": size}) == truth
    assert closed >= _NESTS // 4 - 1
