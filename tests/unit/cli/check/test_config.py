from fractions import Fraction

import pytest

from analyzer.errors import OptionError
from cli.check.config import Finder, read_configuration
from cli.check.settings import selected_codes
from roofline.rules.codes import check_codes


def test_paths_are_relative_to_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    path = tmp_path / "sub" / "ai-estimate.toml"
    path.write_text(
        'machine = ["v100", "mine.toml"]\ninclude-dirs = "include"\nbaseline = "../known.json"\n'
        'defines = { n = 5, T = "float" }\n'
    )
    values = read_configuration(path).values
    assert values["machine"] == ["v100", "sub/mine.toml"]
    assert values["include-dirs"] == ["sub/include"]
    assert values["baseline"] == "known.json"
    assert values["defines"] == ["n=5", "T=float"]


def test_budgets(tmp_path):
    path = tmp_path / "ai-estimate.toml"
    path.write_text('[[budget]]\nmin-ai = "1/12"\n[[budget]]\nloop = 2\nhot = true\nbound = "L2"\nmin-ai = 0.4\n')
    first, second = read_configuration(path).budgets
    assert first.demand.min_ai == Fraction(1, 12)
    assert (second.loop, second.demand.hot, second.demand.bound, second.demand.min_ai) == (
        "2",
        True,
        "L2",
        Fraction(2, 5),
    )


def test_the_nearest_file_holds_and_its_own_names_go_before_pyproject(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.ai-estimate]\nstd = 'c99'\n")
    (tmp_path / ".ai-estimate.toml").write_text("std = 'c11'\n")
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\n")
    finder = Finder()
    assert finder.nearest(str(tmp_path / "a" / "b" / "x.c")).values == {"std": "c11"}
    (tmp_path / "a" / "ai-estimate.toml").write_text("")
    assert Finder().nearest(str(tmp_path / "a" / "b" / "x.c")).values == {}


def test_codes_are_chosen_by_how_they_begin():
    assert selected_codes([], []) == frozenset(check_codes())
    assert selected_codes(["ai10"], ["AI105"]) == {f"AI10{n}" for n in range(10)} - {"AI105"}
    with pytest.raises(OptionError, match="AI9"):
        selected_codes(["AI9"], [])


def test_all_mistakes_come_at_once_in_the_order_of_the_lines(tmp_path):
    path = tmp_path / "ai-estimate.toml"
    path.write_text('machin = "a"\ncores = "x"\n[[budget]]\nhot = 3\nbound = ""\n[[budget]]\nfunction = "f"\n')
    with pytest.raises(OptionError) as raised:
        read_configuration(path)
    assert [error.line for error in (raised.value, *raised.value.others)] == [1, 2, 4, 5, 6]
    assert "did you mean machine?" in str(raised.value)
