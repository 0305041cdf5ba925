"""Values carry kinds, names and numbers, and never a sentence: only the catalog of messages and renderers write text.

Two nets: by the names of fields, over all types of the analysis, the models and the rules; and by what is in them, over
all values of reports and checks of sources with much to say.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import typing
from collections.abc import Iterator, Mapping
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct, structs

import analyzer
import roofline.model
import roofline.rules
from analyzer.diagnostics import CodeInfo, Diagnostic, Phrase
from analyzer.source import SourceFile, Span
from roofline import estimate, source_text
from roofline.rules.checking import CheckSettings, check

PACKAGES = (analyzer, roofline.model, roofline.rules)
PROSE = re.compile(
    r"(?:^|_)(?:text|message|sentence|hint|reason|why|what|note|remark|assumption|detail|because|warning|title)s?$"
)
SOURCE = "source text, or a formula in its terms"
EXEMPT = {
    "analyzer.access_patterns.Reference.text": SOURCE,
    "analyzer.frontend.fragment.prepare.Prepared.text": SOURCE,
    "analyzer.frontend.host.values.Strings.texts": SOURCE,
    "analyzer.frontend.options.Supplied.texts": SOURCE,
    "analyzer.frontend.text.includes.Name.text": SOURCE,
    "analyzer.frontend.text.lexical.Token.text": SOURCE,
    "analyzer.frontend.surface.nodes.Text.text": SOURCE,
    "analyzer.frontend.surface.nodes.UnknownT.text": SOURCE,
    "analyzer.ir.nodes.DataDependent.text": SOURCE,
    "analyzer.ir.flags.Flag.texts": SOURCE,
    "analyzer.ir.passes.stated_trips.StatedTrip.text": SOURCE,
    "analyzer.profile.FileProfile.ir_text": SOURCE,
    "analyzer.profile.FileProfile.source_text": SOURCE,
    "analyzer.profile.LoopInfo.trip_text": SOURCE,
    "analyzer.source.SourceFile.text": SOURCE,
    "analyzer.traffic.program.program.Irregular.text": SOURCE,
    "analyzer.traffic.program.program.Reference.text": SOURCE,
    "analyzer.traffic.program.program.Test.text": SOURCE,
    "analyzer.traffic.results.Request.text": SOURCE,
    "analyzer.counts.policy.FlopPolicy.title": "the title of a policy in its data file",
    "analyzer.frontend.clang.unit.Message.text": "the compiler's own words",
    "analyzer.frontend.confinement.Unseen.reason": "the operating system's own words",
}
SENTENCE = re.compile(r"\b[a-z]{2,} (?:[a-z]{2,} )+[a-z]{2,}\b")


def types() -> Iterator[type[Struct]]:
    """Yield every type of value of the packages, apart from the catalog's own."""
    for package in PACKAGES:
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(found.name)
            for item in vars(module).values():
                if isinstance(item, type) and issubclass(item, Struct) and item.__module__ == module.__name__:
                    yield item


TYPES = [found for found in dict.fromkeys(types()) if found is not CodeInfo]


def holds_text(annotation: object) -> bool:
    """Return whether a value of this type is a text, or a collection of texts."""
    return annotation is str or any(map(holds_text, typing.get_args(annotation)))


def prose_in(kind: type[Struct]) -> list[str]:
    """Return the fields of a type that are named as prose is, and are texts."""
    name = f"{kind.__module__}.{kind.__qualname__}"
    suspects = [field for field in kind.__struct_fields__ if PROSE.search(field)]
    hints = typing.get_type_hints(kind) if suspects else {}
    return [f"{name}.{field}" for field in suspects if holds_text(hints[field])]


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: f"{kind.__module__}.{kind.__qualname__}")
def test_no_field_is_prose(kind: type[Struct]) -> None:
    assert [field for field in prose_in(kind) if field not in EXEMPT] == []


def test_every_exemption_is_needed() -> None:
    assert {field for kind in TYPES for field in prose_in(kind)} >= EXEMPT.keys()


class Excuse(Struct):
    reason: str
    lines: int


