#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <ranges>
#include <string>
#include <vector>
namespace benchmark {
int64_t ai_any();  // a number that only a run has
int64_t ai_size(size_t);  // one that a registration gives
enum TimeUnit { kNanosecond, kMicrosecond, kMillisecond, kSecond };
enum BigO { oNone, o1, oN, oNSquared, oNCubed, oLogN, oNLogN, oAuto };
using IterationCount = int64_t;
struct Counter {
  enum Flags { kDefaults, kIsRate, kAvgThreads, kIsIterationInvariant, kIsIterationInvariantRate, kAvgIterations, kInvert };
  enum OneK { kIs1000, kIs1024 };
  double value;
  Counter(double = 0, int = 0, OneK = kIs1000);
  operator const double &() const;
  operator double &();
};
using UserCounters = std::map<std::string, Counter>;
// Loops over a state run as often as the library finds enough: the reader makes them loops of one timed iteration.
struct Iterations {
  IterationCount done;
  IterationCount operator*() const;
  Iterations &operator++();
  bool operator!=(const Iterations &other) const;
};
struct State {
  UserCounters counters;
  Iterations begin();
  Iterations end();
  bool KeepRunning();
  bool KeepRunningBatch(IterationCount);
  AI_MODEL void PauseTiming() {}
  AI_MODEL void ResumeTiming() {}
  AI_MODEL void SkipWithError(const char *) {}
  AI_MODEL void SkipWithMessage(const char *) {}
  AI_MODEL void SetIterationTime(double) {}
  AI_MODEL void SetBytesProcessed(int64_t) {}
  AI_MODEL void SetItemsProcessed(int64_t) {}
  AI_MODEL void SetComplexityN(int64_t) {}
  AI_MODEL void SetLabel(const std::string &) {}
  AI_MODEL int64_t range(size_t at = 0) const { return ai_size(at); }
  int threads() const;
  int thread_index() const;
  AI_MODEL IterationCount iterations() const { return ai_any(); }
};
struct Benchmark {
  template <class... A> AI_MODEL Benchmark *Apply(A &&...) { return this; }
  AI_MODEL Benchmark *Arg(int64_t) { return this; }
  AI_MODEL Benchmark *Args(const std::vector<int64_t> &) { return this; }
  AI_MODEL Benchmark *ArgName(const std::string &) { return this; }
  AI_MODEL Benchmark *ArgNames(const std::vector<std::string> &) { return this; }
  AI_MODEL Benchmark *ArgsProduct(const std::vector<std::vector<int64_t>> &) { return this; }
  AI_MODEL Benchmark *ArgPair(int64_t, int64_t) { return this; }
  AI_MODEL Benchmark *ComputeStatistics(const std::string &, std::function<double(const std::vector<double> &)>) { return this; }
  AI_MODEL Benchmark *DenseRange(int64_t, int64_t, int = 1) { return this; }
  AI_MODEL Benchmark *DenseThreadRange(int, int, int = 1) { return this; }
  AI_MODEL Benchmark *DisplayAggregatesOnly(bool = true) { return this; }
  AI_MODEL Benchmark *Range(int64_t, int64_t) { return this; }
  AI_MODEL Benchmark *Ranges(const std::vector<std::pair<int64_t, int64_t>> &) { return this; }
  AI_MODEL Benchmark *RangePair(int64_t, int64_t, int64_t, int64_t) { return this; }
  AI_MODEL Benchmark *RangeMultiplier(int) { return this; }
  AI_MODEL Benchmark *Unit(TimeUnit) { return this; }
  AI_MODEL Benchmark *Iterations(IterationCount) { return this; }
  AI_MODEL Benchmark *Repetitions(int) { return this; }
  AI_MODEL Benchmark *MinTime(double) { return this; }
  AI_MODEL Benchmark *MinWarmUpTime(double) { return this; }
  AI_MODEL Benchmark *Setup(void (*)(const State &)) { return this; }
  AI_MODEL Benchmark *Teardown(void (*)(const State &)) { return this; }
  AI_MODEL Benchmark *ThreadPerCpu() { return this; }
  AI_MODEL Benchmark *Threads(int) { return this; }
  AI_MODEL Benchmark *ThreadRange(int, int) { return this; }
  AI_MODEL Benchmark *UseRealTime() { return this; }
  AI_MODEL Benchmark *UseManualTime() { return this; }
  AI_MODEL Benchmark *MeasureProcessCPUTime() { return this; }
  AI_MODEL Benchmark *ReportAggregatesOnly(bool = true) { return this; }
  AI_MODEL Benchmark *Complexity(BigO = oAuto) { return this; }
  AI_MODEL Benchmark *Complexity(std::function<double(IterationCount)>) { return this; }
  AI_MODEL Benchmark *Name(const std::string &) { return this; }
};
namespace internal { using Benchmark = benchmark::Benchmark; }
struct Fixture {
  virtual ~Fixture();
  AI_MODEL virtual void SetUp(State &state) { SetUp(const_cast<const State &>(state)); }
  AI_MODEL virtual void SetUp(const State &) {}
  AI_MODEL virtual void TearDown(State &) {}
  AI_MODEL virtual void TearDown(const State &) {}
};
template <class... A> Benchmark *RegisterBenchmark(const std::string &, A &&...);
template <class T> AI_MODEL void DoNotOptimize(T &&) {}
AI_MODEL inline void ClobberMemory() {}
void Initialize(int *, char **);
bool ReportUnrecognizedArguments(int, char **);
size_t RunSpecifiedBenchmarks();
void Shutdown();
std::vector<int64_t> CreateRange(int64_t, int64_t, int);
std::vector<int64_t> CreateDenseRange(int64_t, int64_t, int);
}
#define AI_JOINED(a, b) a##b
#define AI_NAMED(a, b) AI_JOINED(a, b)
#define AI_REGISTER static benchmark::Benchmark *AI_NAMED(ai_benchmark_, __COUNTER__)
#define BENCHMARK(...) AI_REGISTER = benchmark::RegisterBenchmark("", __VA_ARGS__)
#define BENCHMARK_CAPTURE(f, name, ...) AI_REGISTER = benchmark::RegisterBenchmark("", f)
#define BENCHMARK_TEMPLATE(f, ...) AI_REGISTER = benchmark::RegisterBenchmark("", f<__VA_ARGS__>)
#define BENCHMARK_TEMPLATE1(f, a) BENCHMARK_TEMPLATE(f, a)
#define BENCHMARK_TEMPLATE2(f, a, b) BENCHMARK_TEMPLATE(f, a, b)
#define BENCHMARK_TEMPLATE1_CAPTURE(f, a, name, ...) BENCHMARK_TEMPLATE(f, a)
#define BENCHMARK_TEMPLATE2_CAPTURE(f, a, b, name, ...) BENCHMARK_TEMPLATE(f, a, b)
// The library calls SetUp through the base class, where it may be private.
#define AI_FIXTURE(name, ...) \
  struct name : __VA_ARGS__ { \
    void BenchmarkCase(benchmark::State &); \
    static void ai_fixture(benchmark::State &state) { \
      name object; \
      static_cast<benchmark::Fixture &>(object).SetUp(state); \
      object.BenchmarkCase(state); \
    } \
  }; \
  void name::BenchmarkCase
