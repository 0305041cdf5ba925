"""Sources made of sources: statements, blocks, groups and tokens change places between programs that people wrote.

Bytes changed at random hardly ever leave a program that parses, so that neither coverage nor chance gets past the
parser.  Here pieces are found by brackets and semicolons alone, which hold in C, C++ and CUDA, and in what is damaged.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from ..property.damage import damaged

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/) | (?P<directive>^[ \t]*\#[^\n]*\n)
    | (?P<word>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    | (?P<name>[A-Za-z_]\w*) | (?P<number>\.?\d[\w.]*)
    | (?P<operator><<<|>>>|(?:<<|>>)=?|&&|\|\||\+\+|--|->|::|[-+*/%&|^=!<>]=|[-+*/%&|^=!<>?:.,~])
    | (?P<bracket>[][(){};])""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_CLOSES = {")": "(", "]": "[", "}": "{"}
_AROUND = (
    *("for (int i = 0; i < n; i++) {{ {} }}", "for (int j = n; j-- > i; ) {{ {} }}", "if (n > 3) {{ {} }}", "{{ {} }}"),
    *("while (a[i] > 0) {{ {} }}", "do {{ {} }} while (--n);", "switch (n) {{ case 1: {} default: break; }}", "x: {}"),
    *(
        "if (a[i] < 0) {{ {} break; }}",
        "#pragma omp parallel for\n{}",
        "if (i % 2) {} else {}",
        "auto l = [&] {{ {} }}; l();",
    ),
)
_NUMBERS = (
    "0",
    "1",
    "-1",
    "2",
    "7",
    "32",
    "1000",
    "65536",
    "2147483647",
    "9223372036854775807u",
    "1e308",
    "0.5f",
    "010",
)
_OFTEN = {"statement": 8, "group": 6, "operator": 6, "number": 5, "block": 4, "name": 4, "directive": 2}
_FROM_HERE = {"name": 0.9}
_DAMAGED = 0.1


def pieces(text: str) -> dict[str, list[tuple[int, int]]]:
    """Where the pieces of each kind begin and end."""
    found: dict[str, list[tuple[int, int]]] = {}
    opened: list[tuple[str, int, int]] = []
    begin = 0
    for token in _TOKEN.finditer(text):
        kind, word = token.lastgroup or "", token.group()
        if kind in ("directive", "comment") and (not opened or opened[-1][0] == "{"):
            begin = token.end()
        if kind != "bracket":
            found.setdefault(kind, []).append(token.span())
        elif word in ("(", "[", "{"):
            opened.append((word, token.start(), begin))
            begin = token.end() if word == "{" else begin
        elif word == ";":
            if not opened or opened[-1][0] == "{":
                found.setdefault("statement", []).append((begin, token.end()))
                begin = token.end()
        elif opened and opened[-1][0] == _CLOSES[word]:
            _, start, before = opened.pop()
            found.setdefault("block" if word == "}" else "group", []).append((start, token.end()))
            if word == "}":
                found.setdefault("statement", []).append((before, token.end()))
                begin = token.end()
    return found


def pool(texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The different pieces of each kind in some sources, in a fixed order."""
    kinds: dict[str, dict[str, None]] = {"number": dict.fromkeys(_NUMBERS)}
    for text in texts:
        for kind, spans in pieces(text).items():
            kinds.setdefault(kind, {}).update(dict.fromkeys(text[start:end] for start, end in spans))
    return {kind: tuple(found) for kind, found in kinds.items()}


@cache
def written(root: Path) -> Mapping[str, tuple[str, ...]]:
    """The pieces of every C, C++ and CUDA source of the corpus, and of those that stand in our tests."""
    patterns = ("corpus/**/*.c", "corpus/**/*.cpp", "corpus/**/*.cu", "tests/data/*.c")
    files = [path for pattern in patterns for path in sorted(root.glob(pattern))]
    return pool([*(path.read_text("latin-1") for path in files), *_in_tests(root / "tests")])


def _in_tests(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search(r"[;{]\s*\S", node.value):
                yield node.value


def spliced(text: str, chance: random.Random, others: Mapping[str, tuple[str, ...]]) -> str:
    """The text after a few edits by pieces, now and then also damaged."""
    for _ in range(chance.choice((1, 1, 2, 3, 5))):
        found = pieces(text)
        if not found:
            return damaged(text, chance)
        kind = chance.choices(sorted(found), [_OFTEN.get(kind, 1) for kind in sorted(found)])[0]
        start, end = chance.choice(found[kind])
        old = text[start:end]
        local = [text[one:two] for one, two in found[kind]]
        here = chance.random() < _FROM_HERE.get(kind, 0.3)
        other = chance.choice(local if here else others.get(kind, local))
        match chance.randrange(8):
            case 0:
                new = ""
            case 1:
                new = old + other
            case 2 if kind in ("statement", "block"):
                new = chance.choice(_AROUND).format(old, other)
            case 3 if kind == "group":
                new = old[0] + old + old[-1]
            case _:
                new = other
        text = text[:start] + new + text[end:]
    return damaged(text, chance) if chance.random() < _DAMAGED else text
