"""Outcomes of conditions as gcc records them, against evaluating the conditions here."""

import shutil
import subprocess
from itertools import product

import pytest

from analyzer.coverage.outcomes import operands, outcomes_of
from analyzer.coverage.reading import read_counts
from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.options import ParseOptions
from analyzer.frontend.surface.nodes import Conditional, For, If, While
from analyzer.frontend.surface.traverse import walk
from analyzer.source import read_source

CONDITIONS = (
    "a",
    "!a",
    "a && b",
    "a || b",
    "a || b || c",
    "a && b && c",
    "(a || b) && c",
    "(a && b) || c",
    "a && (b || c)",
)
CONDITIONS += ("a || (b && c)", "!a || b", "!(a && b)", "a && !b", "!(a || b) && c")
FORMS = (
    "if ({})\n      hits++;",
    "while ({})\n      {{ hits++; break; }}",
    "hits += {} ? 2 * hits : 1;",
)
ROWS = [row for row in product((0, 1), repeat=3) for _ in range(1 + row[0] + 2 * row[1] + 4 * row[2])]


@pytest.fixture(scope="module", params=["gcc", "g++"])
def recorded(request, tmp_path_factory):
    """The functions of a program with each condition in each form, and the counts of its run.

    A call makes g++ put the value of a whole condition into a variable.
    """
    if shutil.which(request.param) is None or shutil.which("gcov") is None:
        pytest.skip("needs gcc and gcov")
    folder = tmp_path_factory.mktemp("outcomes")
    body = "static int hits;\nstatic int id(int y) { return y; }\n"
    calls = ""
    for number, (form, condition) in enumerate(product(FORMS, CONDITIONS)):
        text = form.format(condition.replace("b", "id(b)"))
        body += f"void f{number}(int a, int b, int c) {{\n    {text}\n}}\n"
        calls += "".join(f"f{number}({a}, {b}, {c});" for a, b, c in ROWS)
    name = "t.c" if request.param == "gcc" else "t.cpp"
    (folder / name).write_text(f"{body}int main(void) {{ {calls} return 0; }}\n")
    for command in ([request.param, "-O0", "-w", "--coverage", name, "-o", "t"], ["./t"]):
        subprocess.run(command, cwd=folder, check=True)
    data = next(folder.glob("*.gcda")).name
    subprocess.run(
        ["gcov", "--json-format", "--branch-probabilities", data], cwd=folder, check=True, capture_output=True
    )
    counts = read_counts([str(next(folder.glob("*.gcov.json.gz")))]).of_file(str(folder / name))
    unit = parse_clang(read_source(str(folder / name)), ParseOptions()).unit
    return unit, counts


def evaluated(condition, row, outcomes):
    """Whether a condition holds, with the operands that were evaluated noted."""
    match condition:
        case ("&&", left, right):
            return evaluated(left, row, outcomes) and evaluated(right, row, outcomes)
        case ("||", left, right):
            return evaluated(left, row, outcomes) or evaluated(right, row, outcomes)
        case ("!", inner) if not isinstance(inner, str):
            return not evaluated(inner, row, outcomes)
        case name:
            held = not row["abc".index(name[1])] if isinstance(name, tuple) else bool(row["abc".index(name)])
            outcomes.setdefault(name, [0, 0])[0 if held else 1] += 1
            return held


def tree(text):
    """A condition as nested tuples, by Python's own reader."""
    import ast

    def of(node):
        match node:
            case ast.BoolOp(op=op, values=[*before, last]):
                rest = before[0] if len(before) == 1 else ast.BoolOp(op=op, values=before)
                return ("&&" if isinstance(op, ast.And) else "||", of(rest), of(last))
            case ast.UnaryOp(operand=operand):
                return ("!", of(operand))
            case ast.Name(id=name):
                return name

    return of(ast.parse(text.replace("&&", "and").replace("||", "or").replace("!", "not "), mode="eval").body)


@pytest.mark.parametrize("number", range(len(FORMS) * len(CONDITIONS)))
def test_each_operand_has_its_outcomes(recorded, number):
    unit, counts = recorded
    function = next(one for one in unit.functions.values() if one.name == f"f{number}")
    own = next(one for one in counts.functions if one.name.partition("(")[0] == f"f{number}")
    node = next(one for one in walk(function.body) if isinstance(one, If | While | For | Conditional))
    condition = CONDITIONS[number % len(CONDITIONS)]
    outcomes = {}
    for row in ROWS:
        evaluated(tree(condition), row, outcomes)
    found = [(one.true, one.false) for one in outcomes_of([node], own).of_each(node.condition)]
    names = [name for name in condition if name in "abc"]
    wanted = [tuple(outcomes[name] if name in outcomes else outcomes["!", name]) for name in names]
    if isinstance(node, Conditional) and condition in ("!a", "!(a && b)"):
        assert found == [], "gcc may exchange the arms"
    else:
        assert len(list(operands(node.condition))) == len(names)
        assert found == wanted
