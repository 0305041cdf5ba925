"""Arguments to options: values of -D, ranges, and every complaint."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from analyzer.errors import OptionError
from analyzer.options import AnalysisOptions
from analyzer.profile import AnalyzedFile
from analyzer.traffic.hierarchy import Hierarchy, parse_hierarchy
from analyzer.traffic.options import CacheModel
from analyzer.traffic.results import Convention
from cli.defines import Define, parse_define
from cli.options import AnalyzeOptions, SweptSize, analyze_options
from cli.parser import analyze_parser
from roofline.catalog import find_machine
from roofline.estimation import Source, analysis_options, estimate, projection_options
from roofline.model.hierarchies import hierarchy_of
from roofline.version import VERSION


def options(*arguments: str) -> AnalyzeOptions:
    return analyze_options(analyze_parser().parse_args(["kernel.c", *arguments]))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1000", "1000"),
        ("-3", "-3"),
        ("1e6", "1000000"),
        ("2.5e3", "2500"),
        ("2^20", "1048576"),
        ("64Ki", "65536"),
        ("1.5Ki", "1536"),
        ("10k", "10000"),
        ("3M", "3000000"),
        ("0x400", "1024"),
    ],
)
def test_numbers_as_people_write_them(text: str, value: str) -> None:
    assert parse_define(f"N={text}") == Define("N", value)


@pytest.mark.parametrize(
    "text", ["double", "1e-3", "3.5", "0.1k5", "(N*2)", "f(a,b)", "a:b", "", "1.0", "2^999999", "1u"]
)
def test_any_other_text_is_macro_text(text: str) -> None:
    assert parse_define(f"N={text}") == Define("N", text)


def test_several_sizes_in_one_option_are_an_error() -> None:
    with pytest.raises(OptionError) as found:
        parse_define("n=1k,trip_L3=2.5")
    assert found.value.hint == "write -D n=1k -D trip_L3=2.5"
    assert parse_define("PAIR={1,x=2}").text == "{1,x=2}"


def test_a_bare_name_is_one_and_a_macro_may_have_parameters() -> None:
    assert parse_define("USE_FMA") == Define("USE_FMA", "1")
    for name in ("A.rows", "g->nx", "this.2->n", "row[2*i + 1].n", "n@run", "ns::count", "trip_L12.3"):
        assert parse_define(f"{name}=64") == Define(name, "64")
    assert parse_define("trip_L12=2.5") == Define("trip_L12", "2.5")
    assert parse_define("SCALE=1.5f") == Define("SCALE", "1.5f")
    assert parse_define("IDX(i,j)=((i)*N+(j))") == Define("IDX(i,j)", "((i)*N+(j))")


def test_ranges() -> None:
    assert parse_define("N=100:1000:300").values == (100, 400, 700, 1000)
    assert parse_define("N=1,2,4k").values == (1, 2, 4000)
    equal = parse_define("N=100:2000").values
    assert equal == tuple(range(100, 2001, 100))
    logarithmic = parse_define("N=100:10000:log").values
    assert (len(logarithmic), logarithmic[0], logarithmic[-1]) == (20, 100, 10000)
    ratios = [after / before for before, after in pairwise(logarithmic)]
    assert all(math.isclose(ratio, 100 ** (1 / 19), rel_tol=0.01) for ratio in ratios)
    assert parse_define("N=1:3:log").values == (1, 2, 3), "values that round to the same number come once"


@pytest.mark.parametrize(
    "argument",
    [
        "=5",
        "2N=1",
        "n m=1",
        "n=4K",
        "n=12kk",
        "N=1000:100",
        "N=1:x",
        "N=x:1",
        "N=1:10:0",
        "N=1:10:lin",
        "N=0:10:log",
        "N=1:2:3:4",
        "N=1:1000000:1",
    ],
)
def test_wrong_defines_are_refused(argument: str) -> None:
    with pytest.raises(OptionError, match="-D"):
        parse_define(argument)


def test_a_sweep_is_a_range_with_equal_ratios() -> None:
    for own, same in (("N=10:10000", "N=10:10000:log"), ("N=10:20:5", "N=10:20:5"), ("N=1,2", "N=1,2")):
        assert options("--sweep", own).swept.values == options("-D", same).swept.values
    for wrong in ("N", "N=7", "N=text", "N=x:100", "N=100:10"):
        with pytest.raises(OptionError, match=f"^--sweep {wrong}(:| is)"):
            options("--sweep", wrong)
    with pytest.raises(OptionError, match="twice"):
        options("--sweep", "N=1:9", "-D", "N=5")
    with pytest.raises(OptionError, match="only one"):
        options("--sweep", "N=1:9", "-D", "M=1:9")


def test_conditions_and_blocking_are_asked_for_where_they_are_shown() -> None:
    def asked(*arguments: str) -> tuple[bool, bool, bool]:
        analysis = analysis_options(options(*arguments))
        return analysis.cache.conditions, analysis.cache.conditions_if_unknown, analysis.advise

    assert asked() == asked("--format", "text") == (False, True, False)
    assert asked("--explain") == (True, True, False)
    assert asked("--format", "json") == (False, True, False)
    assert asked("--format", "csv") == (False, True, False)
    assert asked("--advise") == (True, True, True)


def test_one_range_at_most() -> None:
    assert options("-DN=1,2", "-DM=7").swept == SweptSize("N", (1, 2))
    assert options("-DN=1,2", "-DM=7").defines == {"M": "7"}
    with pytest.raises(OptionError, match="N and M"):
        options("-D", "N=1,2", "-D", "M=1:5:1")


def test_lists_keep_their_order_and_drop_doubles() -> None:
    found = options("--machine", "v100,a100", "--machine", "haswell", "--machine", "v100", "--function", "f,g")
    assert found.machines == ("v100", "a100", "haswell")
    assert found.functions == ("f", "g")


def test_attached_and_single_dash_forms() -> None:
    found = options("-DN=5", "-Iinclude", "-std=c11", "-pbuild")
    assert (found.defines, found.include_dirs) == ({"N": "5"}, ("include",))
    assert (found.std, found.compile_commands) == ("c11", "build")


def test_values_of_options() -> None:
    found = options("--lines", "10:20", "--branch-probability", "0.25", "--scale-flops", "3/2", "--nontemporal")
    assert (found.lines, found.branch_probability, found.scale_flops) == ((10, 20), Fraction(1, 4), 1.5)
    assert (found.nontemporal, found.write_allocate, found.cores) == (True, None, None)
    assert options("--no-write-allocate").write_allocate is False
    assert options("--lines", "7").lines == (7, 7)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--lines", "20:10"),
        ("--lines", "a:b"),
        ("--branch-probability", "2"),
        ("--branch-probability", "often"),
        ("--scale-flops", "0"),
        ("--scale-bandwidth", "-1"),
        ("--scale-bandwidth", "nan"),
        ("--cores", "0"),
        ("--top", "0"),
        ("--machine", ""),
        ("--function", ","),
        ("--patch", "--format", "json"),
        ("--explain", "--format", "csv"),
        ("--cores", "many"),
        ("--line-bytes", "0"),
        ("--plot", "roofline.gif"),
        ("--format", "yaml"),
        ("--write-allocate", "--no-write-allocate"),
        ("--colour",),
        ("-", "-"),
        ("--instructions",),
        ("--instructions", "--machine", "v100", "--format", "json"),
        ("--instructions", "--machine", "v100", "--plot", "a.svg", "-D", "n=1:9"),
    ],
)
def test_wrong_options_are_refused(arguments: tuple[str, ...]) -> None:
    with pytest.raises(OptionError):
        options(*arguments)


def test_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert options().color
    assert not options("--no-color").color
    monkeypatch.setenv("NO_COLOR", "1")
    assert not options().color


def test_the_source_version_is_that_of_the_project() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["version"] == VERSION


def test_caches() -> None:
    found = options()
    assert (found.cache, found.hierarchy, found.verify, found.warm) == (CacheModel.ANALYTIC, None, False, False)
    found = options("--cache", "simulate", "--hierarchy", "L1:32KiB/8,L2:1MiB", "--verify", "--warm", "--threads", "4")
    assert (found.cache, found.verify, found.warm, found.cores) == (CacheModel.SIMULATE, True, True, 4)
    assert found.as_primitive()["traffic_model"] == "simulate"
    with pytest.raises(OptionError, match="--hierarchy"):
        options("--hierarchy", "32KiB")


def test_the_caches_that_are_modelled() -> None:
    def modelled(*arguments: str, machines: str = "") -> tuple[Hierarchy, ...]:
        found: list[AnalysisOptions] = []

        def analyze(sources: Sequence[Source], analysis: AnalysisOptions) -> tuple[AnalyzedFile, ...]:
            found.append(analysis)
            return ()

        estimate([], machines, options(*arguments), analyze=analyze)
        return found[0].cache.hierarchies

    haswell, v100 = find_machine("haswell"), find_machine("v100")
    both = (hierarchy_of(haswell, 4), hierarchy_of(v100, 4))
    assert modelled("--cores", "4", machines="haswell,v100") == both
    given = ("--hierarchy", "L1:32KiB")
    assert modelled(*given, machines="haswell") == modelled(*given) == (parse_hierarchy(given[1]),)
    for bare in (("--convention", "compulsory"), ("--cache", "none"), ("--cache", "compulsory")):
        assert modelled(*bare, machines="haswell") == ()
    assert modelled() == ()


def test_without_caches_every_reference_goes_to_memory() -> None:
    assert projection_options(options("--cache", "none")).convention is Convention.REGISTER
    assert projection_options(options("--cache", "compulsory")).convention is None
    assert projection_options(options("--reassociate")).reassociate


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("-m", "v100"), "did you mean --matrix or --machine?"),
        (("--machin", "v100"), "did you mean --machine?"),
        (("--jbs", "2"), "did you mean --jobs?"),
        (("--format", "jsn"), "did you mean json?"),
        (("--convention", "compulsory", "--cache", "simulate"), "leave one out"),
    ],
)
def test_what_is_misspelled_or_contradicts_is_refused(arguments: tuple[str, ...], hint: str) -> None:
    with pytest.raises(OptionError) as caught:
        options(*arguments)
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("-o", "r.json"), "json"),
        (("-o", "r.csv"), "csv"),
        (("-o", "r.txt"), "overview"),
        (("-o", "r.json", "--format", "text"), "text"),
        (("-v",), "table"),
        (("--verify",), "table"),
    ],
)
def test_the_format_follows_from_the_suffix(arguments: tuple[str, ...], wanted: str) -> None:
    assert options(*arguments).format == wanted


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("--std=c99x", "did you mean"),
        ("--line-bytes=63", "no power of two"),
        ("--hierarchy=L1:32", "32KiB"),
        ("--hierarchy=L1:32KB/8", "1 KiB is 1024 bytes"),
    ],
)
def test_a_value_that_means_nothing_says_what_to_write(given: str, said: str) -> None:
    with pytest.raises(OptionError) as raised:
        options(given)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("arguments", "profile", "files"),
    [
        (["--profile", "a.gcov.json.gz", "b.gcov.json.gz", "kernel.c"], ["a.gcov.json.gz", "b.gcov.json.gz"], 1),
        (["--profile=a.info", "b.json", "kernel.c"], ["a.info", "b.json"], 1),
        (["--profile", "counts", "kernel.c", "other.c"], ["counts"], 2),
        (["kernel.c", "--profile", "a.json", "--machine", "b.json"], ["a.json"], 1),
    ],
)
def test_a_profile_takes_the_files_of_counts_that_follow_it(
    arguments: Sequence[str], profile: list[str], files: int
) -> None:
    parsed = analyze_parser().parse_args(arguments)
    assert (parsed.profile, len(parsed.files)) == (profile, files)


@pytest.mark.parametrize("arguments", [["--args", "-n24", "a.cu"], ["a.cu", "--args=-n24"]])
def test_the_words_of_a_program_may_begin_as_options_do(arguments: Sequence[str]) -> None:
    parsed = analyze_parser().parse_args(arguments)
    assert (parsed.program_arguments, parsed.files) == ("-n24", ["a.cu"])
