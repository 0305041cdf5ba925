"""Google Benchmark: sizes of the largest registered run, and what ``SetUp`` of a fixture leaves for the body."""

import pytest

from roofline import estimate

HEAD = "#include <benchmark/benchmark.h>\n#include <vector>\nconstexpr int kMost = 1 << 9;\nint some();\n"
LOOP = "for (auto _ : state) { double s = 0; for (auto v : x) s += v; benchmark::DoNotOptimize(s); }"
ONE = f"static void f(benchmark::State &state) {{ int n = state.range(0); std::vector<double> x(n); {LOOP} }}\n"
TWO = f"""static void f(benchmark::State &state) {{
  auto n = static_cast<size_t>(state.range(0)); std::vector<double> x(n * state.range(1)); {LOOP}
}}
"""


@pytest.fixture
def flops(tmp_path):
    def measure(text, **given):
        path = tmp_path / "x.cpp"
        path.write_text(HEAD + text)
        report = estimate(str(path), **given)
        return {region.profile.function: region.flops.value for region in report.regions}

    return measure


@pytest.mark.parametrize(
    ("registered", "expected"),
    [
        ("->Arg(8)->Arg(1000)->Arg(64)->Unit(benchmark::kMillisecond)", 1000),
        ("->Range(8, 8 << 10)", 8192),
        ("->RangeMultiplier(2)->Range(1, kMost)->Iterations(3)->Threads(2)", 512),
        ("->DenseRange(0, 1000, 300)", 900),
        ("->DenseRange(1, 40)", 40),
        ("->Args({77})", 77),
        ("->ArgsProduct({benchmark::CreateRange(8, 128, 2)})", 128),
        ("->ArgsProduct({benchmark::CreateDenseRange(1, 10, 4)})", 9),
        ("->Arg(8); BENCHMARK(f)->Arg(16)", 16),
        ("", None),
        ("->Arg(8)->Arg(some())", None),
        ("->Arg(8)->Apply([](benchmark::internal::Benchmark *b) { b->Arg(9); })", None),
    ],
)
def test_one_size(flops, registered, expected):
    assert flops(f"{ONE}BENCHMARK(f){registered};")["f"] == expected


@pytest.mark.parametrize(
    ("registered", "expected"),
    [
        ("->Args({100, 200})->Args({1000, 50})", 50_000),
        ("->Args({1 << 4, kMost})->ArgPair(3, 4)", 8192),
        ("->Ranges({{1, 64}, {2, 512}})", 64 * 512),
        ("->RangePair(1, 64, 2, 512)", 64 * 512),
        ("->ArgsProduct({{1, 9, 3}, {5, 2}})", 45),
    ],
)
def test_two_sizes(flops, registered, expected):
    assert flops(f"{TWO}BENCHMARK(f){registered};")["f"] == expected


def test_a_size_is_one_number_that_the_user_may_give(flops):
    text = f"{ONE}BENCHMARK(f)->Arg(100);"
    assert flops(text, sizes={"n": 7})["f"] == flops(text, sizes={"state.range(0)": 7})["f"] == 7
    twice = ONE.replace("x(n);", "x(n); std::vector<double> y(state.range(0));").replace(": x)", ": y)")
    assert flops(f"{twice}BENCHMARK(f)->Arg(100);", sizes={"n": 7})["f"] == 7
    assert flops(f"{TWO}BENCHMARK(f)->Args({{4, 5}});", sizes={"state.range(1)": 7})["f"] == 28


def test_templates_and_functions_that_ask_for_the_function_registered(flops):
    template = "template <class T> " + ONE.replace("static ", "").replace("double", "T")
    found = flops(f"{template}BENCHMARK_TEMPLATE(f, float)->Arg(8);\nBENCHMARK(f<double>)->Arg(9);")
    assert found == {"f<float>": 8, "f<double>": 9}
    found = flops(ONE + "static void g(benchmark::State &state) { f(state); }\nBENCHMARK(g)->Arg(6);")
    assert (found["g"], found["f"]) == (6, None)


FIXTURE = """class Data : public benchmark::Fixture {
  void SetUp(const benchmark::State &state) override { n = state.range(0); x.resize(n); p = new double[n]; }
 public:
  int n, k = 3; std::vector<double> x; double *p;
};
"""


def test_a_fixture_is_set_up(flops):
    body = "(benchmark::State &state) { for (auto _ : state) for (int i = 0; i < n; i++) p[i] += k * x[i]; }\n"
    text = f"{FIXTURE}BENCHMARK_DEFINE_F(Data, add){body}BENCHMARK_REGISTER_F(Data, add)->Arg(10)->Arg(50);"
    assert flops(text) == {"Data_add::BenchmarkCase": 100}
    assert flops(text, sizes={"state.range(0)": 4}) == {"Data_add::BenchmarkCase": 8}
    fixed = FIXTURE.replace("const benchmark", "benchmark").replace("state.range(0)", "20")
    assert flops(f"{fixed}BENCHMARK_F(Data, add){body}") == {"Data_add::BenchmarkCase": 40}
    template = FIXTURE.replace("class", "template <class T> class").replace("double", "T")
    sum_ = "(benchmark::State &state) { for (auto _ : state) for (auto v : this->x) this->p[0] += v; }\n"
    text = f"{template}BENCHMARK_TEMPLATE_DEFINE_F(Data, add, float){sum_}BENCHMARK_REGISTER_F(Data, add)->Arg(10);"
    assert flops(text) == {"Data_add::BenchmarkCase": 10}


def test_setting_up_is_part_of_its_benchmarks(flops):
    body = "(benchmark::State &state) { for (auto _ : state) for (int i = 0; i < n; i++) p[i] += k * x[i]; }\n"
    fixture = FIXTURE.replace(
        "n = state.range(0);", "n = state.range(0); for (int i = 0; i < n; i++) k += 1; warm = 2.5;"
    )
    fixture = fixture.replace("k = 3;", "k = 3; double warm;").replace("k += 1;", "warm += 1.5;")
    text = f"{fixture}BENCHMARK_DEFINE_F(Data, add){body}BENCHMARK_REGISTER_F(Data, add)->Arg(10);"
    assert flops(text) == {"Data_add::BenchmarkCase": 10 + 2 * 10}
    assert "Data::SetUp" in flops(fixture)  # without a benchmark it is a function like others
