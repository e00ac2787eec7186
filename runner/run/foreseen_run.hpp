// The rows of a run before anything is started: which are evaluated, which end without that and
// why, which a resumed run has already, and how long such rows took before.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/plan/run_request.hpp"
#include "runner/run/run_terms.hpp"

namespace kbench {

struct ForeseenRow {
  enum class Fate {
    kEvaluate,
    kBaselines,  // no submission: eager and compiled are timed
    kStored,     // the run that is resumed has its row
    kEnds,       // the row ends without an evaluation
  };
  const PlannedRow* unit = nullptr;
  const Task* task = nullptr;
  Fate fate = Fate::kEvaluate;
  std::string reason;             // reason of kEnds
  std::optional<double> seconds;  // duration of such rows before; empty if it is not measured

  [[nodiscard]] bool is_measured() const {
    return fate == Fate::kEvaluate || fate == Fate::kBaselines;
  }
  // "evaluate", "baselines", "stored", or the state that it ends in.
  [[nodiscard]] std::string fate_word() const;
};

// The rows in the order of the plan, which outlives them, or of --order longest; a shuffled order
// is drawn when the run starts. The database of `terms` may be missing. Errors: those of the store;
// kUsage for a source that changed since the run that is resumed.
[[nodiscard]] Result<std::vector<ForeseenRow>> foresee_rows(const Plan& plan,
                                                            const RunRequest& request,
                                                            const RunTerms& terms);

// The durations of the rows that are measured.
struct ForeseenTime {
  double seconds = 0;
  std::size_t known = 0, unknown = 0;  // rows
};
[[nodiscard]] ForeseenTime estimate(const std::vector<ForeseenRow>& rows);

// {schema_version, device, size, database, notes[], files, rows[], seconds, rows_without_seconds}.
[[nodiscard]] Json foreseen_json(const Plan& plan, const std::vector<ForeseenRow>& rows,
                                 const RunTerms& terms);

}  // namespace kbench
