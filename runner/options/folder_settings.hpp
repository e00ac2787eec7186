// The settings that a kbench.toml of the working directory may make. In a folder of somebody else
// that file is read without having been asked for, so it is held against a list: it may name
// outputs below its own folder only. It may not say whom kbench talks to or who may talk to it, nor
// make kbench believe or forgive more than it does by default. A file that is named with --config
// or KBENCH_CONFIG is the operator's own word.
#pragma once

#include <filesystem>

#include "runner/core/result.hpp"
#include "runner/options/settings_file.hpp"

namespace kbench {

// Errors: kUsage, with file and line.
[[nodiscard]] Status check_folder_settings(const SettingsTable& table,
                                           const std::filesystem::path& folder);

}  // namespace kbench
