"""Files of ``--values``."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.errors import OptionError
from cli.options import analyze_options
from cli.parser import analyze_parser
from cli.values import read_values

LINES = """# sizes of the run
n = 4096
g->nx = 1e6     # columns
n@relax=64Ki

trip_L12 = 2.5
x.size = 7
"""
TOML = """n = 4096
"g->nx" = 1000000
"n@relax" = "64Ki"
trip_L12 = 2.5
x.size = 7
"""
EXPECTED = {"n": "4096", "g->nx": "1000000", "n@relax": "65536", "trip_L12": "2.5", "x.size": "7"}


@pytest.mark.parametrize(("name", "text"), [("sizes.txt", LINES), ("sizes.toml", TOML)])
def test_both_forms_give_the_same(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert {given.define.name: given.define.text for given in read_values(str(path))} == EXPECTED


def test_lines_are_told(tmp_path: Path) -> None:
    path = tmp_path / "sizes.txt"
    path.write_text(LINES)
    assert [given.line for given in read_values(str(path))] == [2, 3, 4, 6, 7]


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.txt", "n = 4\nm\n", 2),
        ("a.txt", "n = 4\n\nn = 5\n", 3),
        ("a.txt", "n = 4K\n", 1),
        ("a.txt", "m = 1\nn = 1:10\n", 2),
        ("a.txt", "2n = 1\n", 1),
        ("a.toml", "n = 4\nm = true\n", 2),
        ("a.toml", "n = 4\nm = [1]\n", 2),
        ("a.toml", "n = \n", 1),
    ],
)
def test_mistakes_have_their_line(tmp_path: Path, name: str, text: str, line: int) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(OptionError) as raised:
        read_values(str(path))
    assert (raised.value.path, raised.value.line) == (str(path), line)


def test_the_command_line_goes_before(tmp_path: Path) -> None:
    path = tmp_path / "sizes.txt"
    path.write_text("n = 4\nm = 5\n")
    arguments = analyze_parser().parse_args(["x.c", "--values", str(path), "-D", "n=7"])
    options = analyze_options(arguments)
    assert options.defines == {"m": "5", "n": "7"}
    assert options.given_at == {"m": (str(path), 2)}


def test_a_name_that_nothing_uses_is_told_with_its_line(run, tmp_path: Path) -> None:
    source, values = tmp_path / "x.c", tmp_path / "sizes.txt"
    source.write_text("void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] += 1; }\n")
    values.write_text("n = 4\nm = 5\n")
    done = run(source, "--values", values)
    assert done.code == 2
    assert f"{values}:2: m: nothing depends on" in done.stderr