#define BENCHMARK_DEFINE_F(base, name) AI_FIXTURE(AI_NAMED(base, AI_NAMED(_, name)), base)
#define BENCHMARK_TEMPLATE_DEFINE_F(base, name, ...) AI_FIXTURE(AI_NAMED(base, AI_NAMED(_, name)), base<__VA_ARGS__>)
#define BENCHMARK_TEMPLATE1_DEFINE_F(base, name, a) BENCHMARK_TEMPLATE_DEFINE_F(base, name, a)
#define BENCHMARK_TEMPLATE2_DEFINE_F(base, name, a, b) BENCHMARK_TEMPLATE_DEFINE_F(base, name, a, b)
#define BENCHMARK_REGISTER_F(base, name) \
  AI_REGISTER = benchmark::RegisterBenchmark("", AI_NAMED(base, AI_NAMED(_, name))::ai_fixture)
#define BENCHMARK_F(base, name) BENCHMARK_DEFINE_F(base, name)
#define BENCHMARK_TEMPLATE_F(base, name, ...) BENCHMARK_TEMPLATE_DEFINE_F(base, name, __VA_ARGS__)
#define BENCHMARK_TEMPLATE1_F(base, name, a) BENCHMARK_TEMPLATE_DEFINE_F(base, name, a)
#define BENCHMARK_TEMPLATE2_F(base, name, a, b) BENCHMARK_TEMPLATE_DEFINE_F(base, name, a, b)
#define BENCHMARK_MAIN() int main(int argc, char **argv) { benchmark::RunSpecifiedBenchmarks(); return 0; }
