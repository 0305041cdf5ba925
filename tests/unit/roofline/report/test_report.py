"""The report's JSON form is what its schema says, and says what the analysis found."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from analyzer.ir.values import Operation
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from analyzer.transformations.kinds import (
    Box,
    Coarsen,
    Cut,
    Exchange,
    Fuse,
    Interchange,
    Jam,
    Narrow,
    Pad,
    Reshape,
    Separate,
    Side,
    Split,
    Stage,
    Transformation,
    Turn,
    Widen,
)
from cli.options import analyze_options
from cli.parser import analyze_parser
from roofline import estimate, source_text
from roofline.catalog import find_machine, load_catalog
from roofline.model.projection import ProjectionOptions
from roofline.report.json.reasons import step_form
from tests.projected import make_report

SCHEMA = json.loads((resources.files("roofline.report") / "report.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
OPTIONS = analyze_options(analyze_parser().parse_args(["k.c"])).as_primitive()

SOURCES = {
    "triad": "void f(int n, double *a, double *b, double *c, double s)"
    "{ for (int i = 0; i < n; i++) a[i] = b[i] + s * c[i]; }",
    "branch": "void f(int n, float *a, float *b) { for (int i = 0; i < n; i++) if (b[i] > 0) a[i] = sqrtf(b[i]); }",
    "while": "void f(double e, double *a) { while (e > 1) { e *= a[0]; for (int i = 0; i < 9; i++) a[i] /= e; } }",
    "copy": "void f(int n, long *a, long *b) { for (int i = 0; i < n; i++) a[i] = b[i]; }",
    "matmul": "void f(int n, double a[n][n], double b[n][n], double c[n][n]) { for (int i = 0; i < n; i++)"
    " for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) c[i][j] += a[i][k] * b[k][j]; }",
    "gather": "void f(int n, double *y, double *x, int *p) { for (int i = 0; i < n; i++) y[i] += x[p[i]]; }",
    "complex": "#include <complex.h>\nvoid f(int n, double complex *a) { for (int i = 0; i < n; i++) a[i] *= a[i]; }",
    "syntax": "void f(int n, double *a) { for (int i = 0; i < n; i++ { a[i] = 0; } }",
    "nothing": "int f(int a) { return a; }",
    "unknown": "double g(double); void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] *= g(a[i]); }",
    "bare": "for (i = 0; i < N; i++) s += a[i];",
}

CASES = list(SOURCES)


def document(text: str, *machines: str, defines: dict[str, str] | None = None) -> dict[str, Any]:
    source = SourceFile("k.c", text, Language.C)
    profiles = analyze(source, AnalysisOptions(defines=defines or {}))
    found = [find_machine(name) for name in machines]
    report = make_report(profiles, found, ProjectionOptions(), version="0.1.0", options=OPTIONS)
    primitive: dict[str, Any] = json.loads(report.to_json())
    return primitive


def test_the_schema_is_one_and_is_strict() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    loose = [key for key, value in SCHEMA["$defs"].items() if value.get("type") == "object" and "properties" in value]
    assert all(SCHEMA["$defs"][key]["additionalProperties"] is False for key in loose)


def test_the_schema_names_the_kinds_of_operations(request: pytest.FixtureRequest) -> None:
    names = [operation.value for operation in Operation]
    if request.config.getoption("--update-goldens"):
        path = Path(str(resources.files("roofline.report") / "report.schema.json"))
        schema = json.loads(path.read_text("utf-8"))
        schema["$defs"]["operation_name"]["enum"] = names
        path.write_text(json.dumps(schema, indent=2) + "\n", "utf-8")
    else:
        assert SCHEMA["$defs"]["operation_name"]["enum"] == names


@pytest.mark.slow
@pytest.mark.parametrize("machines", [(), ("v100",), ("haswell", "a100", "tpu-v1")])
@pytest.mark.parametrize("name", CASES)
def test_reports_follow_the_schema(name: str, machines: tuple[str, ...]) -> None:
    VALIDATOR.validate(document(SOURCES[name], *machines))
    VALIDATOR.validate(document(SOURCES[name], *machines, defines={"n": "100", "N": "7"}))


def test_the_schema_rejects_what_is_not_in_it() -> None:
    for spoil in (
        lambda report: report.update(extra=1),
        lambda report: report["files"][0]["regions"][0].pop("work"),
        lambda report: report["files"][0]["regions"][0].update(kind="loops"),
        lambda report: report["files"][0]["regions"][0]["bytes"].update(unit="bytes"),
        lambda report: report["options"].update(fma="fast"),
    ):
        report = document(SOURCES["triad"], "v100")
        spoil(report)
        with pytest.raises(jsonschema.ValidationError):
            VALIDATOR.validate(report)


@pytest.mark.slow
@pytest.mark.parametrize("machine", load_catalog().ids)
def test_every_machine_gives_a_report(machine: str) -> None:
    VALIDATOR.validate(document(SOURCES["triad"], machine, defines={"n": "1000000"}))


def test_profiles_of_many_files_are_read_without_projecting_them(monkeypatch: pytest.MonkeyPatch) -> None:
    files = analyze(SourceFile("f.c", SOURCES["triad"], Language.C), AnalysisOptions())
    found = make_report(list(files), [find_machine("haswell")], ProjectionOptions())
    monkeypatch.setattr("roofline.report.report.file_report", None)
    assert [profile.path for profile in found.profiles] == ["f.c"]
    with pytest.raises(TypeError):
        next(iter(found.files))


def test_the_triad_by_hand() -> None:
    region = document(SOURCES["triad"], "v100", defines={"n": "1000"})["files"][0]["regions"][0]
    assert region["parameters"] == {"n": 1000}
    assert region["work"]["flops"] == {
        **{"symbolic": "2*n", "value": 2000, "lower": 2000, "upper": 2000},
        **{"unit": "flop", "exactness": "exact"},
    }
    assert (region["bytes"]["symbolic"], region["bytes"]["value"]) == ("24*n", 24000)
    assert region["intensity"]["fraction"] == "1/12"
    assert region["projection"]["bound"] == "memory"


def test_a_formula_says_what_sizes_it_holds_for() -> None:
    """n of the first loop and n - 9 of the second one: 2*n - 9 is too little for n < 9."""
    text = "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] += 1; for (int i = 9; i < n; i++) a[i] += 2; }"
    report = document(text)
    VALIDATOR.validate(report)
    flops = report["files"][0]["regions"][0]["work"]["flops"]
    assert (flops["symbolic"], flops["holds_if"]) == ("2*n - 9", "n >= 10")
    nest = report["files"][0]["regions"][0]["nests"][0]["work"]["flops"]
    assert (nest["symbolic"], "holds_if" in nest) == ("n", False)
    known = document(text, defines={"n": "5"})["files"][0]["regions"][0]["work"]["flops"]
    assert (known["value"], "holds_if" in known) == (5, False)


def test_every_kind_of_transformation_is_in_the_schema() -> None:
    kinds = SCHEMA["$defs"]["transformation_steps"]["items"]["properties"]["kind"]["enum"]
    steps: list[Transformation] = [
        *(Split("i", (1,), ()), Interchange(("i",), ("i",), 1), Cut("i", 1, 8, "i"), Box((Side("i", 1, 8),))),
        *(Jam("i", 1, 4), Separate("a", ("x",), 1), Fuse((1, 2), ("i",), ("a",)), Pad((), 1), Narrow((), 1)),
        *(
            Stage("k", 1, 16, ()),
            Turn((), 1),
            Coarsen((4, 4, 1), 1),
            Widen(4, ("a",), 1),
            Exchange(1),
            Reshape((32, 8), 1),
        ),
    ]
    assert [step_form(step)["kind"] for step in steps] == kinds


def test_values_are_null_where_a_size_is_missing() -> None:
    region = document(SOURCES["triad"])["files"][0]["regions"][0]
    flops = region["work"]["flops"]
    assert (flops["value"], flops["lower"], flops["upper"]) == (None, None, None)
    assert region["projection"] is None


@pytest.mark.parametrize(
    ("code", "text", "n"),
    [
        ("AI417", "void f(int n, double *a, double *b) { for (int i = 0; i < n; i++) a[i] += 0.5 * b[i]; }", 10**7),
        (
            "AI418",
            """void f(int n, double *a, double *x, double *y, double *z) { for (int i = 0; i < n; i++)
              for (int j = 0; j < n; j++) { y[i] += a[i * n + j] * x[j]; z[i] += a[i * n + j]; } }""",
            300,
        ),
        (
            "AI419",
            "#include <math.h>\nvoid f(int n, double *x, double e) { for (int i = 0; i < n; i++) x[i] *= exp(e); }",
            1000,
        ),
    ],
)
def test_the_schema_has_the_advice(code: str, text: str, n: int) -> None:
    report = estimate(source_text(text), "haswell", sizes={"n": n}, cores=1, warm=True, advise=True)
    found = json.loads(report.to_json())
    VALIDATOR.validate(found)
    assert f'"{code}"' in json.dumps(found)
