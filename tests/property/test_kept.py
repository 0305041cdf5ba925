"""Kept results, damaged: a sample of what ``python -m tests.fuzz.kept`` does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from ..fuzz.kept import WITHOUT_KEY, Cache, Case, read, run

CASES = (
    Case("corpus/stencil7/kernel.c", ("--machine", "haswell"), ("json",)),
    Case("corpus/cuda_saxpy/kernel.cu", (), ("table",)),
    Case("diagnosed.c", ("check", "--exit-zero"), ("text",)),
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cache]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AI_ESTIMATE_CACHE_DIR", "")  # set back at the end
        yield Cache(tmp_path_factory.mktemp("kept"), CASES)


@pytest.mark.parametrize("kind", WITHOUT_KEY)
def test_nothing_is_believed_without_the_key(cache: Cache, kind: str) -> None:
    for verdict in run(cache, 2, 5, kind):
        assert (verdict.trouble, verdict.outcome) == ("", "missing")


def test_with_the_key_any_report_is_valid(cache: Cache) -> None:
    verdicts = list(run(cache, 16, 6, "sealed again"))
    assert [verdict.trouble for verdict in verdicts if verdict.trouble] == []
    assert len({verdict.outcome for verdict in verdicts}) > 1


def test_the_decoder_takes_any_edit(cache: Cache) -> None:
    verdicts = list(read(cache, 300, 7))
    assert [verdict.trouble for verdict in verdicts if verdict.trouble] == []
    assert min(Counter(verdict.outcome for verdict in verdicts).values()) > 20
