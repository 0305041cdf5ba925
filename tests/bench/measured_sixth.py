"""The fifth draw of loops, by a generator of its own: kinds that the draw before has not, four loops of each.

Every other loop of a kind is for working with, the others are held out (``HELD_OUT_SIXTH``); the seed was chosen before
any was timed.  Values stay normal numbers: results go to arrays that are not read, or shrink before they come back.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from .measured_template import Template, drawn, each, rows

_SEED = 20261130
_EACH = 4  # loops of a kind


def _number(draw: Random, low: float = 0.1, high: float = 0.9) -> str:
    return f"{draw.uniform(low, high):.2f}"


def _passes(draw: Random) -> Template:
    """Return two loops, one after the other, of which the second reads what the first one wrote."""
    first = draw.choice(("a[i] = {0} * b[i] + c[i];", "a[i] = b[i] * b[i];", "a[i] = b[i] > 1.5 ? c[i] : {0};"))
    second = draw.choice(("d[i] = a[i] - {0};", "s += a[i];", "d[i] = a[n-1-i] * {0};", "d[i] += {0} * a[i];"))
    body = f"{each(first.format(_number(draw)))}\n{each(second.format('0.01'))}"
    return Template("passes", "", "a n, b n, c n, d n", body)


def _scan(draw: Random) -> Template:
    """Return sums that run along the rows or the columns of a matrix."""
    inner = draw.choice(
        (
            "a[i*n+j] = b[i*n+j] + {0} * a[i*n-n+j];",
            "a[i*n+j] = {0} * (b[i*n+j] + a[i*n+j-1]);",
            "{{ t = t * {0} + b[i*n+j]; a[i*n+j] = t; }}",
            "a[j*n+i] = {0} * a[j*n-n+i] + b[j*n+i];",
        )
    ).format(_number(draw, 0.1, 0.4))
    head = f"  for (long i = 1; i < n; i++) {{ double t = 0; for (long j = 1; j < n; j++) {inner} s += t; }}"
    return Template("scans", "", "a n n, b n n", head, 2)


def _conditional_sum(draw: Random) -> Template:
    condition = draw.choice(("b[i] > {0}", "q[i] & 1", "q[i] < {1}", "b[i] < c[i]", "i % {2} == 0"))
    step = draw.choice(("t += c[i];", "{{ t += c[i]; k++; }}", "t += b[i] * c[i];", "u = u > c[i] ? u : c[i];"))
    condition = condition.format(_number(draw, 1.2, 1.8), draw.randint(20, 235), draw.randint(2, 9))
    body = f"  double t = 0, u = 0;\n  long k = 0;\n{each(f'if ({condition}) {step.format()}')}\n  s += t + u + k;"
    return Template("conditional sums", "", "b n, c n, q n", body)


def _newton(draw: Random) -> Template:
    """Return iterations of a fixed number for each element."""
    step = draw.choice(
        (
            "x = 0.5 * (x + b[i] / x);",
            "x = x * (1.5 - 0.4 * x * x);",
            "x = x * 0.5 + c[i];",
            "x -= 0.1 * (x * x - b[i]);",
        )
    )
    number = draw.randint(2, 6)
    inner = f"{{ double x = b[i]; for (int k = 0; k < {number}; k++) {step} a[i] = x; }}"
    return Template("iterations", "", "a n, b n, c n", each(inner))


def _table(draw: Random) -> Template:
    size = draw.choice((16, 64, 256))
    body = draw.choice(
        (
            "a[i] = c[q[i] & {0}] * b[i];",
            "s += c[q[i] & {0}];",
            "p[q[i] & {0}]++;",
            "c[q[i] & {0}] += 1e-9 * b[i];",
            "a[i] = c[(i * 7) & {0}] + d[q[i] & {0}];",
            "f[i] = g[q[i] & {0}] * 0.5f;",
        )
    ).format(size - 1)
    lengths = {"a": "n", "b": "n", "c": str(size), "d": str(size), "f": "n", "g": str(size), "p": str(size), "q": "n"}
    arrays = ", ".join(f"{name} {length}" for name, length in lengths.items() if f"{name}[" in body)
    return Template("drawn tables", "", arrays, each(body))


def _band(draw: Random) -> Template:
    width = draw.randint(1, 5)
    if draw.random() < 0.5:
        inner = draw.choice(("t += b[(2*{0}+1)*i+k] * c[i+k];", "t += b[(2*{0}+1)*i+k] * c[i-k+2*{0}];")).format(width)
        inner = f"double t = 0; for (int k = 0; k < {2 * width + 1}; k++) {inner} a[i] = t;"
        body = each(f"{{ {inner} }}")
        return Template("bands", "", f"a n, b {2 * width + 1} n, c 2 n", body)
    kind = draw.choice(("c[i] = (b[i] - {0} * c[i-1]) / (a[i] + 1.5);", "c[i] = b[i] - {0} * a[i] * c[i-1];"))
    return Template("bands", "", "a n, b n, c n", each(kind.format(_number(draw, 0.1, 0.4)), "1"))


def _hash(draw: Random) -> Template:
    """Return integers that are mixed by shifts, products and differences."""
    steps = draw.sample(
        ("t ^= t << 3;", "t ^= (unsigned)t >> 5;", "t *= 37;", "t += q[i];", "t ^= q[i] & 15;", "t -= t >> 2;"),
        draw.randint(2, 4),
    )
    if draw.random() < 0.5:
        return Template("mixes", "", "p n, q n", each(f"{{ unsigned t = q[i]; {' '.join(steps)} p[i] = t; }}"))
    return Template("mixes", "", "q n", f"  unsigned t = 1;\n{each('{ ' + ' '.join(steps) + ' }')}\n  s += t;")


def _packed(draw: Random) -> Template:
    """Return elements that a condition chooses, one behind the other."""
    condition = draw.choice((f"b[i] > {_number(draw, 1.1, 1.9)}", f"q[i] > {draw.randint(10, 245)}", "(q[i] & 3) == 0"))
    inner = draw.choice(("a[k++] = b[i];", "{ a[k] = b[i]; k++; }", "p[k++] = i;", "{ p[k] = q[i]; a[k++] = b[i]; }"))
    body = f"  long k = 0;\n{each(f'if ({condition}) {inner}')}\n  s += k;"
    return Template("packed", "", "a n, b n, p n, q n", body)


def _varied(draw: Random) -> Template:
    """Return short inner loops whose length data decide."""
    mask = draw.choice((1, 3, 7, 15))
    inner = draw.choice(("t += b[i+k];", "t = t * 0.5 + b[k];", "a[i+k] = b[i];", "t += b[i] * c[k];"))
    head = f"for (int k = 0; k < (q[i] & {mask}); k++) {inner}"
    body = f"  for (long i = 0; i < n; i++) {{ double t = 0; {head} s += 1e-9 * t; }}"
    return Template("varied lengths", "", "a 2 n, b 2 n, c 16, q n", body)


def _rank(draw: Random) -> Template:
    inner = draw.choice(
        (
            "a[i*n+j] += 1e-6 * c[i] * d[j];",
            "a[i*n+j] = b[j*n+i];",
            "a[j*n+i] = {0} * b[i*n+j];",
            "a[i*n+j] = c[i] + d[j];",
            "d[j] = d[j] > b[i*n+j] ? d[j] : b[i*n+j];",
            "a[i*n+j] = b[i*n+n-1-j] * {0};",
        )
    ).format(_number(draw))
    arrays = ", ".join(f"{name} {'n n' if name in 'ab' else 'n'}" for name in "abcd" if f"{name}[" in inner)
    return Template("planes", "", arrays, rows(inner), 2)


_KINDS: tuple[Callable[[Random], Template], ...] = (
    _passes,
    _scan,
    _conditional_sum,
    _newton,
    _table,
    _band,
    _hash,
    _packed,
    _varied,
    _rank,
)


SIXTH = drawn(_KINDS, _SEED, _EACH)
HELD_OUT_SIXTH = frozenset(template.name for template in SIXTH if int(template.name[-1]) % 2)
