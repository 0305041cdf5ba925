import signal
import tempfile
from pathlib import Path

import pytest

from analyzer.frontend.clang.reading import compiled_prelude, confined_files
from analyzer.frontend.clang.reading.compiled_prelude import Preludes
from analyzer.frontend.clang.reading.parse import arguments_of, parse_clang
from analyzer.frontend.options import ParseOptions
from analyzer.source import Language, SourceFile

OPTIONS = ParseOptions()
PRELUDE = str(Path(compiled_prelude.__file__).parents[2] / "headers" / "cuda" / "ai_prelude.h")
SOURCE = SourceFile(
    "k.cu",
    """\
template <class T> __global__ void scale(T *a, int n) { for (int i = 0; i < n; i++) a[i] *= T(2); }
template <> __global__ void scale<int>(int *a, int n) { for (int i = 0; i < n; i++) a[i] <<= 1; }
template <class T> struct Pair { T x, y; __device__ T sum() const { return x + y; } };
template struct Pair<short>;
__device__ double twice(double x) { return Pair<double>{x, x}.sum() + fabs(x) + min(1, 2); }
void host(float *a, int *b, int n) { scale<<<1, 32>>>(a, n); scale<<<1, 32>>>(b, n); }
""",
    Language.CUDA,
)

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(), reason="only there a file without a name has a path"
)


def test_the_third_file_with_equal_arguments_takes_the_compiled_prelude() -> None:
    arguments, preludes = arguments_of(SOURCE, OPTIONS), Preludes()
    found = [preludes.compiled(arguments, PRELUDE) for _ in range(4)]
    assert found[:2] == [None, None]
    assert found[2] is not None
    assert found[2] == found[3]
    assert {PRELUDE in arguments, PRELUDE in found[2]} == {True, False}
    assert preludes.compiled((*arguments, "-DN=1"), PRELUDE) is None


def test_an_interrupt_is_still_that_of_python() -> None:
    arguments, preludes = arguments_of(SOURCE, OPTIONS), Preludes()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background process ignores interrupts
    try:
        assert [preludes.compiled(arguments, PRELUDE) for _ in range(3)][2] is not None
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_tree_is_the_same_from_text_and_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confined_files, "preludes", Preludes())
    trees = [parse_clang(SOURCE, OPTIONS) for _ in range(3)]
    assert repr(trees[2]) == repr(trees[0])
    assert {function.name for function in trees[2].unit.functions.values()} >= {"scale<int>", "scale<float>", "twice"}


def test_what_is_read_behind_the_prelude_needs_no_other_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confined_files, "preludes", Preludes())
    text = "__global__ void k(real *a, int n) { for (int i = 0; i < n; i++) a[i] *= WIDTH; }"  # names to be guessed
    trees = [parse_clang(SourceFile("k.cu", text, Language.CUDA), OPTIONS) for _ in range(3)]
    assert repr(trees[2]) == repr(trees[0])
    assert trees[2].diagnostics
    words = ("-Xclang", "-include", "-Xclang", "more.h", "-iquote", "folder", "-idirafter", "folder")
    arguments, preludes = arguments_of(SOURCE, OPTIONS), Preludes()
    start = arguments.index(PRELUDE) + 1
    found = [preludes.compiled((*arguments[:start], *words, *arguments[start:]), PRELUDE) for _ in range(3)][2]
    assert found is not None
    assert found[-len(words) :] == words
    assert preludes.compiled(arguments, PRELUDE) == found[: -len(words)]


def test_a_prelude_that_macros_break_is_not_compiled() -> None:
    arguments, preludes = arguments_of(SOURCE, ParseOptions(defines={"size_t": "7"})), Preludes()
    assert [preludes.compiled(arguments, PRELUDE) for _ in range(4)] == [None] * 4


def test_without_a_folder_for_it_the_text_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "TemporaryDirectory", _no_folder)
    arguments, preludes = arguments_of(SOURCE, OPTIONS), Preludes()
    assert [preludes.compiled(arguments, PRELUDE) for _ in range(4)] == [None] * 4


def test_a_compiled_prelude_that_is_lost_is_replaced_by_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    preludes = Preludes()
    monkeypatch.setattr(
        preludes, "compiled", lambda arguments, _: (*arguments, "-Xclang", "-include-pch", "-Xclang", "/")
    )
    monkeypatch.setattr(confined_files, "preludes", preludes)
    parsed = parse_clang(SOURCE, OPTIONS)
    assert not parsed.diagnostics
    assert len(parsed.unit.functions) >= 5


def _no_folder(prefix: str) -> None:
    raise OSError(prefix)
