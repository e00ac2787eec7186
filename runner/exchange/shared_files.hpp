// A cache of this machine that takes from an exchange what another machine has built, and gives
// what it has built itself. Only a signed entry is taken.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/exchange/cache_entries.hpp"

namespace kbench {

// Writes the files of the entry into `folder`, each whole. False: there is no such entry, or not
// with exactly these names, and nothing was written. Errors: kInfrastructure.
[[nodiscard]] Result<bool> take_shared_files(const CacheEntries& entries, const std::string& key,
                                             const std::filesystem::path& folder,
                                             const std::vector<std::string>& names);

// Puts these files of `folder` there as the entry. Errors: kNotFound where one is not there;
// kInfrastructure.
[[nodiscard]] Status give_shared_files(const CacheEntries& entries, const std::string& key,
                                       const std::filesystem::path& folder,
                                       const std::vector<std::string>& names);

}  // namespace kbench