def test_a_field_with_prose_is_found() -> None:
    assert [field.rpartition(".")[2] for field in prose_in(Excuse)] == ["reason"]


def sentences(value: Any, path: str, seen: set[int]) -> Iterator[tuple[str, str]]:
    """Yield the texts within a value that read like a sentence, with the fields that hold them."""
    if isinstance(value, str):
        if SENTENCE.search(value) and path not in EXEMPT:
            yield path, value
        return
    if isinstance(value, (int, float, Enum, Path, Span, SourceFile)) or id(value) in seen:
        return
    if isinstance(value, Diagnostic) and value.form == "compiler":
        return  # its own words
    seen.add(id(value))
    if isinstance(value, Struct) and isinstance(value, tuple(TYPES)):
        for field, inner in structs.asdict(value).items():
            yield from sentences(inner, f"{type(value).__module__}.{type(value).__qualname__}.{field}", seen)
    elif isinstance(value, Struct):
        for field, inner in structs.asdict(value).items():
            yield from sentences(inner, f"{type(value).__qualname__}.{field}", seen)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from sentences(key, path, seen)
            yield from sentences(inner, path, seen)
    elif isinstance(value, (tuple, list)):
        for inner in value:
            yield from sentences(inner, path, seen)


HOST = """
// ai-estimate: min-ai=1, ignore[AI112]
int main(int argc, char **argv) {
  int n = atoi(argv[1]), *map = (int *)malloc(n * sizeof(int)); double *x = make(n), s = 0;
  for (int i = 0; i < n; i++) { if (x[i] > 0) s += x[map[i]] / x[0]; if (s > 9) break; use(x[i]); }
  for (int j = 0; j < n; j++) for (int i = 1; i < n; i++) x[i * n + j] = x[(i - 1) * n + j] + 2.0;
  __asm__("nop"); while (s > 1) s /= 2; do { s *= 2; } while (s < n); goto out;
  out: return f(s);
}
"""
KERNEL = """
__global__ void k(int n, float *x, const int *map) {
  __shared__ float t[32][32]; int i = threadIdx.x + blockIdx.x * blockDim.x;
  t[threadIdx.x][0] = x[map[i] * n]; __syncthreads(); if (i < n) x[i * n] = 2.0 * t[0][threadIdx.x];
}
int main(int argc, char **argv) {
  int n = rand(); float *x; int *m; FILE *f = fopen(argv[1], "r"); int g; fscanf(f, "%d", &g);
  for (int s = 0; s < g; s++) k<<<g, n>>>(n, x, m);
}
"""


def values_of(text: str, name: str, machine: str, **options: Any) -> Iterator[Any]:
    """Yield the profiles, the rows and the findings of a text."""
    report = estimate(source_text(text, name), machine, advise=True, **options)
    yield from ((file.profile, file.regions) for file in report.files)
    yield check(report, CheckSettings(hot_min_ai=Fraction(1))).outcome


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "name", "machine", "options"),
    [
        (HOST, "a.c", "haswell", {}),
        (HOST, "a.cpp", "haswell", {}),
        (HOST, "a.c", "haswell,v100", {"sizes": {"n": 1000}, "verify": True}),
        (HOST, "a.c", "haswell", {"budget_s": 0.0001}),
        (KERNEL, "a.cu", "v100", {}),
        (KERNEL, "a.cu", "v100", {"launches": ("k:grid=64,block=256",)}),
        ("for (i = 0; i < n; i++ a[i] = b[i];", "a.c", "", {}),
    ],
)
def test_no_value_holds_a_sentence(text: str, name: str, machine: str, options: dict[str, Any]) -> None:
    found = sentences(list(values_of(text, name, machine, **options)), "", set())
    assert [(field, text) for field, text in found if field.startswith(("analyzer.", "roofline.rules."))] == []


def test_a_sentence_in_a_value_is_found() -> None:
    why = Phrase.of("AI212", "text", name="which is not a name at all")
    assert [text for _, text in sentences(why, "", set())] == ["which is not a name at all"]
