"""Damaged text: what editors, merges and bad disks make of a file."""

from __future__ import annotations

import random

_TOKENS = r"""
{ } ( ) [ ] ; , <<< >>> < > * & # " ' /* */ // ?: -1 1/0 1%0 1<<70 0x7fffffffffffffffff 1e999 08 i n a[i] a[a[i]] i++
for(;;) while(1) if(0) else return break; continue; x: case auto [&]{ operator+ using this-> union typedef static const
int double void restrict volatile class __global__ __device__ __shared__ threadIdx.x blockDim.x __syncthreads();
"""
_LINES = (
    *('#include "self.h"\n', "#define f(x) f(f(x))\n", "#if 1\n", "#else\n", "#endif\n", "#pragma omp parallel for\n"),
    *("// ai-estimate: hot\n", "// ai-estimate: assume n=", "template <typename T> ", "template <int N> ", "goto x; "),
    *("switch (n) { case 3: ", "struct S { ", "enum { A } ", "namespace n { ", 'extern "C" { ', "\\\n", "'\\"),
    *("\x00", "\x1a", "\xff", "\u2028", "é", "\r", "\t", "\n"),
)
_PIECES = (*_TOKENS.split(), *_LINES)


def damaged(text: str, chance: random.Random) -> str:
    """The text after a few random edits: pieces cut out, put in, written over, moved, repeated."""
    for _ in range(chance.choice((1, 1, 2, 4, 12))):
        place, other = chance.randrange(len(text) + 1), chance.randrange(len(text) + 1)
        length = chance.choice((0, 1, 1, 3, 20, 200))
        before, cut, after = text[:place], text[place : place + length], text[place + length :]
        match chance.randrange(5):
            case 0:
                text = before + after
            case 1:
                text = before + chance.choice(_PIECES) + cut + after
            case 2:
                text = before + chance.choice(_PIECES) + after
            case 3:
                text = before + text[other : other + length] + cut + after
            case _:
                text = before + cut * chance.choice((2, 3, 40)) + after
    return text
