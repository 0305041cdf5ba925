"""Explicit instantiations of function templates, which libclang's tree does not show.

``template int run<float>(float *x, int n);`` becomes, on the same line, a pointer to that instance, which the tree
does show; the instance is then lowered like any function that is named.  Those of classes are in the tree as they are.
"""

from __future__ import annotations

import re

_INSTANTIATION = re.compile(
    r"^(?P<lead>[ \t]*(?:extern[ \t]+)?)template\s+(?!<|class\b|struct\b|union\b)"
    r"(?P<result>[^;{}()]*?[\s*&>])(?P<name>[A-Za-z_][\w:]*(?:\s*<[^;{}()]*>)?)\s*\((?P<parameters>[^;{}]*)\)\s*;",
    re.MULTILINE,
)
_ATTRIBUTE = re.compile(r"\b(?:__global__|__host__|__device__|__launch_bounds__\s*\([^)]*\)|inline|static)\s*")
PREFIX = "ai_instance_"


def with_instances(text: str) -> str:
    """Return the text with a pointer in place of every explicit instantiation of a function template.

    >>> with_instances("template int run<float>(float *x, int n);")
    'static int (*const ai_instance_0)(float *x, int n) = run<float>;'
    """
    if "template" not in text:
        return text
    count = 0

    def pointer(found: re.Match[str]) -> str:
        nonlocal count
        name = found["name"]
        if "::" in name or "extern" in found["lead"] or "operator" in name:
            return found[0]
        result = _ATTRIBUTE.sub("", found["result"]).strip()
        number, count = count, count + 1
        lines = "\n" * (found[0].count("\n") - result.count("\n") - name.count("\n") - found["parameters"].count("\n"))
        return f"{found['lead']}static {result} (*const {PREFIX}{number})({found['parameters']}) = {name};{lines}"

    return _INSTANTIATION.sub(pointer, text)
