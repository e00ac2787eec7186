// A study as it lies in a database, as the lines that the analysis reads. Reads a store.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/store/store.hpp"
#include "runner/study/study_plan.hpp"

namespace kbench {

struct StoredStudy {
  std::string id;
  std::string run_id;
  StudyPlan plan;
  std::string lines;                // lines by data/schema/cell.schema.json
  std::size_t cells = 0;            // lines
  std::size_t planned = 0;          // cells of the plan
  std::vector<std::string> alarms;  // sentences that stand above all results
};

// The study by the start of its id; empty: the newest. Errors: kNotFound; kUsage, several begin so;
// kBadInput, it is damaged.
[[nodiscard]] Result<StoredStudy> read_stored_study(const Store& store, const std::string& id);

}  // namespace kbench
