#include "reports/formats/kernelbench_report.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/facts/fields.hpp"
#include "reports/facts/json_text.hpp"
#include "runner/core/json.hpp"

namespace kbench {
namespace {

constexpr double kMillisecond = 1e6;  // nanoseconds

// The step at which a submission ended, as KernelBench tells things apart.
enum class Outcome { kNone, kNotCompiled, kRuntimeError, kWrong, kCorrect };

Outcome outcome_of(const ResultRow& row) {
  switch (row.state) {
    case State::kNoSubmission:
    case State::kSkipped:
    case State::kRefused:
    case State::kDoesNotFit:
    case State::kInfrastructureError: return Outcome::kNone;
    case State::kCompileError:
    case State::kMissingSymbol:
    case State::kLoadError:
    case State::kImportError: return Outcome::kNotCompiled;
    case State::kParametersDiffer:
    case State::kSubmissionError:
    case State::kCrash:
    case State::kTimeout:
    case State::kOverBudget:
    case State::kTimingInconsistent:
    case State::kDeviceNotIdle:
    case State::kRanWhileStopped:
    case State::kForbiddenLibrary:
    case State::kSuspect: return Outcome::kRuntimeError;
    case State::kWrongResult:
    case State::kRedzoneViolation:
    case State::kInputModified: return Outcome::kWrong;
    case State::kOk: break;
  }
  if (row.credit.below_floor) return Outcome::kRuntimeError;  // kSuspect gives the same
  return row.counts_as_correct() ? Outcome::kCorrect : Outcome::kWrong;
}

// "19" of "level1/019_relu"; the whole id where it has no number.
std::string problem_of(const std::string& task) {
  const std::string_view name = std::string_view(task).substr(task.rfind('/') + 1);
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() ? std::to_string(number) : task;
}

std::optional<int> number_of_variant(const std::string& variant) {
  constexpr std::string_view kPrefix = "sample_";
  if (!variant.starts_with(kPrefix)) return std::nullopt;
  int number = 0;
  const char* last = variant.data() + variant.size();
  const auto [end, error] = std::from_chars(variant.data() + kPrefix.size(), last, number);
  return error == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

// Milliseconds of one call, of each kept sample.
std::vector<double> times_of(const Evaluation& evaluation) {
  std::vector<double> times;
  for (const Sample& sample : evaluation.samples)
    if (sample.side == Side::kSubmission && !sample.dropped && sample.calls > 0)
      times.push_back(static_cast<double>(sample.time_ns) / sample.calls / kMillisecond);
  return times;
}

Json stats_of(const Evaluation& evaluation, const ResultRow& row) {
  const std::vector<double> times = times_of(evaluation);
  if (times.empty()) return Json::object();
  double sum = 0;
  for (const double time : times) sum += time;
  const double mean = sum / static_cast<double>(times.size());
  double squares = 0;
  for (const double time : times) squares += (time - mean) * (time - mean);
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  return {{"mean", rounded(mean)},
          {"std", rounded(std::sqrt(squares / static_cast<double>(times.size())))},
          {"min", rounded(*least)},
          {"max", rounded(*most)},
          {"num_trials", times.size()},
          {"hardware", row.device_name},
          {"device", row.device}};
}

std::string trials_of(const Evaluation& evaluation) {
  const auto passed = std::count_if(evaluation.checks.begin(), evaluation.checks.end(),
                                    [](const Check& check) { return check.passed; });
  return fmt::format("({} / {})", passed, evaluation.checks.size());
}

Json metadata_of(const Evaluation& evaluation, const ResultRow& row, Outcome outcome) {
  Json metadata = {{"hardware", row.device_name},
                   {"device", row.device},
                   {"kbench",
                    {{"run", row.run_id},
                     {"task", row.task},
                     {"agent", row.agent},
                     {"variant", row.variant},
                     {"submission", row.submission},
                     {"state", to_string(row.state)}}}};
  // KernelBench has no rows that count in no score: the reasons stand beside its fields.
  if (!row.credit.unranked.empty()) metadata["kbench"]["unranked_reason"] = row.credit.unranked;
  if (!row.credit.uncredited.empty())
    metadata["kbench"]["uncredited_reason"] = row.credit.uncredited;
  if (!evaluation.checks.empty()) metadata["correctness_trials"] = trials_of(evaluation);
  // A row below the floor is `ok` for kbench, and no sample that counts for KernelBench.
  const bool below_floor = row.state == State::kOk && row.credit.below_floor;
  const auto tell = [&](const char* what) {
    metadata[fmt::format("{}_name", what)] =
        below_floor ? "below_floor" : std::string(to_string(row.state));
    metadata[what] = below_floor ? row.credit.uncredited : row.message;
  };
  if (outcome == Outcome::kNotCompiled) tell("compilation_error");
  if (outcome == Outcome::kRuntimeError) tell("runtime_error");
  if (outcome == Outcome::kWrong) tell("correctness_issue");
  if (row.state == State::kSuspect || below_floor) metadata["excessive_speedup"] = true;
  return metadata;
}

struct Entry {
  std::optional<int> wanted;  // its sample's number
  Json json;
};

Entry entry_of(const Evaluation& evaluation, const ResultRow& row, Outcome outcome) {
  const bool correct = outcome == Outcome::kCorrect;
  const auto& median = row.submitted.median_ns;
  return {number_of_variant(row.variant),
          {{"sample_id", 0},
           {"compiled", outcome != Outcome::kNotCompiled},
           {"correctness", correct},
           {"metadata", metadata_of(evaluation, row, outcome)},
           {"runtime", correct && median ? rounded(*median / kMillisecond) : Json(-1.0)},
           {"runtime_stats", correct ? stats_of(evaluation, row) : Json::object()}}};
}

// Gives each sample a number of its own: the one that it is called by, where that is free.
Json numbered(std::vector<Entry> entries) {
  std::set<int> taken;
  for (Entry& entry : entries)
    if (entry.wanted && !taken.insert(*entry.wanted).second) entry.wanted.reset();
  int next = 0;
  for (Entry& entry : entries) {
    while (!entry.wanted && taken.contains(next)) ++next;
    if (!entry.wanted) taken.insert(next);
    entry.json["sample_id"] = entry.wanted.value_or(next);
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.json["sample_id"].get<int>() < b.json["sample_id"].get<int>();
  });
  Json list = Json::array();
  for (Entry& entry : entries) list.push_back(std::move(entry.json));
  return list;
}

}  // namespace

std::string render_kernelbench(const ReportData& data) {
  // Rows in the order of every report, which does not depend on when rows were finished.
  std::vector<std::pair<ResultRow, const Evaluation*>> rows;
  for (const Evaluation& evaluation : data.evaluations)
    rows.emplace_back(derive(data, evaluation), &evaluation);
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.task, a.first.submission) <
           std::pair(b.first.task, b.first.submission);
  });
  std::map<std::string, std::vector<Entry>> problems;
  for (const auto& [row, evaluation] : rows) {
    const Outcome outcome = outcome_of(row);
    if (outcome == Outcome::kNone || !row.has_submission) continue;
    problems[problem_of(row.task)].push_back(entry_of(*evaluation, row, outcome));
  }
  Json results = Json::object();
  for (auto& [problem, entries] : problems) results[problem] = numbered(std::move(entries));
  return json_text(results, 4) + "\n";
}

}  // namespace kbench
