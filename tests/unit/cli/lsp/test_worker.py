from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from cli.lsp.worker import AnalysisFailed, Request, Worker

LOOP = "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 2.0 * a[i]; }\n"


def request(text: str = LOOP, *arguments: str) -> Request:
    return Request("k.c", text, "c", ("--isolated", *arguments), rules=True)


def with_worker(use: Callable[[Worker], Awaitable[None]]) -> None:
    async def run() -> None:
        worker = Worker()
        try:
            await use(worker)
        finally:
            worker.close()
            if worker._process is not None:
                await worker._process.wait()  # within its loop

    asyncio.run(run())


@pytest.mark.slow
def test_one_process_answers_one_after_the_other() -> None:
    async def use(worker: Worker) -> None:
        asked = [worker.analyze(request(LOOP), limit_s=60, is_wanted=lambda: True) for _ in range(3)]
        asked.append(worker.analyze(request("void f("), limit_s=60, is_wanted=lambda: True))
        *found, broken = await asyncio.gather(*asked)
        assert all(insight is not None and len(insight.lenses) == 1 for insight in found)
        assert broken is not None
        assert broken.problems[0].severity == 1

    with_worker(use)


def test_what_is_no_longer_wanted_is_not_analyzed() -> None:
    async def use(worker: Worker) -> None:
        assert await worker.analyze(request(), limit_s=60, is_wanted=lambda: False) is None

    with_worker(use)


def test_an_analysis_that_is_out_of_date_is_ended_and_the_next_one_works() -> None:
    async def use(worker: Worker) -> None:
        running = asyncio.ensure_future(worker.analyze(request(LOOP * 50), limit_s=60, is_wanted=lambda: True))
        await asyncio.sleep(0.1)
        worker.hurry(3600)
        assert not running.done()
        worker.hurry(0)
        with pytest.raises(AnalysisFailed, match="crashed"):
            await running
        found = await worker.analyze(request(), limit_s=60, is_wanted=lambda: True)
        assert found is not None
        assert len(found.lenses) == 1

    with_worker(use)
