"""The compiler and the disassembler that are found on the machine: CUDA source to listings and resources.

``nvcc`` is searched on the path and below ``/usr/local/cuda``.  ``nvdisasm`` is searched there too, below the packages
of this Python (``pip install nvidia-cuda-nvdisasm`` gives it), and where ``NVDISASM`` says.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from msgspec import Struct

from .listing import Code, codes_of

TOO_LONG_SECONDS = 500
_PACKAGED = "nvidia/*/bin/nvdisasm"
_ENTRY = re.compile(r"Compiling entry function '(\S+)'")
_FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers")


class CompileError(Exception):
    """The compiler refused the source; the text is what it said."""


class Resources(Struct, frozen=True):
    """What ``ptxas`` says of a kernel."""

    registers: int
    stack_bytes: int
    spill_stores_bytes: int
    spill_loads_bytes: int


class Compiled(Struct, frozen=True):
    """The code of the kernels of a file, by linkage name, and what they need."""

    codes: dict[str, Code]
    resources: dict[str, Resources]


class Toolchain(Struct, frozen=True):
    """Paths of both programs."""

    nvcc: str
    nvdisasm: str

    def version(self) -> str:
        """Return the compiler's version, as ``13.0.88``."""
        said = subprocess.run([self.nvcc, "--version"], capture_output=True, text=True, check=True).stdout
        found = re.search(r"V(\d+\.\d+\.\d+)", said)
        return found.group(1) if found else "unknown"

    def compiled(self, path: Path, arch: str, flags: tuple[str, ...] = ()) -> Compiled:
        """Compile a file for one architecture (``sm_86``); raise ``CompileError``."""
        with tempfile.TemporaryDirectory() as folder:
            cubin = Path(folder) / "x.cubin"
            command = [self.nvcc, "-cubin", f"-arch={arch}", "-Xptxas=-v", "-o", str(cubin), *flags, str(path)]
            made = subprocess.run(command, capture_output=True, text=True, timeout=TOO_LONG_SECONDS, check=False)
            if made.returncode or not cubin.exists():
                raise CompileError(made.stderr)
            listing = subprocess.run(
                [self.nvdisasm, str(cubin)], capture_output=True, text=True, timeout=TOO_LONG_SECONDS, check=True
            ).stdout
        return Compiled(codes_of(listing, arch), _resources(made.stderr))

    def compiled_text(self, text: str, arch: str, flags: tuple[str, ...] = ()) -> Compiled:
        """Compile a text as a ``.cu`` file."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.cu"
            path.write_text(text)
            return self.compiled(path, arch, flags)


@cache
def toolchain() -> Toolchain | None:
    """Return both programs, or None where one is missing."""
    nvcc = shutil.which("nvcc") or _first(["/usr/local/cuda/bin/nvcc"])
    packaged = [str(found) for folder in sys.path for found in Path(folder or ".").glob(_PACKAGED)]
    given = [os.environ["NVDISASM"]] if "NVDISASM" in os.environ else []
    nvdisasm = _first(given) or shutil.which("nvdisasm") or _first(["/usr/local/cuda/bin/nvdisasm", *packaged])
    return Toolchain(nvcc, nvdisasm) if nvcc and nvdisasm else None


MISSING = "needs nvcc and nvdisasm (pip install nvidia-cuda-nvdisasm, or NVDISASM=PATH)"


def _first(paths: list[str]) -> str | None:
    return next((path for path in paths if os.access(path, os.X_OK)), None)


def _resources(said: str) -> dict[str, Resources]:
    """Read what ``-Xptxas -v`` says."""
    found: dict[str, Resources] = {}
    name, frame = "", (0, 0, 0)
    for line in said.splitlines():
        if match := _ENTRY.search(line):
            name, frame = match.group(1), (0, 0, 0)
        elif match := _FRAME.search(line):
            frame = (int(match.group(1)), int(match.group(2)), int(match.group(3)))
        elif (match := _USED.search(line)) and name:
            found[name] = Resources(int(match.group(1)), *frame)
    return found
