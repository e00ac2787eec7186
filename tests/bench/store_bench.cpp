// One finished evaluation with 300 samples into the store: one transaction, synced to disk.
#include <filesystem>

#include <benchmark/benchmark.h>

#include "runner/store/store.hpp"
#include "tests/bench/sample_run.hpp"

namespace kbench {
namespace {

void add_evaluation(benchmark::State& state) {
  const auto folder = std::filesystem::temp_directory_path() / "kbench-store-bench";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  {
    auto store = Store::open(folder / "bench.sqlite", Store::Mode::kReadWrite);
    if (!store || !store->begin_run(bench::sample_run(0).run)) {
      state.SkipWithError("the store cannot be opened");
      return;
    }
    int index = 0;
    for (auto _ : state)
      if (!store->add(bench::sample_evaluation(index++))) state.SkipWithError("add failed");
  }
  std::filesystem::remove_all(folder);
}
BENCHMARK(add_evaluation)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace kbench
