// Files of a folder that several machines share, each there as a whole or not at all: written under
// a draft's name, flushed to the disk (fsync), and only then named. A process that is killed leaves
// a draft behind, which is never read and `kbench exchange prune` removes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "runner/core/result.hpp"
#include "runner/exchange/shared_folder.hpp"

namespace kbench {

// Replaces what is there, and makes the folder. Errors: those of SharedFolder::make();
// kInfrastructure; the old file stays then.
[[nodiscard]] Status put_whole(const SharedFolder& folder, const std::string& name,
                               std::string_view bytes);

// Puts the file by link(2), which the first one wins, also of two machines. False: a file of that
// name is there, and stays. Errors: as of put_whole(); kInfrastructure also where the file system
// has no links.
[[nodiscard]] Result<bool> put_first(const SharedFolder& folder, const std::string& name,
                                     std::string_view bytes);

// Whether a file of this name is a draft.
[[nodiscard]] bool is_draft(const std::filesystem::path& file);

}  // namespace kbench
