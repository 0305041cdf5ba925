"""The fourth draw of loops, made by a generator: kinds of loops with statements, sizes and types drawn at random.

Every other loop of a kind is for working with, the others are held out (``HELD_OUT_FIFTH``); the seed was chosen before
any was timed.  Values stay normal numbers: results go to arrays that are not read, or shrink before they come back.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from .measured_template import PARAMETERS, Template, drawn, each, matrix, rows

_SEED = 20261129
_EACH = 6  # loops of a kind
_NARROW = PARAMETERS.replace("int *restrict p", "TYPE *restrict x").replace("int *restrict q", "TYPE *restrict y")
_CALLS = ("exp", "log", "sin", "cos", "exp2", "tanh", "atan", "cbrt", "log1p", "expm1", "sinh", "log10", "erf", "acosh")
_TWO = ("pow", "hypot", "atan2", "fmax", "fmin", "fmod", "copysign")


def _term(draw: Random, names: list[str], depth: int = 2) -> str:
    """Return a sum or product of operands, each of which is read at least once."""
    operands = [*names, *(f"{draw.uniform(0.1, 0.9):.3f}" for _ in range(draw.randint(0, depth))), "s"][
        : len(names) + 2
    ]
    draw.shuffle(operands)
    while len(operands) > 1:
        at = draw.randrange(len(operands) - 1)
        sign = draw.choice("+-**")
        operands[at : at + 2] = [f"({operands[at]} {sign} {operands[at + 1]})"]
    return operands[0]


def _stream(draw: Random) -> Template:
    names = draw.sample(["b[i]", "c[i]", "d[i]"], draw.randint(1, 3))
    arrays = ", ".join(f"{name[0]} n" for name in ["a", *names])
    body = each(f"a[i] = {_term(draw, names)};")
    if draw.random() < 0.3:
        return Template("drawn streams", "", "f n, g n", each(f"f[i] = g[i] * {draw.randint(2, 9)}.5f + 0.25f;"))
    return Template("drawn streams", "", arrays, body)


def _stencil(draw: Random) -> Template:
    reach = draw.randint(1, 4)
    if draw.random() < 0.5:
        at = sorted(draw.sample(range(-reach, reach + 1), draw.randint(2, min(5, 2 * reach + 1))))
        points = [f"b[i{offset:+d}]" for offset in at]
        body = each(f"a[i] = {_term(draw, points)};", str(reach), f"n - {reach}")
        return Template("drawn stencils", "", "a n, b n", body)
    offsets = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    points = [f"b[(i{i:+d})*n+j{j:+d}]" for i, j in draw.sample(offsets, draw.randint(3, 8))]
    inner = f"for (long j = 1; j < n - 1; j++) a[i*n+j] = 0.2 * ({' + '.join(points)});"
    return Template("drawn stencils", "", "a n n, b n n", each(inner, "1", "n - 1"), 2)


def _reduction(draw: Random) -> Template:
    names = draw.sample(["a[i]", "b[i]", "c[i]"], draw.randint(1, 3))
    arrays = ", ".join(f"{name[0]} n" for name in names)
    step = draw.choice(("t += {};", "t = fmax(t, {});", "t = t < {0} ? t : {0};", "{{ t += {0}; u += {0} * {1}; }}"))
    body = f"  double t = 0, u = 0;\n{each(step.format(_term(draw, names), names[0]))}\n  s += t + u;"
    return Template("drawn reductions", "", arrays, body)


def _recurrence(draw: Random) -> Template:
    distance = draw.choice((1, 1, 2, 3, 5))
    weight = f"{draw.uniform(0.1, 0.4):.2f}"
    if draw.random() < 0.4:
        step = draw.choice(("t = t * {0} + {1}; a[i] = t;", "t = {1} - t * {0}; a[i] = t;", "t = ({1} + t) * {0};"))
        inner = step.format(weight, draw.choice(("b[i]", "b[i] * c[i]", "(b[i] + 0.5)")))
        return Template(
            "drawn recurrences", "", "a n, b n, c n", f"  double t = 0;\n{each('{ ' + inner + ' }')}\n  s += t;"
        )
    body = each(f"a[i] = {weight} * a[i-{distance}] + 0.2 * {draw.choice(('b[i]', 'b[i] * c[i]'))};", str(distance))
    return Template("drawn recurrences", "", "a n, b n, c n", body)


def _division(draw: Random) -> Template:
    top, bottom = (_term(draw, draw.sample(["b[i]", "c[i]"], 1), 1) for _ in range(2))
    found = draw.choice(
        (f"{top} / (b[i] + 1.5)", f"sqrt(b[i] * c[i] + {draw.randint(1, 9)})", f"s / sqrt(b[i]) + {top}")
    )
    if draw.random() < 0.3:
        found = "g[i] / (g[i] + 0.5f)" if draw.random() < 0.5 else "sqrtf(g[i] * 0.5f + 1.0f)"
        return Template("drawn divisions", "", "f n, g n", each(f"f[i] = {found};"))
    body = each(f"a[i] = {found} + 0.1 * ({bottom});")
    return Template("drawn divisions", "", "a n, b n, c n", body)


def _call(draw: Random) -> Template:
    if draw.random() < 0.4:
        return Template("drawn calls", "", "a n, b n, c n", each(f"a[i] = {draw.choice(_TWO)}(b[i], c[i] + 0.5);"))
    name = draw.choice(_CALLS)
    if draw.random() < 0.3:
        return Template("drawn calls", "", "f n, g n", each(f"f[i] = {name}f(g[i] * 0.7f + 0.4f);"))
    return Template("drawn calls", "", "a n, b n", each(f"a[i] = {name}(b[i]) * 0.5 + b[i];"))


def _stride(draw: Random) -> Template:
    step = draw.choice((2, 3, 4, 5, 6, 8, 12, 16))
    if draw.random() < 0.35:
        return Template(
            "drawn strides", "", "a n n, b n", rows("t += a[j*n+i] * b[j];", before="double t = 0;", after="s += t;"), 2
        )
    wide, other = f"b[{step}*i]", f"b[{step}*i+{draw.randint(1, step - 1)}]"
    if draw.random() < 0.5:
        return Template("drawn strides", "", f"a n, b {step} n", each(f"a[i] = {_term(draw, [wide, other], 1)};"))
    return Template("drawn strides", "", f"a n, b {step} n", each(f"{wide} = {_term(draw, ['a[i]'], 1)};"))


def _gather(draw: Random) -> Template:
    body = draw.choice(
        (
            "a[i] = {1} * b[p[i]] + c[i];",
            "s += b[p[i]] * c[i];",
            "a[i] = b[p[i]] - b[p[i]+1];",
            "f[i] = g[p[i]] * 0.5f;",
            "a[i] = c[q[i]] * d[q[i]+{0}];",
            "s += c[q[i]+{0}];",
        )
    ).format(draw.randint(1, 9), f"{draw.uniform(0.1, 0.9):.2f}")
    sizes = {
        "a": "n",
        "b": "n",
        "c": "n" if "c[i]" in body else "300",
        "d": "300",
        "f": "n",
        "g": "n",
        "p": "n",
        "q": "n",
    }
    arrays = ", ".join(f"{name} {size}" for name, size in sizes.items() if f"{name}[" in body)
    return Template("drawn gathers", "", arrays, each(body))


def _scatter(draw: Random) -> Template:
    body = draw.choice(
        (
            "a[p[i]] = b[i] * {0};",
            "a[p[i]] = 0.3 * a[p[i]] + b[i];",
            "c[q[i]] = 0.5 * c[q[i]] + {0};",
            "{{ c[q[i]] = b[i]; d[q[i]] = {0}; }}",
            "f[p[i]] = g[i] + {0}f;",
            "p[q[i]] += q[i] & 3;",
        )
    ).format(f"{draw.uniform(0.1, 0.9):.2f}")
    sizes = {
        "a": "n",
        "b": "n",
        "c": "300",
        "d": "300",
        "f": "n",
        "g": "n",
        "p": "n" if "p[i]" in body else "300",
        "q": "n",
    }
    arrays = ", ".join(f"{name} {size}" for name, size in sizes.items() if f"{name}[" in body)
    return Template("drawn scatters", "", arrays, each(body))


def _small(draw: Random) -> Template:
    size, square = (count := draw.randint(2, 7)), count * count
    if draw.random() < 0.5:
        body = (
            f"  for (long k = 0; k < n; k++) for (int i = 0; i < {size}; i++) {{ double t = 0;\n"
            f"    for (int j = 0; j < {size}; j++) t += b[{square}*k+{size}*i+j] * c[{size}*k+j];\n"
            f"    a[{size}*k+i] = t; }}"
        )
        return Template("drawn small", "", f"a {size} n, b {square} n, c {size} n", body)
    nest = f"  for (long i = 0; i < n; i++) for (int j = 0; j < {size}; j++) "
    inner = draw.choice(
        ("a[{0}*i+j] = b[i] * c[j];", "a[i] += 0.1 * b[{0}*i+j];", "a[{0}*i+j] = 0.5 * b[{0}*i+j] + c[j];")
    )
    arrays = f"a {size} n, b {size} n, c {size}"
    return Template("drawn small", "", arrays, nest + inner.format(size))


def _triangle(draw: Random) -> Template:
    start, stop = draw.choice((("0", "i"), ("i", "n"), ("0", "i + 1"), ("i + 1", "n")))
    inner = draw.choice(
        (
            "a[i*n+j] = 0.5 * b[i*n+j] + s;",
            "c[i] += 1e-3 * b[i*n+j] * d[j];",
            "a[i*n+j] = b[i*n+j] - c[i] * d[j];",
            "c[j] += 1e-3 * b[i*n+j];",
        )
    )
    arrays = ", ".join(f"{name} {'n n' if name in 'ab' else 'n'}" for name in "abcd" if f"{name}[" in inner)
    return Template("drawn triangular", "", arrays, rows(inner, start=start, stop=stop), 2)


def _integer(draw: Random) -> Template:
    kind = draw.choice(("int", "unsigned char", "short"))
    operands = ["y[i]", "x[i]"] if draw.random() < 0.5 else ["y[i]", str(draw.randint(3, 99))]
    mixed = f"(y[i] {draw.choice(('>>', '<<'))} {draw.randint(1, 3)}) {draw.choice('+-^&|*')} {operands[1]}"
    step = draw.choice(("x[i] = {};", "x[i] = {} & 127;", "t += {};", "x[i] = y[i] > {1} ? {0} : y[i];"))
    body = f"  int t = 0;\n{each(step.format(mixed, draw.randint(20, 200)))}\n  s += t;"
    if kind == "int":
        return Template("drawn integers", "", "p n, q n", body.replace("x[", "p[").replace("y[", "q["))
    return Template("drawn integers", "", "p n, q n", body, parameters=_NARROW.replace("TYPE", kind))


def _chase(draw: Random) -> Template:
    chains = draw.randint(1, 4)
    names = [f"k{number}" for number in range(chains)]
    start = ", ".join(f"{name} = {number}" for number, name in enumerate(names))
    work = draw.choice(("", "s += a[k0];", "t += k0 & 7;", "s = s * 0.5 + a[k0];"))
    steps = " ".join(f"{name} = p[{name}];" for name in names)
    arrays = "p n, a n" if "a[" in work else "p n"
    body = f"  int {start}, t = 0;\n{each(f'{{ {steps} {work} }}')}\n  s += t + {' + '.join(names)};"
    return Template("drawn chains of loads", "", arrays, body)


def _mixed(draw: Random) -> Template:
    limit = f"{draw.uniform(1.1, 1.9):.2f}"
    body = draw.choice(
        (
            "if (b[i] > {0}) a[i] = {1}; else a[i] = c[i];",
            "if (b[i] < {0}) s += {1};",
            "a[i] = q[i] * b[i] + {1};",
            "p[i] = (int)({1} * 50.0);",
            "f[i] = (float)({1});",
            "a[i] = (i & {2}) ? {1} : b[i];",
            "a[n-1-i] = {1};",
        )
    ).format(limit, _term(draw, ["b[i]", "c[i]"]), draw.choice((1, 2, 3, 7)))
    sizes = dict.fromkeys("abcfpq", "n")
    arrays = ", ".join(f"{name} {size}" for name, size in sizes.items() if f"{name}[" in body)
    return Template("drawn mixed", "", arrays, each(body))


def _product(draw: Random) -> Template:
    first, second, third = draw.sample("ijk", 3)
    left = draw.choice(("b[i*n+k]", "b[k*n+i]"))
    right = draw.choice(("c[k*n+j]", "c[j*n+k]"))
    body = matrix(first, second, third, f"a[i*n+j] += 1e-4 * {left} * {right};")
    return Template("drawn products", "", "a n n, b n n, c n n", body, 3)


_KINDS: tuple[Callable[[Random], Template], ...] = (
    _stream,
    _stencil,
    _reduction,
    _recurrence,
    _division,
    _call,
    _stride,
    _gather,
    _scatter,
    _small,
    _triangle,
    _integer,
    _chase,
    _mixed,
    _product,
)


FIFTH = drawn(_KINDS, _SEED, _EACH)
HELD_OUT_FIFTH = frozenset(template.name for template in FIFTH if int(template.name[-1]) % 2)
