// Parts of a page beyond the rows of its run, looked up only if a page is written: the families of
// its tasks, earlier runs of the device, episodes, and sources.
#pragma once

#include <filesystem>
#include <vector>

#include "reports/write/outputs.hpp"
#include "runner/core/result.hpp"

namespace kbench {

class Store;
struct ReportData;

[[nodiscard]] bool writes_page(const std::vector<OutputRequest>& outputs);

// `suite` is asked for the operators of a task by its id; of a task that it does not have, the name
// says what it can. Errors: those of the store.
[[nodiscard]] Status add_page_extras(ReportData& data, const Store& store,
                                     const std::filesystem::path& suite);

}  // namespace kbench
