"""Sources made to break an analyzer: each grows with a size, small in tests and large in the bench."""

from __future__ import annotations

from collections.abc import Callable

Text = str | bytes
_HEAD = "void f(int n, int m, double *a, double *b) {\n"


def nest(depth: int, *, stop: str = "n", step: str = "1", first: str = "0", guard: str = "") -> str:
    """Loops in loops; ``{o}`` in the parts is the iterator around."""
    text = "#define min(a, b) ((a) < (b) ? (a) : (b))\n#define max(a, b) ((a) > (b) ? (a) : (b))\n" + _HEAD
    for k in range(depth):
        outer = f"i{k - 1}" if k else "m"
        start, end = first.format(o=outer), stop.format(o=outer)
        text += f"for (int i{k} = {start}; i{k} < {end}; i{k} += {step})\n"
        if guard:
            text += f"if ({guard.format(o=outer, i=f'i{k}')})\n"
    return text + f"a[{' + '.join(f'i{k}' for k in range(depth))}] += b[i{depth - 1}];\n}}\n"


def loop(body: str, *, before: str = "") -> str:
    """One loop around some text."""
    return f"{before}\n{_HEAD}for (int i = 0; i < n; i++) {{\n{body}\n}}\n}}\n"


def _statements(size: int) -> str:
    return loop("\n".join(f"a[i + {k}] = a[i + {k + 1}] * b[i - {k}] + {k}.5;" for k in range(size)))


def _variants(size: int) -> str:
    return loop("\n".join(f"if (i % {k + 2} == {k % 2} && i < n - {k}) a[{k} * i] += b[i];" for k in range(size)))


def _calls(size: int) -> str:
    steps = [f"double f{k}(double x) {{ return f{k + 1}(x) + f{k + 1}(x + 1); }}" for k in reversed(range(size))]
    return loop("a[i] = f0(b[i]);", before="\n".join([f"double f{size}(double x) {{ return x * x; }}", *steps]))


def _loops_in_calls(size: int) -> str:
    steps = [
        f"void f{k}(int n, double *a) {{ for (int i = 0; i < n; i++) {{ f{k + 1}(n, a); f{k + 1}(i, a); }} }}"
        for k in reversed(range(size))
    ]
    last = f"void f{size}(int n, double *a) {{ for (int i = 0; i < n; i++) a[i] += 1; }}"
    return "\n".join([last, *steps]) + "\n"


def _mutual(size: int) -> str:
    heads = "".join(f"double f{k}(double x);\n" for k in range(size))
    return heads + "".join(
        f"double f{k}(double x) {{ double s = 0; for (int i = 0; i < 9; i++) s += f{(k + 1) % size}(x) + "
        f"f{(7 * k + 3) % size}(s); return s; }}\n"
        for k in range(size)
    )


def _functions(size: int) -> str:
    return "".join(
        f"void f{k}(int n, double *a) {{ for (int i = 0; i < n; i++) a[i] = a[i] * {k}.0 + 1.0; }}\n"
        for k in range(size)
    )


def _macro_bomb(size: int) -> str:
    lines = ["#define X0 a[i] += b[i];", *(f"#define X{k + 1} X{k} X{k} X{k} X{k}" for k in range(size))]
    return loop(f"X{size}", before="\n".join(lines))


def _macro_sum(size: int) -> str:
    lines = ["#define X0 b[i]", *(f"#define X{k + 1} (X{k} + X{k})" for k in range(size))]
    return loop(f"a[i] = X{size};", before="\n".join(lines))


def _switch(size: int) -> str:
    cases = "\n".join(f"case {k}: a[i] += {k}; {'break;' if k % 3 else ''}" for k in range(size))
    return loop(f"switch ((int)b[i]) {{\n{cases}\ndefault: a[i] = 0; }}")


def _gotos(size: int) -> str:
    return loop("\n".join(f"L{k}: a[i] += {k}; if (b[i] > {k}) goto L{(k * 7 + 1) % size};" for k in range(size)))


