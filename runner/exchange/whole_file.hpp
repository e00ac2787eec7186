// Files of a folder that several machines share, each there as a whole or not at all: written under
// a draft's name, flushed to the disk (fsync), and only then named. A process that is killed leaves
// a draft behind, which nobody reads and `kbench exchange prune` removes.
#pragma once

#include <filesystem>
#include <string_view>

#include "runner/core/result.hpp"

namespace kbench {

// Makes the folder of a file, with those above it. Errors: kInfrastructure.
[[nodiscard]] Status make_shared_folder(const std::filesystem::path& folder);

// Replaces what is there. Errors: kInfrastructure; the old file stays then.
[[nodiscard]] Status put_whole(const std::filesystem::path& file, std::string_view bytes);

// Puts the file by link(2), which the first one wins, also of two machines. False: a file of that
// name is there, and stays. Errors: kInfrastructure, where it cannot be written or the file system
// has no links.
[[nodiscard]] Result<bool> put_first(const std::filesystem::path& file, std::string_view bytes);

// Whether a file of this name is a draft.
[[nodiscard]] bool is_draft(const std::filesystem::path& file);

}  // namespace kbench
