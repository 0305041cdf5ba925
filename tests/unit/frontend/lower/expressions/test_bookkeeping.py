"""What the C++ library does within texts, files and trees of keys is no work; what is done to their elements is."""

import pytest

from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.quantities.quantity import Exactness
from analyzer.source import Language, SourceFile

HEADERS = "".join(
    f"#include <{name}>\n"
    for name in (
        "string",
        "sstream",
        "map",
        "set",
        "list",
        "vector",
        "thread",
        "random",
        "algorithm",
        "chrono",
        "iterator",
    )
)
LOOP = "for (int i = 0; i < n; i++) x[i] *= 2.0;"


def region_of(text, name="f"):
    (file,) = analyze(SourceFile("a.cpp", HEADERS + text, Language.CXX), AnalysisOptions())
    return next(region for region in file.profile.regions if region.name == name)


def flops(region, **values):
    assert region.work.flops.is_exact
    assert not region.work.not_counted
    return region.work.flops.estimate.evaluate(values)


@pytest.mark.parametrize(
    "call",
    [
        'std::string t = s + std::to_string(n); t.erase(0, 1); if (t.find("x") == 3) n = 0;',
        "std::istringstream in(s); std::string line; std::getline(in, line);",
        "double d = std::stod(s.substr(1, 2)); x[0] = d;",
        "std::set<int> seen; seen.insert(n); if (seen.count(3)) n = 1;",
        "std::map<std::string, int> m; m[s] = n; m.erase(s);",
        "std::mt19937 g(1); std::uniform_real_distribution<double> u(0, 1); x[0] = u(g);",
    ],
)
def test_bookkeeping_is_reported_and_is_no_work(call):
    region = region_of(f"void f(int n, double *x, std::string s) {{ {call} {LOOP.replace('n;', '7;')} }}")
    assert flops(region) == 7
    assert "AI318" in [note.code for note in region.assumptions]


def test_a_function_that_hands_its_arguments_to_printf_is_like_it():
    own = """#include <stdarg.h>
    #include <stdio.h>
    int say(const char *format, ...) {
      va_list list;
      for (int i = 0; format[i]; i++) if (format[i] == '%') putchar(format[i]);
      va_start(list, format);
      int written = vprintf(format, list);
      va_end(list);
      return written;
    }
    """
    region = region_of(own + f'void f(int n, double *x) {{ say("%d", n); {LOOP.replace("n;", "7;")} }}', "f")
    assert flops(region) == 7
    assert str(region.loads.elements.estimate) == "7"
    assert "AI318" in [note.code for note in region.assumptions]


def test_what_is_copied_into_a_tree_is_work_where_it_holds_numbers():
    text = f"void f(int n, double *x, std::vector<double> &v, std::map<int, std::vector<double>> &m) {{ {LOOP}"
    assert region_of(text + " m.insert({1, v}); }").work.flops.exactness is Exactness.LOWER


def test_a_loop_over_a_tree_runs_as_often_as_data_say():
    loop = "for (auto &each : m) s += 2 * each.second;"
    text = f"double f(const std::map<int, double> &m) {{ double s = 0; {loop} return s; }}"
    region = region_of(text)
    (symbol,) = region.work.flops.estimate.symbols
    assert flops(region, **{symbol: 5}) == 10
    assert region.loads.elements.estimate.evaluate({symbol: 5}) == 5


def test_iterators_of_a_list_are_followed_to_its_elements():
    text = (
        "void f(std::list<double> &l) { for (std::list<double>::iterator i = l.begin(); i != l.end(); ++i) *i += 1; }"
    )
    region = region_of(text)
    (symbol,) = region.work.flops.estimate.symbols
    assert flops(region, **{symbol: 5}) == 5
    assert region.stores.elements.estimate.evaluate({symbol: 5}) == 5


def test_a_thread_runs_its_function():
    calls = "std::thread t(g, x, n); t.join(); g(x, n);"
    text = f"void g(double *x, int n) {{ {LOOP} }} void f(double *x, int n) {{ {calls} }}"
    (file,) = analyze(SourceFile("a.cpp", HEADERS + text, Language.CXX), AnalysisOptions())
    assert flops(file.profile.regions[-1], n=5) == 10


@pytest.mark.parametrize(
    "calls",
    [
        "std::thread t(h, std::cref(x), std::ref(r), 0, n); t.join();",
        "std::vector<double> p(4); std::vector<std::thread> ts;"
        " for (int k = 0; k < 4; k++) ts.emplace_back(h, std::cref(x), std::ref(p[k]), 2 * k, 2 * k + 2);"
        " for (auto &t : ts) t.join();",
    ],
)
def test_a_thread_is_given_references(calls):
    text = "void h(const std::vector<double> &x, double &r, int a, int b) {"
    text += " double s = 0; for (int i = a; i < b; i++) s += x[i]; r = s; }"
    text += f" void f(int n) {{ std::vector<double> x(n, 1.0); double r; {calls} }}"
    (file,) = analyze(SourceFile("a.cpp", "#include <functional>\n" + HEADERS + text, Language.CXX), AnalysisOptions())
    assert flops(file.profile.regions[-1], n=8) == 8


def test_what_is_inserted_at_the_back_is_stored():
    copy = "std::copy(a.begin(), a.end(), std::back_inserter(b));"
    text = f"void f(const std::vector<double> &a, std::vector<double> &b) {{ {copy} }}"
    region = region_of(text)
    assert region.stores.elements.estimate.evaluate({"a.size": 5}) == 5


def test_bits_are_memory_of_the_program():
    text = "#include <bitset>\nvoid f(std::bitset<640> &b) { for (int i = 0; i < 640; i++) b[i] = 1; }"
    region = region_of(text)
    assert region.stores.elements.is_exact
    assert region.stores.elements.estimate.constant == region.loads.elements.estimate.constant == 640


def test_sums_of_texts_in_host_code_are_no_work():
    text = """#include <string>
    struct Table { void add(const std::string &name, double value); };
    __global__ void k(float *x) { x[threadIdx.x] = 0; }
    template <class T> void run(std::string name, Table &table, T *x) {
      for (int i = 0; i < 7; i++) x[i] += 1;
      table.add(name + "_sum" + 'c', x[0]);
      k<<<1, 32>>>(0);
    }
    int main() { Table table; double x[8]; run("x", table, x); }
    """
    (file,) = analyze(SourceFile("a.cu", text, Language.CUDA), AnalysisOptions())
    assert "AI206" not in [note.code for note in file.diagnostics]
