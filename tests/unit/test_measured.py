"""The timed loops: the lesser of two times, and the loop that llvm-mca and OSACA get from the assembly."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.measured import least_of
from tests.bench.measured_analyzers import chosen_block
from tests.bench.measured_loops import TEMPLATES, Loop
from tests.bench.measured_runs import Build

_ASSEMBLY = r"""
.L3:
	vmovsd	(%rsi,%rax,8), %xmm0
	addq	$1, %rax
	jne	.L3
.L4:
	vmovupd	(%rsi,%rax), %ymm0
	vmovupd	%ymm0, (%rdi,%rax)
	addq	$32, %rax
	cmpq	%rax, %rdx
	jne	.L4
	ret
"""


def test_the_lesser_of_two_times_counts() -> None:
    one = {"times": {"gcc": {"a": 2.0, "b": 1.0}}, "targets": []}
    other = {"times": {"gcc": {"a": 1.0}}}
    assert least_of(one, other)["times"] == {"gcc": {"a": 1.0, "b": 1.0}}


def test_the_loop_with_the_widest_vectors_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "subprocess.run", lambda command, **_: Path(command[command.index("-o") + 1]).write_text(_ASSEMBLY)
    )
    block = chosen_block(Build("gcc", ("gcc",)), Loop(TEMPLATES[0], "L1", 100), tmp_path)
    assert block is not None
    assert (block.width, block.step_bytes, len(block.lines)) == (32, 32, 6)
