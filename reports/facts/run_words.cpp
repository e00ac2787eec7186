#include "reports/facts/run_words.hpp"

#include <cstddef>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/run_facts.hpp"
#include "reports/facts/sanitize.hpp"

namespace kbench {
namespace {

constexpr const char* kFailed = "failed";  // stands for all states that are a failure

std::string text_of(const Json& value) {
  return value.is_string() ? sanitize_line(value.get_ref<const std::string&>()) : std::string();
}

}  // namespace

std::string which_runs(const ReportData& data) {
  std::vector<std::string> ids{short_id(data.run)};
  std::size_t rows = data.evaluations.size();
  for (const ReportData& other : data.beside) {
    ids.push_back(short_id(other.run));
    rows += other.evaluations.size();
  }
  return fmt::format("run{} {}, {} row{}", ids.size() == 1 ? "" : "s", fmt::join(ids, ", "), rows,
                     rows == 1 ? "" : "s");
}

std::string rerun_words(const Run& run) {
  const Json configuration = recorded(run.configuration);
  if (!configuration.is_object()) return "";
  const auto rerun = configuration.find("rerun");
  if (rerun == configuration.end() || !rerun->is_object()) return "";
  const std::string of = short_id(text_of(rerun->value("run", Json())));
  const Json asked = rerun->value("states", Json());
  std::vector<std::string> states;
  if (asked.is_array())
    for (const Json& state : asked) states.push_back(text_of(state));
  if (states.empty()) return "";
  const std::string what = states == std::vector<std::string>{kFailed}
                               ? "failed"
                               : fmt::format("ended as {}", fmt::join(states, " or "));
  return fmt::format("Only what {} in {} was run again", what,
                     of.empty() ? "another run" : "run " + of);
}

std::string calibration_caution(const Run& run) {
  const int failed = facts_of(run).failed_clock_checks;
  if (failed == 0) return "";
  return fmt::format(
      "When the device was calibrated, {} of the clock failed, which widens the intervals: run "
      "`kbench calibrate --only timing` again while nothing else runs",
      failed == 1 ? "a check" : fmt::format("{} checks", failed));
}

}  // namespace kbench
