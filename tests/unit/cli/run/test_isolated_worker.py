"""Jobs in a child that may end with any of them."""

from __future__ import annotations

import os
import resource
import signal
import time
from contextlib import suppress

import pytest

from analyzer.limits.hard_limit import Overrun, cause_of, hard_limit
from cli.run.isolated_worker import can_fork, in_children

pytestmark = pytest.mark.skipif(not can_fork(), reason="no such children here")


def run(job: str) -> str:
    match job:
        case "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "leave":
            os._exit(0)
        case "memory":
            return str(len(bytearray(10**12)))
        case "library":
            signal.setitimer(signal.ITIMER_PROF, 0.01)
            while True:
                pass
        case "complaint":
            os.write(2, b"Stack dump:")
        case "limit":
            return str(resource.getrlimit(resource.RLIMIT_AS)[0] >> 20)
        case "stack":
            return deep(job)
    return f"{job} done"


def deep(job: str) -> str:
    return deep(job)


def outcomes(*jobs: str) -> list[str]:
    return list(in_children(jobs, run, lambda job, why: f"{job}: {why.value}", 4096))


def test_what_a_library_says_of_itself_is_not_shown(capfd):
    assert outcomes("complaint") == ["complaint done"]
    assert capfd.readouterr().err == ""


def test_a_child_has_three_quarters_of_the_memory():
    assert outcomes("limit") == ["3072"]


def test_a_job_that_ends_its_process_costs_only_itself():
    assert outcomes("a", "crash", "b", "leave", "c") == [
        "a done",
        "crash: crash",
        "b done",
        "leave: lost",
        "c done",
    ]


def test_memory_and_time_are_told():
    assert outcomes("memory", "library", "a") == [
        "memory: process-memory",
        "library: process-time",
        "a done",
    ]


def test_more_jobs_than_one_child_runs():
    assert outcomes(*map(str, range(300))) == [f"{k} done" for k in range(300)]


def place(job: str) -> int:
    return os.getpid() if job == "a" else int(time.sleep(1000) or 0)


def test_a_child_does_not_outlive_its_reader():
    answers = in_children(["a", "b"], place, lambda job, why: 0, 4096)
    child = next(answers)
    began = time.monotonic()
    answers.close()
    assert time.monotonic() - began < 100
    with pytest.raises(ChildProcessError):
        os.waitpid(child, os.WNOHANG)


def parts(job: str) -> str:
    """Three parts of a job, of which the second ends its process; what is given up is told."""
    told = []
    for part in ("one", "two", "three"):
        try:
            with hard_limit(0, part):
                if part in job:
                    os._exit(1)
                told.append(part)
        except Overrun as error:
            told.append(f"no {part}: {cause_of(error).value}")
    if "between" in job:
        os._exit(1)
    return ", ".join(told)


def test_only_the_part_that_ends_the_process_is_lost():
    found = list(in_children(["a", "two", "b", "one three"], parts, lambda job, why: f"{job}: {why.value}", 4096))
    crash = "lost"
    assert found == [
        "one, two, three",
        f"one, no two: {crash}, three",
        "one, two, three",
        f"no one: {crash}, two, no three: {crash}",
    ]


def test_a_process_that_ends_between_parts_is_not_tried_again():
    (found,) = in_children(["between"], parts, lambda job, why: f"{job}: {why.value}", 4096)
    assert found == "between: lost"


def always(_job: str) -> str:
    for number in range(1000):
        with suppress(Overrun), hard_limit(0, str(number)):
            os._exit(1)
    return "done"


def test_a_job_that_ends_every_time_is_given_up():
    (found,) = in_children(["a"], always, lambda job, why: f"{job}: {why.value}", 4096)
    assert found == "a: lost"
