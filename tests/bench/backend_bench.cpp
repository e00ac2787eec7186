// Cost of the CPU backend between timed calls, in bytes of a task's buffer per second.
#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

#include <benchmark/benchmark.h>

#include "runner/backend/backend.hpp"

namespace kbench {
namespace {

constexpr std::uint64_t kElements = 8 << 20;
constexpr std::uint64_t kBytes = kElements * sizeof(float);

Backend& backend() {
  static const auto kMade =
      make_cpu_backend(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  return **kMade;
}

std::unique_ptr<SharedArena> arena() { return std::move(*backend().create_arena(kBytes)); }

void report(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kBytes));
}

void draw(benchmark::State& state, Draw::Kind kind) {
  const auto memory = arena();
  TensorSpec spec{.name = "x", .shape = {static_cast<std::int64_t>(kElements)}};
  spec.draw.kind = kind;
  spec.draw.b = 1;
  std::uint64_t key = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(backend().draw(spec, {++key, 0}, memory->data()).ok());
  report(state);
}

void copy(benchmark::State& state) {
  const auto from = arena();
  const auto to = arena();
  for (auto _ : state)
    benchmark::DoNotOptimize(backend().copy(to->data(), from->data(), kBytes).ok());
  report(state);
}

void poison(benchmark::State& state) {
  const auto memory = arena();
  for (auto _ : state) benchmark::DoNotOptimize(backend().poison(memory->data(), kBytes).ok());
  report(state);
}

void evict(benchmark::State& state) {
  const auto memory = arena();
  for (auto _ : state) {
    state.PauseTiming();
    benchmark::DoNotOptimize(
        backend().copy(memory->data(), memory->data() + kBytes / 2, kBytes / 2).ok());
    state.ResumeTiming();
    benchmark::DoNotOptimize(backend().evict(memory->data(), kBytes).ok());
  }
  report(state);
}

void compare_floats(benchmark::State& state) {
  const auto got = arena();
  const auto reference = arena();
  CompareRequest request{.got = got->data(), .reference = reference->data()};
  request.reference_dtype = DType::kFloat32;
  request.elements = kElements;
  request.ulp_factor = 64;
  request.rms = 1;
  for (auto _ : state) benchmark::DoNotOptimize(backend().compare(request)->wrong);
  report(state);
}

void flush_cache(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(backend().flush_cache().ok());
}

BENCHMARK_CAPTURE(draw, uniform, Draw::Kind::kUniform)->UseRealTime();
BENCHMARK_CAPTURE(draw, normal, Draw::Kind::kNormal)->UseRealTime();
BENCHMARK(copy)->UseRealTime();
BENCHMARK(poison)->UseRealTime();
BENCHMARK(evict)->UseRealTime();
BENCHMARK(compare_floats)->UseRealTime();
BENCHMARK(flush_cache)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kbench
