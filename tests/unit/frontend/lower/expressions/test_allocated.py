"""Memory that C allocates, against hand counts: one structure is an object, and what a loop keeps is elsewhere."""

import pytest

from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

TYPES = """
#include <stdlib.h>
typedef struct { int rows, cols; double *data; } Matrix;
typedef struct node { double value; struct node *next; } Node;
static Matrix *made(int rows, int cols) {
  Matrix *m = malloc(sizeof *m);
  m->rows = rows; m->cols = cols; m->data = calloc((size_t)rows * cols, sizeof(double));
  return m;
}
static double get(const Matrix *m, int i, int j) { return m->data[i * m->cols + j]; }
"""


def region(body):
    source = SourceFile("x.c", f"{TYPES} double run(int n, int m) {{ {body} }}", Language.C)
    (found,) = (region for region in analyze(source)[0].regions if region.function == "run")
    return found


def test_a_structure_that_is_allocated_holds_its_sizes():
    """A product of 6 by 4 with 4 by 5: two FLOPs a step, three matrices and nothing else."""
    found = region("""Matrix *a = made(6, 4), *b = made(4, 5), *c = made(6, 5);
      for (int i = 0; i < a->rows; i++) for (int j = 0; j < b->cols; j++) {
        double s = 0;
        for (int k = 0; k < a->cols; k++) s += get(a, i, k) * get(b, k, j);
        c->data[i * c->cols + j] = s;
      }
      return get(c, 1, 1);""")
    flops, touched = found.work.flops, found.footprint.touched.bytes
    assert flops.is_exact
    assert touched.is_exact
    assert (flops.estimate.evaluate({}), touched.estimate.evaluate({})) == (240, 8 * (24 + 20 + 30))


@pytest.mark.parametrize(
    ("body", "is_known"),
    [
        ("for (int k = 0; k < n; k++) { double *t = malloc(m * 8); t[0] = k; free(t); } return 0;", True),
        ("double *t = malloc(m * 8); for (int k = 0; k < m; k++) t[k] = k; return t[0];", True),
        (
            "Node *h = 0; for (int k = 0; k < n; k++) { Node *q = malloc(sizeof *q); q->next = h; h = q; } return 0;",
            False,
        ),
    ],
)
def test_memory_that_a_loop_keeps_is_elsewhere_each_time(body, is_known):
    assert (region(body).footprint.written.bytes.upper is not None) is is_known


def gathered(declaration):
    loop = "for (int i = 0; i < n; i++) s += p[k[i]];"
    text = f"#include <cstdlib>\n{declaration} double f(const int *k, int n) {{ double s = 0; {loop} return s; }}"
    (found,) = analyze(SourceFile("x.cpp", text, Language.CXX))[0].regions
    (elements,) = (array.touched.elements for array in found.footprint.arrays if array.array == "p")
    return elements.estimate.evaluate({"n": 5000})


def test_a_global_pointer_has_what_its_initialiser_allocates():
    """Gathers reach 102 elements; where a function sets the pointer again, there is no such limit."""
    made = "static double (*p) = (double *)malloc(sizeof(double) * 102);"
    assert gathered(made) == gathered("static double *const p = new double[102];") == 102
    assert gathered(f"{made} void g() {{ p = new double[5000]; }}") == 5000
