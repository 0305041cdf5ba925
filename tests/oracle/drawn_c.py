"""Drawn C functions: what people write, and what they should not, for runs under instrumentation.

Input: a seed.  Output: the text of one function with what it calls, in the language that C and C++ share::

    void drawn_7(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)

Loops of every kind over sizes, counters and each other, counters that bodies change, branches on sizes and on data,
``switch`` with and without ``break``, ``goto``, ``break``, ``continue`` and ``return`` anywhere, walking pointers,
inductions, shadowed names, macros, conditional and short-circuit expressions, calls by value and by pointer.  All end:
loops only count towards their bounds.  Pointers are assumed to have room on both sides.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ROW = 64
PRELUDE = f"""#include <math.h>
#define ROW {ROW}
#define SQUARE(v) ((v) * (v))
#define LEAST(v, w) ((v) < (w) ? (v) : (w))
struct cell {{ real mass; real at[3]; whole kind; }};
"""
PARAMETERS = "int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x"
_ARRAYS = ("a", "b", "c")
_NOT_AFFINE = ("/ 2", "% 3", ">> 1", "& 1", "/ 3", "% 4", "* 2 / 3", "/ 2 * 2", "<< 1", "^ 1", "& ~1")
_DEEPEST = 3
_MOST_STATEMENTS = 14


def function_of_seed(seed: int) -> str:
    """The function ``drawn_SEED`` with the functions that it calls."""
    return _Drawing(seed).text()


class _Drawing:
    """One function as it is drawn; names in scope by kind."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._name = f"drawn_{seed}"
        self._helpers: list[str] = []
        self._integers = ["n", "m"]
        self._reals = ["x"]
        self._pointers = list(_ARRAYS)
        self._counters: list[str] = []
        self._inductions: list[str] = []
        self._names = 0
        self._steps: dict[str, str] = {}
        self._left = _MOST_STATEMENTS
        self._loops: list[str] = []
        self._has_goto = self._random.random() < 0.25
        self._top: list[str] = []

    def text(self) -> str:
        """The whole text."""
        body = [*(f"    {line}" for line in self._for(1)), *self._block(1)]
        top = [f"    {line}" for line in self._top]
        return "\n".join([*self._helpers, f"void {self._name}({PARAMETERS})", "{", *top, *body, "}", ""])

    # --- choices ---

    def _chance(self, odds: float) -> bool:
        return self._random.random() < odds

    def _one(self, *ways: str) -> str:
        return self._random.choice(ways)

    def _number(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def _fresh(self, stem: str) -> str:
        self._names += 1
        return f"{stem}{self._names}"

    @contextmanager
    def _scope(self) -> Iterator[None]:
        kept = (self._integers, self._reals, self._pointers, self._counters, self._inductions)
        copies = (list(names) for names in kept)
        self._integers, self._reals, self._pointers, self._counters, self._inductions = copies
        yield
        self._integers, self._reals, self._pointers, self._counters, self._inductions = kept

    # --- expressions ---

    def _integer(self, depth: int = 1) -> str:
        """An integer expression, mostly affine."""
        name = self._random.choice([*self._counters * 3, *self._integers, *self._inductions])
        if depth == 0 or self._chance(0.45):
            return name
        way = self._number(0, 11)
        if way < 6:
            return f"{name} {self._one('+', '-')} {self._number(1, 3)}"
        if way < 8:
            return f"{self._one('2 * ', '3 * ', '-')}{name}"
        if way == 8:
            return f"({self._integer(0)} {self._one('+', '-')} {self._integer(0)})"
        if way == 9:
            return f"({name} {self._random.choice(_NOT_AFFINE)})"
        if way == 10:
            return f"LEAST({self._integer(0)}, {self._integer(0)})"
        return f"({self._compare()} ? {self._integer(0)} : {self._integer(0)})"

    def _known(self) -> str:
        """An integer expression without inductions, which would grow beyond all bounds."""
        return f"{self._random.choice([*self._counters, *self._integers])} {self._one('+', '-')} {self._number(0, 3)}"

    def _place(self) -> str:
        """An element in memory."""
        way = self._number(0, 15)
        array = self._random.choice(self._pointers)
        if way == 14 and self._inductions:
            name = self._random.choice(self._inductions)
            return (
                f"{array}[{self._one(f'{name}++', f'++{name}', f'{name}--', f'{name} += 2', f'{name} = {name} + 1')}]"
            )
        if way == 15:
            return f"{array}[(int){self._one('sizeof(struct cell)', '2.5', 'sizeof(real)')} - {self._integer(0)}]"
        if way < 8:
            return f"{array}[{self._integer()}]"
        if way == 8:
            return f"aa[{self._integer()}][{self._integer()}]"
        if way == 9:
            return f"s[{self._integer()}].mass"
        if way == 10:
            return f"s[{self._integer(0)}].at[{self._number(0, 2)}]"
        if way == 11:
            return f"*({array} + ({self._integer()}))"
        if way == 12:
            return f"{array}[ip[{self._integer()}]]"
        return f"(&s[{self._integer(0)}])->mass"

    def _leaf(self) -> str:
        return self._place() if self._chance(0.6) else self._random.choice(self._reals)

    def _real(self, depth: int = 2) -> str:
        """A floating-point expression; constants are never operands of each other."""
        if depth == 0 or self._chance(0.25):
            return self._leaf()
        way = self._number(0, 15)
        if way < 8:
            return f"({self._real(depth - 1)} {self._one('+', '-', '*', '*', '/')} {self._real(depth - 1)})"
        if way < 10:
            return f"{self._one('2', '0.5f', '3.0f', '(real)' + self._integer(0))} * {self._leaf()}"
        if way == 10:
            return f"-{self._leaf()}"
        if way == 11:
            return f"{self._one('sqrtf', 'fabsf', 'expf')}({self._real(depth - 1)})"
        if way == 12:
            return f"({self._condition()} ? {self._real(depth - 1)} : {self._leaf()})"
        if way == 13:
            return f"SQUARE({self._leaf()})"
        if way == 14:
            return self._call_by_value()
        return f"({self._leaf()} + {self._integer(0)})"

    def _compare(self) -> str:
        return f"{self._integer(0)} {self._one('<', '<=', '>', '>=', '==', '!=')} {self._integer()}"

    def _on_data(self) -> str:
        return (
            f"{self._leaf()} {self._one('<', '>', '<=', '>=')} {self._one('0', '1', self._random.choice(self._reals))}"
        )

    def _condition(self) -> str:
        """On sizes and counters, or on data, or both."""
        way = self._number(0, 9)
        if way < 5:
            return self._compare()
        if way < 7:
            return self._on_data()
        if way == 7:
            return f"{self._compare()} {self._one('&&', '||')} {self._compare()}"
        if way == 8:
            return f"{self._compare()} {self._one('&&', '||')} {self._on_data()}"
        return f"!({self._compare()})" if self._chance(0.5) else f"({self._integer(0)}) % 2"

    # --- functions that are called ---

    def _call_by_value(self) -> str:
        name = f"{self._name}_{self._fresh('value')}"
        self._helpers.append(self._random.choice(_BY_VALUE).replace("NAME", name))
        return f"{name}({self._leaf()}, {self._integer(0)})"

    def _call_by_pointer(self) -> str:
        name = f"{self._name}_{self._fresh('update')}"
        self._helpers.append(self._random.choice(_BY_POINTER).replace("NAME", name))
        array = self._random.choice(self._pointers)
        place = self._one(array, f"&{array}[{self._integer(0)}]", f"{array} + {self._integer(0)}")
        return f"{name}({place}, {self._integer(0)});"

    # --- statements ---

    def _block(self, depth: int, least: int = 1) -> list[str]:
        """Lines of some statements, in a scope of their own."""
        lines: list[str] = []
        with self._scope():
            for _ in range(self._number(least, 3)):
                if self._left > 0:
                    self._left -= 1
                    lines += [f"    {line}" for line in self._statement(depth)]
        return lines or ["    ;"]

    def _statement(self, depth: int) -> list[str]:
        ways: list[tuple[int, Callable[[int], list[str]]]] = [(6, self._assign), (2, self._declare), (1, self._call)]
        if depth <= _DEEPEST:
            ways += [(7, self._for), (3, self._if), (2, self._while), (1, self._switch), (1, self._do)]
        if self._inductions or len(self._pointers) > len(_ARRAYS):
            ways.append((3, self._step))
        if self._counters:
            ways.append((1, self._hurry))
        if self._loops:
            ways.append((1, self._leave))
        if self._has_goto and depth <= 2:
            ways.append((2, self._label))
        return self._random.choices([way for _, way in ways], [weight for weight, _ in ways])[0](depth)

    def _assign(self, depth: int) -> list[str]:
        target = self._place() if self._chance(0.75) else self._random.choice(self._reals)
        return [f"{target} {self._one('=', '=', '+=', '-=', '*=')} {self._real()};"]

    def _call(self, depth: int) -> list[str]:
        return [self._call_by_pointer()]

    def _declare(self, depth: int) -> list[str]:
        """A new scalar or pointer; one name in four hides another."""
        kind = self._number(0, 3)
        if kind == 0:
            return self._new(
                self._inductions, self._one("int ", "int ", "long ", "unsigned char "), "k", self._integer()
            )
        if (kind == 1 and depth > 1) or kind == 3:
            return self._new(
                self._pointers, "real *", "p", f"{self._random.choice(self._pointers)} + ({self._integer()})"
            )
        return self._new(self._reals, "real ", "t", self._real())

    def _new(self, names: list[str], kind: str, stem: str, value: str) -> list[str]:
        hidden = [name for name in names if name[0] == stem]
        name = (
            self._random.choice(hidden) if hidden and not self._has_goto and self._chance(0.25) else self._fresh(stem)
        )
        if name in hidden:  # not in the scope that declares it
            return [
                "{",
                f"    {kind}{name} = {value};",
                f"    {self._place()} = {self._random.choice(self._reals)};",
                "}",
            ]
        if self._has_goto:  # no initialisation is jumped over
            self._top.append(f"{kind}{name} = {'a' if stem == 'p' else 0};")
            kind = ""
        names.append(name)
        return [f"{kind}{name} = {value};"]

    def _step(self, depth: int) -> list[str]:
        """An induction, or a counter that its own loop's body moves on."""
        if self._inductions and self._chance(0.8):
            name = self._random.choice(self._inductions)
            return [f"{name} {self._one('+= 1', '+= 2', '-= 1', '++', '+= n', '/= 2', f'= {self._known()}')};"]
        walking = [name for name in self._pointers if name.startswith("p")]
        if walking:
            return [f"*{self._random.choice(walking)}++ = {self._real(1)};"]
        return self._assign(depth)

    def _hurry(self, depth: int) -> list[str]:
        """A loop's body moves its counter on, as the loop does."""
        name, step = self._random.choice(list(self._steps.items()))
        if name not in self._counters:
            return self._assign(depth)
        return [f"if ({self._condition()}) {name} {step};"] if self._chance(0.6) else [f"{name} {step};"]

    def _bound(self) -> str:
        return self._one("n", "m", *self._counters, "n - 1", "m + 2", "2 * n", "9", "n / 2", "LEAST(n, m)")

    def _for(self, depth: int) -> list[str]:
        name = self._fresh("i")
        way = self._number(0, 12)
        self._steps[name] = "-= 1" if way in (6, 7) else "+= 1"
        if way == 10:
            return self._endless(name, depth)
        if way == 11:
            return self._towards_each_other(name, depth)
        if way == 12:
            return [
                f"for (int {name} = {self._number(0, 2)}; {name} < {self._number(1, 6)}; {name}++)",
                *self._alone(name),
            ]
        bound = self._bound()
        if way < 5:
            start = self._one("0", "1", "0", *self._counters)
            head = f"int {name} = {start}; {name} < {bound}; {self._one(f'{name}++', f'++{name}', f'{name} += 1')}"
        elif way == 5:
            head = f"int {name} = 0; {name} <= {bound}; {name} += {self._number(2, 3)}"
        elif way == 6:
            last = self._one("0", "1", "-2")
            head = f"int {name} = {bound}; {name} > {last}; {self._one(f'{name}--', f'{name} -= 2')}"
        elif way == 7:
            head = f"int {name} = {bound} - 1; {name} >= 0; --{name}"
        elif way == 8:
            head = f"int {name} = 1; {name} < {bound} && {name} < {self._bound()}; {name}++"
        else:
            head = f"int {name} = 1; {name} < {bound}; {name} *= 2"
        return [f"for ({head}) {{", *self._body(name, "for", depth), "}"]

    def _endless(self, name: str, depth: int) -> list[str]:
        leave = f"    if ({name} >= {self._bound()}) break;"
        return [f"for (int {name} = 0;; {name}++) {{", leave, *self._body(name, "for", depth), "}"]

    def _towards_each_other(self, name: str, depth: int) -> list[str]:
        other = self._fresh("j")
        head = f"int {name} = 0, {other} = {self._bound()}; {name} < {other}; {name}++, {other}--"
        with self._scope():
            self._integers.append(other)
            return [f"for ({head}) {{", *self._body(name, "for", depth), "}"]

    def _alone(self, name: str) -> list[str]:
        """A body of one statement without braces."""
        with self._scope():
            self._counters.append(name)
            return [f"    {line}" for line in self._assign(0)]

    def _body(self, counter: str, kind: str, depth: int) -> list[str]:
        with self._scope():
            self._counters.append(counter)
            self._loops.append(kind)
            lines = self._block(depth + 1)
            self._loops.pop()
        return lines

    def _counter(self, name: str, value: int) -> str:
        """The start of a counter of a ``while``, declared at the top where its declaration may be jumped over."""
        self._steps[name] = "+= 1"
        if self._has_goto:
            self._top.append(f"int {name} = 0;")
        return f"{'' if self._has_goto else 'int '}{name} = {value};"

    def _while(self, depth: int) -> list[str]:
        name = self._fresh("w")
        moved = self._one(f"{name}++;", f"{name} += 2;", f"{name} = {name} + 1;")
        start = self._counter(name, self._number(0, 2))
        return [start, f"while ({name} < {self._bound()}) {{", *self._body(name, "while", depth), f"    {moved}", "}"]

    def _do(self, depth: int) -> list[str]:
        name = self._fresh("d")
        start = self._counter(name, 0)
        return [start, "do {", *self._body(name, "do", depth), f"}} while (++{name} < {self._bound()});"]

    def _if(self, depth: int) -> list[str]:
        lines = [f"if ({self._condition()}) {{", *self._block(depth + 1), "}"]
        if self._chance(0.25):
            lines[-1:] = [f"}} else if ({self._condition()}) {{", *self._block(depth + 1), "}"]
        if self._chance(0.4):
            lines[-1:] = ["} else {", *self._block(depth + 1), "}"]
        return lines

    def _switch(self, depth: int) -> list[str]:
        lines = [f"switch ({self._one('(%s) %% 3', '(%s) & 3', '%s') % self._integer(0)}) {{"]
        self._loops.append("switch")
        for label in self._random.sample(["case 0:", "case 1:", "case 2:", "default:"], self._number(1, 4)):
            lines += [label, "{", *self._block(depth + 1), "}"]
            if self._chance(0.7):
                lines.append("    break;")
        self._loops.pop()
        return [*lines, "}"]

    def _leave(self, depth: int) -> list[str]:
        ways = ["break;"]
        if self._loops[-1] in ("for", "do"):
            ways.append("continue;")
        if self._chance(0.2):
            ways.append("return;")
        return [f"if ({self._condition()}) {self._one(*ways)}"]

    def _label(self, depth: int) -> list[str]:
        """Forward over some statements of this block."""
        label = self._fresh("after")
        inner = self._block(depth + 1)
        starts = [place for place, line in enumerate(inner) if line[4] not in " }" and not _follows(line.strip())]
        place = self._random.choice(starts)
        jump = f"    if ({self._condition()}) goto {label};"
        return [*(line[4:] for line in (*inner[:place], jump, *inner[place:])), f"{label}: ;"]


def _follows(line: str) -> bool:
    """Whether a line goes on with the statement of the one before."""
    return line.startswith(("case", "default", "while (")) or line.endswith("break;")


def _functions(head: str, bodies: str) -> tuple[str, ...]:
    """Functions of which each line is a body."""
    return tuple(f"{head}\n{{\n    {body}\n}}" for body in bodies.strip().splitlines())


_BY_VALUE = _functions(
    "static real NAME(real v, int k)",
    """
return k > 3 ? v * 2 : v + 1;
if (k % 2 == 0) return v; return v * v - 1;
real sum = 0; for (int i = 0; i < k; i++) sum += v * i; return sum;
for (int i = 0; i < k; i++) { if (i == 5) return v; v = v / 2; } return -v;
while (k > 0) { v += 3; k /= 2; } return v;
if (v < 0) return 0; return sqrtf(v) + k;
""",
)
_BY_POINTER = _functions(
    "static void NAME(real *p, int k)",
    """
for (int i = 0; i < k; i++) p[i] *= 2;
real *end = p + k; while (p < end) *p++ += 1;
if (k < 2) return; p[0] = p[1] + p[k];
while (k-- > 0) *p += p[k];
do { p[k] = p[k] / 3 - 1; } while (++k < 4);
""",
)