def _else_ifs(size: int) -> str:
    return loop(" else\n".join(f"if (b[i] < {k}) a[i] += {k};" for k in range(size)))


def _types(size: int) -> str:
    parts = "".join(f"struct S{k} {{ struct S{k - 1} x, y; double z[3]; }};\n" for k in range(1, size))
    body = "for (int i = 0; i < n; i++) p[i].z[0] += 1;"
    return f"struct S0 {{ double z[3]; }};\n{parts}void f(int n, struct S{size - 1} *p) {{ {body} }}\n"


def _templates(size: int) -> str:
    return (
        "template <int N> struct F { static double at(double x) { return F<N-1>::at(x) + F<N-2>::at(x + 1); } };\n"
        "template <> struct F<0> { static double at(double x) { return x; } };\n"
        "template <> struct F<1> { static double at(double x) { return 2 * x; } };\n"
        + loop(f"a[i] = F<{size}>::at(b[i]);")
    )


def _endless_template(size: int) -> str:
    return "template <int N> double g(double x) { return g<N + 1>(x) * 2; }\n" + loop("a[i] = g<0>(b[i]);")


def _constexpr(size: int) -> str:
    before = f"constexpr long g() {{ long s = 0; for (long k = 0; k < {size}; k++) s += k; return s; }}"
    return loop("a[i] += (double)g();", before=f"{before}\nconstexpr long s = g();")


def _host(body: str, *, before: str = "") -> str:
    return (
        f"#include <stdlib.h>\n#include <vector>\n{before}\n"
        "__global__ void k(int n, double *a) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] += 1; }\n"
        f"int main() {{ double *a; int n = 1;\n{body}\nk<<<n, 256>>>(n, a);\n}}\n"
    )


def _huge_bounds(_size: int) -> str:
    most = 2**63 - 1
    return (
        f"{_HEAD}for (long i = 0; i < {most}; i += {2**62}) a[i] += 1;\n"
        f"for (long i = -{most} - 1; i < {most}; i++) a[i * {most}] += 1;\n"
        f"for (unsigned long i = 0; i <= {2**64 - 1}u; i++) b[i] = 0;\n}}\n"
    )


def _deep(opening: str, core: str, closing: str) -> Callable[[int], str]:
    return lambda size: loop(opening * size + core + closing * size)


