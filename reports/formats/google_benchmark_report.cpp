#include "reports/formats/google_benchmark_report.hpp"

#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "reports/facts/fields.hpp"
#include "reports/facts/json_text.hpp"
#include "reports/facts/run_facts.hpp"
#include "runner/core/json.hpp"

namespace kbench {
namespace {

Json context(const ReportData& data) {
  const Json environment = recorded(data.run.environment);
  const Json::json_pointer threads("/host/threads");
  const Json::json_pointer kbench("/kbench");
  const bool knows = environment.is_object();
  return {{"date", data.run.started_at},
          {"host_name", ""},
          {"executable", "kbench"},
          {"num_cpus", knows && environment.contains(threads) ? environment[threads] : Json(0)},
          {"mhz_per_cpu", 0},
          {"cpu_scaling_enabled", false},
          {"caches", Json::array()},
          {"load_avg", Json::array()},
          {"library_build_type", "release"},
          {"library_version", knows && environment.contains(kbench) ? environment[kbench] : ""},
          {"json_schema_version", 1},
          // Custom context, as --benchmark_context adds it.
          {"kbench_run_id", data.run.id},
          {"kbench_device", device_of(data)},
          {"kbench_device_name", data.device_name},
          {"kbench_chain", to_string(data.chain.state)}};
}

// A counter that is not there is left out, as Google Benchmark does.
void add_counter(Json& benchmark, const char* name, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) benchmark[name] = *value;
}

void add_speedup(Json& benchmark, const std::string& name, const std::string_view field,
                 const ResultRow& row) {
  const Json value = result_field(field).value(row);
  if (value.is_null() || !row.counts_as_correct()) return;
  benchmark[name] = value.at("estimate");
  benchmark[name + "_low"] = value.at("low");
  benchmark[name + "_high"] = value.at("high");
}

// Timed visits of one side: a block visits each of them equally often.
int visits(const ResultRow& row) {
  int sides = 0;
  for (const Timing* timing : {&row.eager, &row.compiled, &row.submitted})
    sides += timing->median_ns ? 1 : 0;
  return sides == 0 ? 0 : row.counts.kept / sides;
}

Json benchmark_of(const ResultRow& row, std::string_view who, const Timing& timing) {
  const std::string name = fmt::format("{}/{}/{}", row.task, row.size, who);
  Json benchmark = {{"name", name},
                    {"run_name", name},
                    {"run_type", "iteration"},
                    {"repetitions", 1},
                    {"repetition_index", 0},
                    {"threads", 1},
                    {"iterations", timing.median_ns ? visits(row) : 0},
                    {"real_time", timing.median_ns.value_or(0)},
                    {"cpu_time", timing.median_ns.value_or(0)},
                    {"time_unit", "ns"}};
  if (!row.labels.empty()) benchmark["label"] = row.labels;
  return benchmark;
}

Json submission_of(const ResultRow& row) {
  Json benchmark = benchmark_of(row, row.told_apart(), row.submitted);
  benchmark["state"] = to_string(row.state);
  if (row.state != State::kOk) {
    // A failed submission's time, where there is one, is no result.
    benchmark["iterations"] = benchmark["real_time"] = benchmark["cpu_time"] = 0;
    const bool skipped = row.state == State::kSkipped;
    benchmark[skipped ? "skipped" : "error_occurred"] = true;
    benchmark[skipped ? "skip_message" : "error_message"] =
        row.message.empty() ? std::string(to_string(row.state)) : row.message;
  }
  add_speedup(benchmark, "speedup", "speedup.eager", row);
  add_speedup(benchmark, "speedup_compiled", "speedup.compiled", row);
  add_counter(benchmark, "eager_ns", row.eager.median_ns);
  add_counter(benchmark, "compiled_ns", row.compiled.median_ns);
  add_counter(benchmark, "max_error", row.max_error);
  add_counter(benchmark, "tolerance", row.tolerance);
  add_counter(benchmark, "floor_ns", row.floor_ns);
  if (row.over_eager && row.counts_as_correct())
    benchmark["verdict"] = to_string(row.over_eager->verdict);
  return benchmark;
}

}  // namespace

std::string render_google_benchmark(const ReportData& data) {
  Json benchmarks = Json::array();
  for (const ResultRow& row : derive_all(data)) {
    if (row.has_submission) {
      benchmarks.push_back(submission_of(row));
      continue;
    }
    if (row.eager.median_ns) benchmarks.push_back(benchmark_of(row, "eager", row.eager));
    if (row.compiled.median_ns) benchmarks.push_back(benchmark_of(row, "compiled", row.compiled));
  }
  return json_text({{"context", context(data)}, {"benchmarks", benchmarks}}, 2) + "\n";
}

}  // namespace kbench
