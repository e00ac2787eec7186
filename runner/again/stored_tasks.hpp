// Tasks by the patterns of a command line among those that rows are stored of; the suite need not
// have them any more.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/store/store.hpp"

namespace kbench {

// The one task of the database that the pattern means. Errors: kNotFound; kUsage where it means
// several, which are listed; those of select_tasks and of the store.
[[nodiscard]] Result<std::string> find_stored_task(const Store& store, const std::string& pattern);

// Tasks of the rows that the patterns select; without patterns, all. Errors: those of select_tasks.
[[nodiscard]] Result<std::set<std::string>> stored_tasks_meant(
    const std::vector<Evaluation>& rows, const std::vector<std::string>& patterns);

// Whether an agent of that name has a row; without a name nothing is checked. Errors: kNotFound,
// with the nearest.
[[nodiscard]] Status check_stored_agent(const Run& run, const std::vector<Evaluation>& rows,
                                        const std::optional<std::string>& agent);

}  // namespace kbench
