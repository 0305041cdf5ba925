"""Checkpoints: what ends a process costs the part in which that happens, and what was done before is not done again."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from analyzer.limits.hard_limit import Account, Overrun, cause_of, cpu_seconds, hard_limit
from cli.run.isolated_worker import can_fork, in_children

pytestmark = pytest.mark.skipif(not can_fork(), reason="no such children here")


def spin(seconds: float) -> None:
    end = cpu_seconds() + seconds
    while cpu_seconds() < end:
        pass


def parts(job: str) -> str:
    """Four parts of 0.6 s; those that the job names end the process; how often the first was done is reported."""
    done = []
    for part in ("one", "two", "three", "four"):
        try:
            with hard_limit(0, part):
                if part in job:
                    os.kill(os.getpid(), signal.SIGSEGV)
                spin(0.6)
                done.append(f"{part} {os.getpid()}" if part == "one" else part)
        except Overrun as error:
            done.append(f"no {part}: {cause_of(error).value}")
    return ", ".join(done) + f"; {Account(10, 0.0).left(1):.1f}"


def outcomes(*jobs: str) -> list[str]:
    return list(in_children(jobs, parts, lambda job, why: f"{job}: {why.value}", 2**16))


CRASH = "crash"


@pytest.mark.slow
def test_only_the_part_is_lost_and_nothing_is_done_twice(tmp_path: Path):
    log = tmp_path / "begun"

    def logged(job: str) -> str:
        done = []
        for part in ("one", "two", "three", "four"):
            try:
                with hard_limit(0, part):
                    with log.open("a") as stream:
                        stream.write(f"{part} ")
                    if part in job:
                        os.kill(os.getpid(), signal.SIGSEGV)
                    spin(0.6)
                    done.append(part)
            except Overrun as error:
                done.append(f"no {part}: {cause_of(error).value}")
        return ", ".join(done)

    plenty_mib = 2**16  # this process may have grown too large to be copied by now
    (found,) = in_children(["three four"], logged, lambda job, why: f"{job}: {why.value}", plenty_mib)
    assert found == f"one, two, no three: {CRASH}, no four: {CRASH}"
    assert log.read_text().split() == ["one", "two", "three", "four"]


@pytest.mark.slow
def test_jobs_go_on_behind_one_that_was_finished_elsewhere():
    first, second, third = outcomes("", "two", "")
    assert all("two, three, four" in found for found in (first, third))
    assert f"no two: {CRASH}, three, four" in second


@pytest.mark.slow
def test_the_time_of_processes_that_ended_is_that_of_the_job():
    (found,) = outcomes("three")
    assert float(found.rpartition("; ")[2]) < 8.5  # of 10 s, 1.8 s were spent, and what the processes cost


@pytest.mark.slow
def test_a_process_with_much_memory_makes_no_copy_of_itself():
    def large(job: str) -> str:
        with hard_limit(0, "one"):
            spin(0.6)
        held = bytearray(600 * 2**20)
        before = os.getpid()
        with hard_limit(0, "two"):
            return f"{before == os.getpid()} {len(held) >> 20}"

    assert list(in_children(["a"], large, lambda job, why: why.value, 4096)) == ["True 600"]


@pytest.mark.slow
def test_the_limit_around_holds_in_a_process_that_goes_on_from_a_checkpoint():
    """A child has none of the timers of its parent: a file once went on for ever in one."""

    def endless(job: str) -> str:
        try:
            with hard_limit(1.0):
                with hard_limit(0, "one"):
                    spin(0.6)
                with hard_limit(0, "two"):
                    pass
                while True:  # in user time, which that limit counts
                    pass
        except Overrun:
            return "ended"

    (found,) = in_children(["a"], endless, lambda job, why: why.value, 4096)
    assert found in ("ended", "process-time")
