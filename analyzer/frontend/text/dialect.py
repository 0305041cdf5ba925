"""Language of a text by its words: C, C++ or CUDA, by a scan for constructs that C does not have."""

from __future__ import annotations

import re

from ...source import Language

_CUDA = re.compile(r"\b(?:__global__|__device__|__shared__|__launch_bounds__|threadIdx|blockIdx|blockDim)\b|<<<")
_CXX = re.compile(
    r"::|\btemplate\s*<|\b(?:namespace|nullptr|constexpr|operator|typename|decltype|mutable|explicit|using)\b"
    r"|\b(?:static|reinterpret|const|dynamic)_cast\s*<|\bclass\s+[A-Za-z_]|\b(?:public|private|protected)\s*:"
    r"|\[[&=]\]\s*[({]|\bauto\s*[&*]|\bfor\s*\([^;()]*:[^;]*\)|\bnew\s+[A-Za-z_]|\bdelete\s*\[",
)
_ORDER = (Language.C, Language.CXX, Language.CUDA)


def dialect_of(text: str, declared: Language = Language.C) -> Language:
    """Return the declared language, or C++ or CUDA if the text uses their syntax. Expects text without comments.

    >>> dialect_of("__global__ void f(float *x) { x[threadIdx.x] = 0; }").value
    'cuda'
    """
    spoken = Language.CUDA if _CUDA.search(text) else Language.CXX if _CXX.search(text) else Language.C
    return max(declared, spoken, key=_ORDER.index)
