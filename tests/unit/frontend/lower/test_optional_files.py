"""Files that a program can do without are assumed to be missing, in a run as in the counts."""

import pytest

from tests.rows import file_report

TEXT = """
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  int n;
  double x[4096];
  FILE *file;
  BODY
  for (int i = 0; i < n; i++) x[i] *= 2;
  printf("%g", x[7]);
  return 0;
}
"""
READ = 'fscanf(file, "%d", &n);'
OPEN = 'file = fopen("n.txt", "r");'


def noted(body: str) -> tuple[int | None, list[str]]:
    """Return the FLOPs, one for each element, and the files that are assumed to be missing."""
    (region,) = file_report(TEXT.replace("BODY", body), "x.c").regions
    notes = [note.subject for note in region.profile.assumptions if note.code == "AI328"]
    count = region.profile.work.flops.estimate
    return (None if count.symbols else count.evaluate({})), notes


@pytest.mark.parametrize(
    "body",
    [
        f'if ((file = fopen("n.txt", "r")) != NULL) {{ {READ} }} else {{ n = 100; }}',
        f'if ((file = fopen("n.txt", "rb"))) {READ} else n = 100;',
        f"{OPEN} if (file == NULL) {{ n = 100; }} else {{ {READ} if (n < 0) exit(1); }}",
        f"{OPEN} if (!file) n = 100; if (file) {{ {READ} fclose(file); }}",
        f'if (!(file = fopen("n.txt", "r"))) {{ puts("none"); n = 100; }} else {READ}',
    ],
)
def test_values_are_those_without_the_file(body: str) -> None:
    """A run without ``n.txt`` multiplies 100 elements."""
    assert noted(body) == (100, ["n.txt"])


@pytest.mark.parametrize(
    "body",
    [
        f"{OPEN} if (!file) {{ n = 100; exit(1); }} {READ}",
        f"{OPEN} if (!file) {{ n = 0; return 1; }} {READ}",
        f'{OPEN} if (!file) perror("n.txt"); {READ}',
        f"n = 100; {OPEN} if (file) {{ {READ} }}",
        f"{OPEN} {READ}",
        f'file = fopen(getenv("N"), "r"); if (!file) n = 100; else {{ {READ} }}',
    ],
)
def test_a_file_that_is_needed_or_named_from_outside_is_there(body: str) -> None:
    """The number that it holds is not known."""
    assert noted(body) == (None, [])


def test_a_file_to_write_is_made() -> None:
    body = 'n = 10; file = fopen("n.txt", "w"); if (file) { n = 20; } else { n = 100; }'
    assert noted(body) == (20, [])
