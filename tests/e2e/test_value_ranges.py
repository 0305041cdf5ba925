"""Indices that data give, in the range of their types and operations: what they choose is no more than that."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline import estimate

_COUNT = 1_000_000
_HEAD = (
    "void f(int n, const {type} *k, int *hist, int bins, unsigned m) {{ for (int i = 0; i < n; i++) {{ {body} }} }}\n"
)


@pytest.mark.parametrize(
    ("kind", "body", "bins"),
    [
        ("unsigned char", "hist[k[i]]++;", 256),
        ("signed char", "hist[k[i] + 128]++;", 256),
        ("unsigned short", "unsigned b = k[i]; hist[b]++;", 65536),
        ("unsigned", "hist[k[i] >> 24]++;", 256),
        ("unsigned", "unsigned b = (k[i] >> 8) & 0xff; hist[b]++;", 256),
        ("unsigned", "unsigned h = (k[i] * 2654435761u) >> 20; hist[h]++;", 4096),
        ("unsigned", "unsigned h = k[i]; h ^= h >> 16; h &= 1023; hist[h]++;", 1024),
        ("unsigned", "unsigned h = (k[i] * 2654435761u) % m; hist[h]++;", 2 * 512),
        ("float", "unsigned char b = (unsigned char)(k[i] * 255.0f); hist[b]++;", 256),
        ("float", "int b = (int)(k[i] * 64); if (b < 0) b = 0; if (b > 63) b = 63; hist[b]++;", 64),
        ("float", "int b = (int)(k[i] * 64); b = b < 0 ? 0 : b; b = b >= bins ? bins - 1 : b; hist[b]++;", 64),
    ],
)
def test_an_index_of_short_range_touches_no_more_than_its_range(
    tmp_path: Path, kind: str, body: str, bins: int
) -> None:
    source = tmp_path / "histogram.c"
    source.write_text(_HEAD.format(type=kind, body=body))
    sizes = {"n": _COUNT} | {name: size for name, size in (("bins", 64), ("m", 512)) if name in body}
    (region,) = estimate(str(source), machines="haswell", sizes=sizes).regions
    size = {"unsigned char": 1, "signed char": 1, "unsigned short": 2}.get(kind, 4)
    table = 2 * 4 * bins + 4 * 64  # read and written, in whole lines
    assert size * _COUNT <= region.bytes.quantity.estimate.evaluate({}) <= size * _COUNT + table + 64
    assert region.bytes.quantity.most.evaluate({}) <= size * _COUNT + table + 64


def test_what_was_stored_in_between_is_another_index(tmp_path: Path) -> None:
    source = tmp_path / "moved.c"
    source.write_text(
        "void f(int n, double *x, int *k) {\n"
        "  for (int i = 0; i < n; i++) { x[k[i]] += 1; k[i] = 3 * k[i] % 1000003; x[k[i]] += 2; }\n}\n"
    )
    (region,) = estimate(str(source), machines="haswell", sizes={"n": 1000}).regions
    assert region.bytes.quantity.most.evaluate({}) >= 2 * 1000 * 2 * 64
