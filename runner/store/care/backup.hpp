// A copy of a database as it is at one moment, also while a run writes into it, by SQLite's backup
// interface. `kbench db backup`.
#pragma once

#include <cstdint>
#include <filesystem>

#include "runner/core/result.hpp"

namespace kbench {

// Returns the size of the copy, which is one file that may be read in a folder that cannot be
// written. Errors: kUsage where `to` exists; kBadInput where what was copied is damaged, sources
// included, and then there is no copy; those of Store::open.
[[nodiscard]] Result<std::uint64_t> back_up(const std::filesystem::path& file,
                                            const std::filesystem::path& to);

}  // namespace kbench
