"""Fingerprints and steps, from snippets."""

import pytest

from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile


def nests(text):
    (found,) = analyze(SourceFile("x.c", text, Language.C))
    return [nest.access_patterns for region in found.regions for nest in region.nests]


def fingerprint(text):
    return nests(text)[-1].fingerprint


LOOP = "for (i = 0; i < n; i++) a[i] = b[i] + row[i];"


@pytest.mark.parametrize(
    "text",
    [
        "\n\n" + LOOP,
        LOOP.replace("i++", "++i"),
        "for (k = 0; k < n; k++) a[k] = b[k] + row[k];",
        "for (i = 0; i < m; i++) c[i] = 0; " + LOOP,
        "for (i = 0; i < n; i += 1) { a[i] = b[i] + row[i]; }",
    ],
)
def test_the_same_loop_has_the_same_fingerprint(text):
    assert fingerprint(text) == fingerprint(LOOP)


@pytest.mark.parametrize(
    "text",
    [
        LOOP.replace("] + row", "] - row"),
        LOOP.replace("< n", "< n - 1"),
        LOOP.replace("b[i]", "b[i + 1]"),
        LOOP.replace("b[", "c["),
        LOOP.replace("b[i] +", "2 * b[i] +"),
    ],
)
def test_another_loop_has_another_fingerprint(text):
    assert fingerprint(text) != fingerprint(LOOP)


def test_a_trip_count_that_is_not_known_is_not_told_by_its_line():
    text = "for (i = 0; i < n; i++) for (j = row[i]; j < row[i + 1]; j++) y[i] += v[j];"
    assert fingerprint("\n\n\n" + text) == fingerprint(text)


def test_steps_of_references():
    (traits,) = nests(
        "double a[100][50]; for (i = 0; i < 100; i++) for (j = 0; j < 50; j += 2) a[i][j] = s[j * n] + t[k[j]];"
    )
    steps = {reference.array: [str(step) for step in reference.steps_bytes] for reference in traits.references}
    assert steps == {"a": ["400", "16"], "s": ["0", "16*n"], "t": ["0", "None"], "k": ["0", "8"]}
    assert [str(loop.trip) for loop in traits.references[0].loops] == ["100", "25"]