CASES: dict[str, tuple[str, Callable[[int], Text], int, int]] = {
    # name: suffix, text of a size, size in tests, size in the bench
    "nest": (".c", nest, 10, 40),
    "nest_triangles": (".c", lambda size: nest(size, first="{o}"), 6, 40),
    "nest_min_max": (".c", lambda size: nest(size, first="max(0, {o} - 3)", stop="min(n, 2 * {o} + 7)"), 5, 20),
    "nest_strides": (".c", lambda size: nest(size, first="{o} + 1", step="7"), 5, 20),
    "nest_guards": (".c", lambda size: nest(size, guard="({i} + {o}) % 3 == 1 && {i} < {o}"), 4, 20),
    "nest_tiles": (".c", lambda size: nest(size, first="{o}", stop="min({o} + 32, n)", step="32"), 5, 20),
    "nest_all": (
        ".c",
        lambda size: nest(
            size, first="max(0, {o} - 3)", stop="min(n, {o} + 9)", step="3", guard="({i} * 5 + {o}) / 2 % 7 < 3"
        ),
        3,
        20,
    ),
    "statements": (".c", _statements, 50, 4000),
    "guarded_statements": (".c", _variants, 10, 1000),
    "one_sum": (".c", lambda size: loop("a[i] = " + " + ".join(f"b[i + {k}]" for k in range(size)) + ";"), 500, 20_000),
    "horner": (".c", _deep("(b[i] * ", "1.0", " + 1.0)"), 300, 100_000),
    "parentheses": (
        ".c",
        _deep("a[i] = 1 + (", "b[i]", ");") and (lambda s: loop("a[i] = " + "(" * s + "b[i]" + ")" * s + ";")),
        300,
        1_000_000,
    ),
    "minuses": (".c", lambda s: loop("a[i] = " + "- " * s + "b[i];"), 300, 1_000_000),
    "nots": (".c", lambda s: loop("a[i] = " + "!" * s + "b[i];"), 300, 100_000),
    "conditionals": (".c", lambda s: loop("a[i] = " + "b[i] > 1 ? 2 : " * s + "b[i];"), 300, 100_000),
    "assignments": (".c", lambda s: loop("a[i] = " * s + "b[i];"), 300, 100_000),
    "subscripts": (".c", lambda s: loop("a[i] = " + "b[(int)" * s + "a[i]" + "]" * s + ";"), 100, 10_000),
    "commas": (".c", lambda s: loop("a[i] = (" + "b[i], " * s + "b[i]);"), 300, 100_000),
    "casts": (".c", lambda s: loop("a[i] = " + "(double)" * s + "b[i];"), 300, 100_000),
    "calls_of_calls": (
        ".c",
        lambda s: loop("a[i] = " + "sin(" * s + "b[i]" + ")" * s + ";", before="#include <math.h>"),
        100,
        10_000,
    ),
    "blocks": (".c", _deep("{", "a[i] += b[i];", "}"), 300, 1_000_000),
    "ifs": (".c", _deep("if (b[i] > 1) ", "a[i] += 1;", ""), 200, 100_000),
    "bare_fors": (".c", _deep("for (;;) ", "a[i] += 1;", ""), 200, 100_000),
    "dos": (".c", _deep("do ", "a[i] += 1;", " while (b[i] > 1);"), 200, 100_000),
    "else_ifs": (".c", _else_ifs, 200, 20_000),
    "switch": (".c", _switch, 100, 20_000),
    "gotos": (".c", _gotos, 50, 5_000),
    "labels": (".c", lambda s: loop("".join(f"l{k}: " for k in range(s)) + "a[i] += 1;"), 200, 100_000),
    "pointers": (
        ".c",
        lambda s: f"void f(int n, double {'*' * s}a) {{ for (int i = 0; i < n; i++) {'*' * s}a += 1; }}",
        100,
        100_000,
    ),
    "arrays": (
        ".c",
        lambda s: f"double a{'[2]' * s};\nvoid f(int n) {{ for (int i = 0; i < n; i++) a{'[i]' * s} += 1; }}",
        30,
        10_000,
    ),
    "function_types": (
        ".c",
        lambda s: "double " + "(*" * s + "p" + ")(int)" * s + ";\n" + loop("a[i] += b[i];"),
        100,
        10_000,
    ),
    "initialisers": (
        ".c",
        lambda s: loop("a[i] += t[i];", before="double t[] = {" + "1.5, " * s + "};"),
        1000,
        3_000_000,
    ),
    "deep_initialiser": (
        ".c",
        lambda s: loop("a[i] += b[i];", before="double t[] = " + "{" * s + "1" + "}" * s + ";"),
        300,
        100_000,
    ),
    "strings": (".c", lambda s: loop("a[i] += b[i];", before="const char *t = " + '"x" ' * s + ";"), 1000, 1_000_000),
    "types": (".c", _types, 20, 200),
    "calls": (".c", _calls, 8, 30),
    "calls_with_loops": (".c", _loops_in_calls, 4, 30),
    "mutual": (".c", _mutual, 20, 2000),
    "functions": (".c", _functions, 20, 3000),
    "macro_bomb": (".c", _macro_bomb, 3, 30),
    "macro_sum": (".c", _macro_sum, 6, 40),
    "macro_of_itself": (
        ".c",
        lambda s: loop("a[i] = g(g(b[i]));", before="#define g(x) h(h(x))\n#define h(x) g(g(x))"),
        1,
        1,
    ),
    "macro_arguments": (
        ".c",
        lambda s: loop("a[i] = " + "g(" * s + "b[i]" + ")" * s + ";", before="#define g(x) (x + x)"),
        5,
        40,
    ),
    "include_of_itself": (".c", lambda s: '#include "include_of_itself.c"\n' * s + loop("a[i] += b[i];"), 1, 3),
    "conditions": (".c", lambda s: "#if 1\n" * s + loop("a[i] += b[i];") + "#endif\n" * s, 100, 100_000),
    "unclosed_conditions": (".c", lambda s: "#if 1\n" * s + loop("a[i] += b[i];"), 100, 100_000),
    "huge_constants": (
        ".c",
        lambda s: loop(
            "a[i * 1000000000000000000000000000000 + 9223372036854775808] += 1e999 * b[18446744073709551615 * i];" * s
        ),
        1,
        3,
    ),
    "huge_bounds": (".c", _huge_bounds, 1, 1),
    "overflow": (
        ".c",
        lambda s: loop(
            "".join(f"a[i * {2**62} * {2**62} * {k + 1} + {2**63 - 1}] += b[(i << 62) << {k}];" for k in range(s))
        ),
        2,
        20,
    ),
    "huge_fragment_constants": (
        ".c",
        lambda s: (
            "double a[N];\nfor (i = 0; i < " + "9" * s + "; i += " + "3" * (s // 2) + ") a[i * " + "7" * s + "] += 1;\n"
        ),
        40,
        10_000,
    ),
    "huge_digits": (".c", lambda s: loop(f"a[i] += {'9' * s}; a[{'9' * s}] = 1.{'1' * s};"), 1000, 1_000_000),
    "huge_shift": (
        ".c",
        lambda s: "double a[N];\nfor (i = 0; i < (1 << 2000000000); i++) a[i << 1000000000] += 1;\n",
        1,
        1,
    ),
    "huge_extents": (
        ".c",
        lambda s: (
            f"double a[{2**40}]{f'[{2**40}]' * s};\n"
            f"void f(int n) {{ for (int i = 0; i < n; i++) a[i]{'[i]' * s} += 1; }}"
        ),
        1,
        6,
    ),
    "long_line": (".c", lambda s: loop("a[i] += b[i]; " * s), 50, 700_000 // 14),
    "long_comment": (".c", lambda s: "/*" + "x" * s + "*/" + loop("a[i] += b[i];"), 10_000, 10_000_000),
    "gigantic": (".c", lambda s: "// nothing\n" * s + loop("a[i] += b[i];"), 1000, 5_000_000),
    "gigantic_data": (
        ".c",
        lambda s: "int t[] = {\n" + "1, 2, 3, 4, 5, 6, 7, 8,\n" * s + "};\n" + loop("a[i] += b[i];"),
        1000,
        2_000_000,
    ),
    "declarations": (
        ".c",
        lambda s: "".join(f"extern int v{k};\n" for k in range(s)) + loop("a[i] += b[i];"),
        1000,
        300_000,
    ),
    "locals": (
        ".c",
        lambda s: loop(
            "".join(f"double v{k} = a[i + {k}];" for k in range(s)) + "".join(f"b[i] += v{k};" for k in range(s))
        ),
        50,
        5_000,
    ),
    "one_token": (".c", lambda s: "x" * s, 10_000, 10_000_000),
    "open_brackets": (".c", lambda s: _HEAD + "{[(" * s, 300, 300_000),
    "close_brackets": (".c", lambda s: ")]}" * s, 300, 300_000),
    "open_comment": (".c", lambda s: loop("a[i] += b[i];") + "/*" * s, 10, 1_000_000),
    "open_string": (".c", lambda s: loop("a[i] += b[i];") + '"' + "x" * s, 10, 1_000_000),
    "slashes": (".c", lambda s: loop("a[i] += b[i];" + "\\\n" * s), 100, 1_000_000),
    "spaces": (".c", lambda s: loop("a[i] += b[i];" + " " * s + ";"), 1000, 10_000_000),
    "hashes": (".c", lambda s: loop("a[i] += b[i];") + "#" * s, 100, 1_000_000),
    "nul": (".c", lambda s: loop("a[i] += b[i];").encode() + b"\0" * s, 100, 1_000_000),
    "late_nul": (".c", lambda s: b" " * 10_000 + loop("a[i] \0+= b[i];").encode(), 1, 1),
    "invalid_utf8": (
        ".c",
        lambda s: b"// \xff\xfe\xc0\xaf\xed\xa0\x80\n" * s + loop("a[i] += b[i];").encode(),
        10,
        100_000,
    ),
    "bom": (".c", lambda s: b"\xef\xbb\xbf" + loop("a[i] += b[i];").encode(), 1, 1),
    "utf16": (".c", lambda s: loop("a[i] += b[i];").encode("utf-16"), 1, 1),
    "crlf": (".c", lambda s: loop("a[i] += b[i];").replace("\n", "\r\n"), 1, 1),
    "cr": (".c", lambda s: loop("a[i] += b[i];").replace("\n", "\r"), 1, 1),
    "fragment_deep": (".c", lambda s: "for (i = 0; i < n; i++) " * s + "a[i] = b[i];\n", 30, 100_000),
    "fragment_parentheses": (
        ".c",
        lambda s: "for (i = 0; i < n; i++) a[i] = " + "(" * s + "b[i]" + ")" * s + ";\n",
        100,
        100_000,
    ),
    "fragment_sum": (".c", lambda s: "for (i = 0; i < n; i++) a[i] = " + "b[i] + " * s + "b[i];\n", 500, 20_000),
    "fragment_minuses": (".c", lambda s: "for (i = 0; i < n; i++) a[i] = " + "- " * s + "b[i];\n", 300, 50_000),
    "fragment_macro_bomb": (
        ".c",
        lambda s: (
            "#define X0 a[i] = b[i];\n"
            + "".join(f"#define X{k + 1} X{k} X{k} X{k} X{k}\n" for k in range(s))
            + f"for (i = 0; i < n; i++) {{ X{s} }}\n"
        ),
        2,
        30,
    ),
    "fragment_macro_of_itself": (
        ".c",
        lambda s: "#define g(x) h(h(x))\n#define h(x) g(g(x))\nfor (i = 0; i < n; i++) a[i] = g(b[i]);\n",
        1,
        1,
    ),
    "fragment_statements": (
        ".c",
        lambda s: "for (i = 0; i < n; i++) {\n" + "".join(f"a[i + {k}] = b[i] * {k};\n" for k in range(s)) + "}\n",
        50,
        3_000,
    ),
    "templates": (".cpp", _templates, 8, 40),
    "endless_template": (".cpp", _endless_template, 1, 1),
    "endless_type": (
        ".cpp",
        lambda s: "template <class T> struct P { P<P<T>> *p; P<P<T>> q; };\nP<int> p;\n" + loop("a[i] += 1;"),
        1,
        1,
    ),
    "wide_template": (
        ".cpp",
        lambda s: (
            "template <int... N> double g(double x) { return (x + ... + N); }\n"
            + loop("a[i] = g<" + ", ".join(map(str, range(s))) + ">(b[i]);")
        ),
        20,
        5_000,
    ),
    "nested_type": (
        ".cpp",
        lambda s: (
            "template <class T> struct P { double x; };\n"
            + loop("a[i] += b[i];", before="P<" * s + "int" + ">" * s + " p;")
        ),
        20,
        5_000,
    ),
    "namespaces": (".cpp", lambda s: "namespace n { " * s + loop("a[i] += b[i];") + "}" * s, 50, 100_000),
    "classes": (".cpp", lambda s: "struct S { " * s + loop("a[i] += b[i];") + "};" * s, 50, 10_000),
    "lambdas": (".cpp", lambda s: loop("[&] { " * s + "a[i] += b[i];" + "}();" * s), 10, 500),
    "constexpr": (".cpp", _constexpr, 1000, 10**15),
    "constexpr_recursion": (
        ".cpp",
        lambda s: loop(
            "a[i] += f(" + str(s) + ");",
            before="constexpr int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\nconstexpr int v = f("
            + str(s)
            + ");",
        ),
        10,
        60,
    ),
    "overloads": (
        ".cpp",
        lambda s: (
            "".join(f"struct S{k} {{}}; double operator+(S{k}, double x) {{ return x + {k}; }}\n" for k in range(s))
            + loop("".join(f"a[i] += S{k}() + b[i];" for k in range(s)))
        ),
        20,
        1_000,
    ),
    "inheritance": (
        ".cpp",
        lambda s: (
            "struct S0 { double x; };\n"
            + "".join(f"struct S{k + 1} : S{k} {{ double g() {{ return x + {k}; }} }};\n" for k in range(s))
            + loop(f"S{s} s; a[i] = s.g();")
        ),
        20,
        2_000,
    ),
    "endless_host_loop": (".cu", lambda s: _host("while (1) n = n * 3 + 1;"), 1, 1),
    "long_host_loop": (
        ".cu",
        lambda s: _host(f"for (long i = 0; i < {s}; i++) n = (n * 7 + i) % 1000 + 1;"),
        100,
        10**12,
    ),
    "host_recursion": (
        ".cu",
        lambda s: _host(f"n = g({s});", before="int g(int n) { return n == 0 ? 1 : g(n - 1) + 1; }"),
        20,
        10**6,
    ),
    "endless_host_recursion": (
        ".cu",
        lambda s: _host("n = g(1);", before="int g(int n) { return g(n + 1) + g(n + 2); }"),
        1,
        1,
    ),
    "host_tree": (
        ".cu",
        lambda s: _host(f"n = g({s});", before="int g(int n) { return n < 2 ? 1 : g(n - 1) + g(n - 2); }"),
        8,
        50,
    ),
    "host_memory": (
        ".cu",
        lambda s: _host(f"int *p = (int *)malloc({s}ul); for (long i = 0; i < {s}; i++) p[i] = i; n = p[7];"),
        1000,
        10**15,
    ),
    "host_vector": (
        ".cu",
        lambda s: _host(f"std::vector<int> v({s}, 3); for (long i = 0; i < {s}; i++) v.push_back(i); n = v[1];"),
        100,
        10**12,
    ),
    "host_string": (
        ".cu",
        lambda s: _host(
            f'std::string t = "x"; for (int i = 0; i < {s}; i++) t = t + t; n = t.size();', before="#include <string>"
        ),
        8,
        100,
    ),
    "host_integers": (
        ".cu",
        lambda s: _host(f"long p = 3; for (int i = 0; i < {s}; i++) p = p * p; n = p % 7 + 1;"),
        8,
        10**6,
    ),
    "host_allocations": (
        ".cu",
        lambda s: _host(f"for (int i = 0; i < {s}; i++) {{ int *q = new int[1000000]; q[i] = i; n = q[i] + 1; }}"),
        50,
        10**9,
    ),
    "launches": (".cu", lambda s: _host(f"for (int i = 1; i < {s}; i++) k<<<i, 256>>>(i, a);"), 5, 10**6),
    "many_kernels": (
        ".cu",
        lambda s: _host(
            "".join(f"k{k}<<<10, 256>>>(n, a);" for k in range(s)),
            before="".join(
                f"__global__ void k{k}(int n, double *a) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; "
                f"if (i < n) a[i * {k + 1}] += {k}; }}\n"
                for k in range(s)
            ),
        ),
        5,
        300,
    ),
    "huge_grid": (
        ".cu",
        lambda s: _host("").replace("<<<n, 256>>>", f"<<<dim3({s}, {s}, {s}), dim3(32, 32, 32)>>>"),
        1000,
        2**31 - 1,
    ),
    "huge_shared": (
        ".cu",
        lambda s: (
            "__global__ void k(double *a) { __shared__ double t["
            + str(s)
            + "]; for (int i = 0; i < "
            + str(s)
            + "; i++) t[(threadIdx.x * 33 + i) % "
            + str(s)
            + "] = a[i]; a[0] = t[1]; }\nint main() { double *a; k<<<1000, 256>>>(a); }\n"
        ),
        100,
        10**9,
    ),
    "import_std": (
        ".cpp",
        lambda s: (
            "import std;\n" * s + "void f(int n) { std::vector<double> v(n); for (int i = 0; i < n; i++) v[i] += 1; }\n"
        ),
        1,
        1_000,
    ),
    "modules": (
        ".cpp",
        lambda s: (
            "module;\nexport module m;\n" + "".join(f"import m{k};\n" for k in range(s)) + loop("a[i] += m0::f();")
        ),
        5,
        1_000,
    ),
    "template_tree": (
        ".cpp",
        lambda s: (
            "template <int N, long K> struct F {\n"
            "static constexpr double v = F<N - 1, 2 * K>::v + F<N - 1, 2 * K + 1>::v; };\n"
            "template <long K> struct F<0, K> { static constexpr double v = K; };\n" + loop(f"a[i] += F<{s}, 1>::v;")
        ),
        5,
        40,
    ),
    "include_storm": (
        ".c",
        lambda s: (
            "#ifndef D\n#define D 0\n#endif\n#if __INCLUDE_LEVEL__ < "
            + str(s)
            + "\n#include __FILE__\n#include __FILE__\n#else\nextern int v;\n#endif\n#if __INCLUDE_LEVEL__ == 0\n"
            + loop("a[i] += b[i];")
            + "#endif\n"
        ),
        4,
        60,
    ),
    "million_lines": (".c", lambda s: loop("a[i] += b[i];\n" * s), 100, 1_000_000),
    "nest_300": (".c", nest, 10, 300),
    "constexpr_tree": (
        ".cpp",
        lambda s: loop(
            "a[i] += v;",
            before="constexpr long g(int n) { return n < 2 ? n : g(n - 1) + g(n - 2); }\n"
            + "".join(f"constexpr long v{k} = g({s});\n" for k in range(s))
            + "constexpr long v = v0;",
        ),
        10,
        25,
    ),
    "kernel_nest": (
        ".cu",
        lambda s: (
            "__global__ void k(int n, double *a) {"
            + "".join(f"for (int i{j} = threadIdx.x; i{j} < n; i{j} += blockDim.x) " for j in range(s))
            + "a["
            + " + ".join(f"i{j}" for j in range(s))
            + "] += 1; }\nint main() { double *a; k<<<1000, 256>>>(100, a); }\n"
        ),
        2,
        10,
    ),
}


def text_of(name: str, *, large: bool = False) -> tuple[str, bytes]:
    """A suffix and the bytes of a source."""
    suffix, make, small_size, large_size = CASES[name]
    text = make(large_size if large else small_size)
    return suffix, text if isinstance(text, bytes) else text.encode()


WITHOUT_NEIGHBOUR = frozenset(
    {
        *("nul", "utf16", "late_nul"),
        *("open_brackets", "close_brackets", "open_comment", "open_string", "unclosed_conditions"),
        *("one_token", "include_of_itself", "cr", "bom"),
    }
)
"""Sources beside which no other function can stand: binary data, what never ends, what includes itself."""

_INNOCENT = "void innocent(int n, double *a) { for (int i = 0; i < n; i++) a[i] += 1; }\n"


def beside_innocent(name: str, text: bytes) -> bytes:
    """The text behind a function that has nothing to do with it; a kernel where there are kernels."""
    if name in WITHOUT_NEIGHBOUR:
        return text
    kernel = b"__global__" in text
    return (_INNOCENT.replace("void", "__global__ void", 1) if kernel else _INNOCENT).encode() + text
