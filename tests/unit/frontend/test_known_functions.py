"""The table of known functions: one fact about a name stands in one section, and the program's own functions win."""

import tomllib
from collections import Counter
from importlib import resources

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.known_functions import canonical_name, table
from analyzer.frontend.lower import lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.ir.written.text import nodes_text
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.quantities.quantity import Exactness
from analyzer.source import Language, SourceFile
from tests.lowering import body, codes


def test_a_name_is_in_one_section():
    data = tomllib.loads(resources.files("analyzer.frontend").joinpath("known_functions.toml").read_text("utf-8"))
    sections = {
        name: [*entry.get("names", ()), *entry.get("writing", ())] if {"names", "prefixes"} & entry.keys() else [*entry]
        for name, entry in data.items()
    }
    kinds_of_result, roles = (
        {"integers", "reals"},
        {"releasing", "opening", "transferring", "checking", "forwarding", "timed"},
    )
    besides = kinds_of_result | roles
    counted = Counter(name for section, names in sections.items() if section not in besides for name in names)
    assert [name for name, times in counted.items() if times > 1] == []


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("sqrtf", "sqrt"),
        ("std::abs", "abs"),
        ("labs", "abs"),
        ("MAX", "max"),
        ("__builtin_fabsl", "fabs"),
        ("f", "f"),
        ("__sync_fetch_and_sub_4", "atomicSub"),
        ("__sync_synchronize", "__sync_synchronize"),
    ],
)
def test_canonical_names(name, canonical):
    assert canonical_name(name) == canonical


@pytest.mark.parametrize(
    ("name", "reads"), [("printf", True), ("strlen", True), ("memcmp", True), ("fread", False), ("strtol", False)]
)
def test_functions_that_only_read(name, reads):
    assert table().only_reads(name) is reads


def test_atomic_updates_are_recognized_by_their_names():
    assert [name for name in table().atomics if not name.startswith("atomic")] == []
    assert canonical_name("unsafeAtomicAdd") in table().atomics


def test_macros_that_a_snippet_leaves_out_are_minimum_and_maximum():
    assert body("for (i=0;i<MIN(n,m);i++) a[i] = 0;")[0] == "for i in 0 .. min(m, n)"
    assert codes("for (i=0;i<imax(n,m);i++) a[i] = 0;") == codes("for (i=0;i<max(n,m);i++) a[i] = 0;")


@pytest.mark.parametrize("name", ["exit", "malloc", "printf", "MIN", "atomicAdd", "posix_memalign"])
def test_what_the_program_defines_wins(name):
    text = f"""static void {name}(double *x, int n) {{ for (int i = 0; i < n; i++) x[i] = 2 * x[i]; }}
        void f(double *x, int n) {{ {name}(x, n); for (int i = 0; i < n; i++) x[i] = 0; }}"""
    unit = parse_clang(SourceFile("x.c", text, Language.C), ParseOptions()).unit
    region = next(region for region in lower_unit(unit).regions if region.name == "f")
    assert [line for line in nodes_text(region.body, {}) if "for" in line] == ["for i in 0 .. n", "for i.2 in 0 .. n"]


def test_an_assumed_alignment_is_the_same_pointer():
    text = "void f(int n, double *p) { double *q = __builtin_assume_aligned(p, 8); for (int i=0;i<n;i++) q[i] = p[i]; }"
    assert body(text)[-1].strip() == "p[i] := p[i]"


def test_a_thread_runs_its_function_where_it_is_made():
    text = """#include <pthread.h>
struct part { double *a; int n; int left; pthread_mutex_t lock; };
static void *work(void *given) {
  struct part *p = given;
  for (int i = 0; i < p->n; i++) p->a[i] = 2.0 * p->a[i];
  pthread_mutex_lock(&p->lock);
  __sync_fetch_and_sub(&p->left, 1);
  pthread_mutex_unlock(&p->lock);
  return 0;
}
void run(struct part *p) { pthread_t t; pthread_create(&t, 0, work, p); pthread_join(t, 0); }
"""
    (file,) = analyze(SourceFile("a.c", text, Language.C), AnalysisOptions(functions=("run",)))
    (region,) = file.profile.regions
    assert (str(region.work.flops.estimate), region.work.flops.exactness) == ("p->n", Exactness.EXACT)
    assert region.work.not_counted == ()
