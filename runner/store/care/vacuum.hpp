// Gives the disk back what removed runs left free in a database. `kbench db vacuum`.
#pragma once

#include <cstdint>
#include <filesystem>

#include "runner/core/result.hpp"

namespace kbench {

struct Vacuumed {
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
};

// Writes the database anew, in a temporary file beside it at first: that takes as much room as it
// has afterwards, twice. Errors: kInfrastructure while another process writes; kUsage where there
// is no file or an empty one; kBadInput where its end is cut off; those of Store::open.
[[nodiscard]] Result<Vacuumed> vacuum(const std::filesystem::path& file);

}  // namespace kbench
