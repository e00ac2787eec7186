// Rendering a run of 250 tasks.
#include <benchmark/benchmark.h>

#include "reports/formats/console_report.hpp"
#include "reports/formats/json_report.hpp"
#include "reports/page/html_report.hpp"
#include "tests/bench/sample_run.hpp"

namespace kbench {
namespace {

constexpr int kTasks = 250;

void derive_rows(benchmark::State& state) {
  const ReportData data = bench::sample_run(kTasks);
  for (auto _ : state) benchmark::DoNotOptimize(derive_all(data));
}
BENCHMARK(derive_rows)->Unit(benchmark::kMillisecond);

void json_report(benchmark::State& state) {
  const ReportData data = bench::sample_run(kTasks);
  for (auto _ : state) benchmark::DoNotOptimize(render_json(data));
}
BENCHMARK(json_report)->Unit(benchmark::kMillisecond);

void html_report(benchmark::State& state) {
  const ReportData data = bench::sample_run(kTasks);
  for (auto _ : state) benchmark::DoNotOptimize(render_html(data));
}
BENCHMARK(html_report)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kbench
