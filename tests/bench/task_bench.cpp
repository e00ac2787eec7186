// Listing the suite, and reading one task completely.
#include <benchmark/benchmark.h>

#include "runner/task/suite.hpp"
#include "runner/task/task.hpp"

namespace kbench {
namespace {

void list_suite(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(list_tasks(KBENCH_SUITES));
}
BENCHMARK(list_suite)->Unit(benchmark::kMicrosecond);

void load_one_task(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(load_task(KBENCH_SUITES "/level3/043_mingptcausalattention.json"));
}
BENCHMARK(load_one_task)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace kbench
