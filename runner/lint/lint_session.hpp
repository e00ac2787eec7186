// A lint of a suite's tasks from start to end: takes the device, tries each task, finds copies
// among their graphs, and stores each finding at once. Prints nothing.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/lint/linter.hpp"
#include "runner/plan/run_request.hpp"

namespace kbench {

class OracleProcess;
class Sandbox;
struct Target;

// Starts an oracle in the class `precision` if that is one of 16 bits, else in fp32: TF32's own
// errors would let a rounded output pass on CUDA, and hide how exact eager is. Returns once it has
// answered. Errors: those of starting it.
[[nodiscard]] Result<std::unique_ptr<OracleProcess>> start_lint_oracle(
    Sandbox& sandbox, const Installation& installation, const Target& target,
    const std::string& precision);

struct LintRow {
  LintOutcome outcome;
  double seconds = 0;
};

struct SuiteLint {
  std::optional<Error> nothing_selected;  // then the rest is empty
  std::vector<LintRow> rows;              // order: the tasks'
  bool interrupted = false;               // Ctrl-C ended it; some tasks have no row

  [[nodiscard]] int count(LintState state) const;
  // A suite of 250 tasks may keep at most so many with a flaw that they name.
  static constexpr int kMostAccepted = 5;
  [[nodiscard]] bool accepts_too_many() const {
    return count(LintState::kAccepted) > kMostAccepted;
  }
};

// Lints the tasks of `selection`, on the device and at the size that it chooses as for a run, in
// its precision class if that is one of 16 bits, else in fp32. States of 16 bits are not stored.
// Errors: those of the selection, the device, the store and of starting an oracle.
[[nodiscard]] Result<SuiteLint> lint_suite(const RunRequest& selection,
                                           const std::filesystem::path& database,
                                           const Installation& installation,
                                           ProgressSink& progress);

// {schema_version, tasks[]}, in the order of the rows.
[[nodiscard]] Json lint_json(const std::vector<LintRow>& rows);

}  // namespace kbench
