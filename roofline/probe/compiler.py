"""Finding a compiler and building the programs in ``kernels`` with it.

Every failure is an ``OptionError`` with the compiler's own words.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

from msgspec import Struct

from analyzer.child_processes import Finished, TooLate, run_to_end
from analyzer.errors import OptionError

C_COMPILERS = ("cc", "gcc", "clang")
CUDA_HOME = "/usr/local/cuda"
_SHOWN_LINES = 12  # of a compiler's complaint
_SECONDS = 300  # after which a compiler is assumed to hang; it needs some 5


class Compiler(Struct, frozen=True):
    """A command that compiles, and the first line of its version."""

    command: tuple[str, ...]
    version: str


class Built(Struct, frozen=True):
    """A program that was built, and the options that took effect."""

    path: Path
    options: tuple[str, ...]


def find_c_compiler(stated: str | None) -> Compiler:
    """Return the compiler stated, else ``$CC``, else cc, gcc or clang; raises ``OptionError`` where there is none."""
    if stated or os.environ.get("CC"):
        text = stated or os.environ["CC"]
        return _usable(shlex.split(text), "--cc" if stated else "CC")
    for name in C_COMPILERS:
        if shutil.which(name):
            return _usable((name,), name)
    raise OptionError(
        f"no C compiler was found: {', '.join(C_COMPILERS)} are not on the path",
        hint="install gcc or clang, or name one with --cc",
    )


def find_cuda_compiler(stated: str | None) -> Compiler:
    """Return the nvcc stated, else that of the path, of ``$CUDA_HOME`` or ``$CUDA_PATH``, or of the usual folder."""
    if stated:
        return _usable(shlex.split(stated), "--cc")
    homes = [os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    candidates = [shutil.which("nvcc"), *(shutil.which(f"{home}/bin/nvcc") for home in (*homes, CUDA_HOME))]
    found = next((path for path in candidates if path), None)
    if found is None:
        raise OptionError(
            f"no CUDA compiler was found: nvcc is not on the path, in $CUDA_HOME or in {CUDA_HOME}",
            hint="install the CUDA toolkit, or name nvcc with --cc",
        )
    return _usable((found,), "nvcc")


def build(
    compiler: Compiler, source: str, folder: Path, wanted: Sequence[str], choices: Sequence[Sequence[str]]
) -> Built:
    """Build ``kernels/<source>``: options ``wanted`` and the first of the ``choices`` that the compiler takes."""
    target = folder / "probe"
    complaint = ""
    with as_file(files(__package__) / "kernels") as kernels:
        for choice in choices:
            options = (*wanted, *choice)
            command = [*compiler.command, *_before_libraries(options), "-o", str(target), str(kernels / source)]
            command += [option for option in options if option.startswith("-l")]
            done = _run(command)
            if done.code == 0 and target.exists():
                return Built(target, options)
            complaint = complaint or _text(done.complaint or done.output).strip()
    excerpt = "\n".join(complaint.splitlines()[:_SHOWN_LINES])
    raise OptionError(
        f"{shlex.join(compiler.command)} cannot compile the benchmarks, nothing was measured; it says:\n{excerpt}",
    )


def _before_libraries(options: Sequence[str]) -> list[str]:
    return [option for option in options if not option.startswith("-l")]


def _usable(command: Sequence[str], origin: str) -> Compiler:
    if not command or shutil.which(command[0]) is None:
        name = command[0] if command else ""
        raise OptionError(f"the compiler {name!r} ({origin}) was not found", hint="name one with --cc")
    done = _run([*command, "--version"])
    lines = [line for line in _text(done.output).splitlines() if line.strip()]
    release = next((line for line in lines if "release" in line), None)
    return Compiler(tuple(command), release or (lines[0] if lines else shlex.join(command)))


def _text(written: bytes) -> str:
    return written.decode("utf-8", "replace")


def _run(command: Sequence[str]) -> Finished:
    try:
        return run_to_end(command, within_s=_SECONDS)
    except OSError as error:
        raise OptionError(f"{command[0]} cannot be run: {error.strerror}", hint="name another with --cc") from error
    except TooLate as error:
        raise OptionError(f"{command[0]} took more than {_SECONDS} s", hint="name another with --cc") from error
