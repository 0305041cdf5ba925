"""Damaged text: what editors, merges and bad disks make of a file."""

from __future__ import annotations

import random
from collections.abc import Sequence

_PIECES = (
    *("{", "}", "(", ")", "[", "]", ";", ",", "<<<", ">>>", "<", ">", "*", "&", "#", "\\\n", '"', "'", "/*", "*/", "//"),
    *("for (;;)", "while (1)", "if (0)", "else", "return", "goto x;", "x:", "switch (n) {", "case 3:", "break;", "continue;"),
    *("int", "double", "void", "struct S {", "union", "enum { A }", "typedef", "static", "const", "restrict", "volatile"),
    *("template <typename T>", "template <int N>", "namespace n {", "class", "auto", "[&]{", "operator+", "using", "this->"),
    *("__global__", "__device__", "__shared__", "threadIdx.x", "blockDim.x", "__syncthreads();", "extern \"C\" {"),
    *("i", "n", "a[i]", "a[a[i]]", "i++", "-1", "1/0", "1%0", "1 << 70", "0x7fffffffffffffffff", "1e999", "nan", "08", "'\\", "?:"),
    *("#include \"self.h\"", "#define f(x) f(f(x))\n", "#if 1\n", "#else\n", "#endif\n", "#pragma omp parallel for\n"),
    *("// ai-estimate: hot\n", "// ai-estimate: assume n=", "\x00", "\x1a", "\xff", "\u2028", "é", "\r", "\t", "\n"),
)


def damaged(text: str, chance: random.Random, pieces: Sequence[str] = _PIECES) -> str:
    """The text after a few random edits."""
    for _ in range(chance.choice((1, 1, 2, 4, 12))):
        place = chance.randrange(len(text) + 1)
        length = chance.choice((0, 1, 1, 3, 20, 200))
        match chance.randrange(5):
            case 0:
                text = text[:place] + text[place + length :]
            case 1:
                text = text[:place] + chance.choice(pieces) + text[place:]
            case 2:
                text = text[:place] + chance.choice(pieces) + text[place + length :]
            case 3:
                other = chance.randrange(len(text) + 1)
                text = text[:place] + text[other : other + length] + text[place:]
            case _:
                text = text[:place] + text[place : place + length] * chance.choice((2, 3, 40)) + text[place + length :]
    return text
