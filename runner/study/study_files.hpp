// A study between its database and its files: the plan that is made of stored states, and the
// report on stored cells. Prints nothing, and knows no exit code.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/attribution/analysis.hpp"
#include "runner/core/result.hpp"
#include "runner/study/make_plan.hpp"
#include "runner/trajectory/injection.hpp"

namespace kbench {

// Makes a plan of the states in a database, and writes it. Errors: kUsage, there is no such
// database, or the file cannot be written; those of make_plan.
[[nodiscard]] Result<MadePlan> plan_study(const PlanRequest& request, const InjectionTemplate& with,
                                          const std::filesystem::path& database,
                                          const std::filesystem::path& output);

struct StudyReportRequest {
  std::filesystem::path database;
  std::string study;                           // the start of its id; empty: the newest
  std::vector<std::string> by;                 // groups that are held against each other
  std::optional<std::filesystem::path> html;   // page to write
  std::optional<std::filesystem::path> lines;  // all cells, to write
};

struct StudyReport {
  std::string name;  // "study 0123456789ab"
  std::size_t cells = 0;
  Attribution found;  // the study's alarms stand above its own
};

// `state`: folder with the key of the database's chains. Errors: kUsage, there is no such database,
// or a file cannot be written; those of read_stored_study and analyze.
[[nodiscard]] Result<StudyReport> report_study(const StudyReportRequest& request,
                                               const std::filesystem::path& state);

}  // namespace kbench
