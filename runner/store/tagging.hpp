// Gives a run of a database a name, and takes it away. The file is read first, so that none is made
// where there is none, and one that is damaged is not made worse.
#pragma once

#include <filesystem>
#include <string>

#include "runner/core/result.hpp"
#include "runner/store/store.hpp"

namespace kbench {

// The run that `name` (store/run_name.hpp) means, which is called `tag` from now on. In that run
// every value is looked at. Errors: those of Store::open, check_pages, find_run_named and
// Store::put.
[[nodiscard]] Result<Run> tag_run(const std::filesystem::path& database, const std::string& name,
                                  const std::string& tag);

// Errors: those of Store::open and check_pages; kNotFound without such a tag, with the nearest one.
Status untag(const std::filesystem::path& database, const std::string& tag);

}  // namespace kbench
