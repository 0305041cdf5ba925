"""Files that the analysis of a kernel needs besides its own."""

from __future__ import annotations

from pathlib import Path

from cli.programs import files_beside

KERNEL = "__global__ void axpy(float *x) { x[0] = 1; }\nvoid run(float *x, int n) { axpy<<<n, 1>>>(x); }\n"
MAIN = "void run(float *x, int n);\nint main() { run(0, 64); }\n"


def test_only_kernels_have_files_beside(tmp_path: Path) -> None:
    paths = []
    for name, text in (("k.cu", KERNEL), ("k.cpp", KERNEL.replace("run", "go")), ("main.c", MAIN), ("alone.cu", "")):
        paths.append(str(tmp_path / name))
        Path(paths[-1]).write_text(text)
    kernel, *_, main, _ = paths
    assert files_beside([paths], ()) == {kernel: (kernel, main)}
    assert files_beside([[kernel], [main]], ()) == {}
    assert files_beside([paths], (str(tmp_path / "elsewhere"),)) == {}
