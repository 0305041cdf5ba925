#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <ranges>
#include <string>
#include <vector>
namespace benchmark {
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
struct Iterations {
  IterationCount done;
  AI_MODEL IterationCount operator*() const { return done; }
  AI_MODEL Iterations &operator++() { ++done; return *this; }
  AI_MODEL bool operator!=(const Iterations &other) const { return done != other.done; }
};
struct State {
  UserCounters counters;
  IterationCount max_iterations;
  int64_t range_0, range_1, range_2, range_3;  // what range(0) to range(3) give
  // As many iterations as the library finds enough.
  AI_MODEL Iterations begin() { return {0}; }
  AI_MODEL Iterations end() { return {max_iterations}; }
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
  AI_MODEL int64_t range(size_t which = 0) const {
    return which == 0 ? range_0 : which == 1 ? range_1 : which == 2 ? range_2 : range_3;
  }
  int threads() const;
  int thread_index() const;
  AI_MODEL IterationCount iterations() const { return max_iterations; }
};
struct Benchmark {
  template <class... A> Benchmark *Apply(A &&...);
  Benchmark *Arg(int64_t);
  Benchmark *Args(const std::vector<int64_t> &);
  Benchmark *ArgName(const std::string &);
  Benchmark *ArgNames(const std::vector<std::string> &);
  Benchmark *ArgsProduct(const std::vector<std::vector<int64_t>> &);
  Benchmark *DenseRange(int64_t, int64_t, int = 1);
  Benchmark *Range(int64_t, int64_t);
  Benchmark *Ranges(const std::vector<std::pair<int64_t, int64_t>> &);
  Benchmark *RangeMultiplier(int);
  Benchmark *Unit(TimeUnit);
  Benchmark *Iterations(IterationCount);
  Benchmark *Repetitions(int);
  Benchmark *MinTime(double);
  Benchmark *Threads(int);
  Benchmark *ThreadRange(int, int);
  Benchmark *UseRealTime();
  Benchmark *UseManualTime();
  Benchmark *MeasureProcessCPUTime();
  Benchmark *ReportAggregatesOnly(bool = true);
  Benchmark *Complexity(BigO = oAuto);
  Benchmark *Name(const std::string &);
};
namespace internal { using Benchmark = benchmark::Benchmark; }
struct Fixture {
  virtual ~Fixture();
  virtual void SetUp(State &);
  virtual void TearDown(State &);
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
#define BENCHMARK_DEFINE_F(base, name) \
  struct AI_NAMED(base, AI_NAMED(_, name)) : base { void BenchmarkCase(benchmark::State &); }; \
  void AI_NAMED(base, AI_NAMED(_, name))::BenchmarkCase
#define BENCHMARK_REGISTER_F(base, name) AI_REGISTER = benchmark::RegisterBenchmark("")
#define BENCHMARK_F(base, name) BENCHMARK_DEFINE_F(base, name)
#define BENCHMARK_MAIN() int main(int argc, char **argv) { benchmark::RunSpecifiedBenchmarks(); return 0; }
