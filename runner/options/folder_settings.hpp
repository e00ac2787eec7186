// The settings that a kbench.toml of the working directory may make. In a foreign folder that file
// is read without having been asked for, so it is held against a list: it may name outputs, and
// files whose text is shown, below its own folder only. It may not say whom kbench talks to or who
// may talk to it, nor what kbench runs or spends, nor make kbench believe or forgive more than it
// does by default. The list goes by the option, for every verb. A file that is named with --config
// or KBENCH_CONFIG is the operator's own word.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "runner/core/result.hpp"
#include "runner/options/settings_file.hpp"

namespace kbench {

enum class FolderRule {
  kFree,
  kBelowFolder,  // names a place, which lies below the file's folder
  kNoCommand,    // a value without "="
  kOperators,    // only where the operator says so
};
// The rule for an option by its path, such as "run.level". Nothing: the lists do not know it, and
// it is refused like kOperators.
[[nodiscard]] std::optional<FolderRule> folder_rule(std::string_view path);

// Errors: kUsage, with file and line.
[[nodiscard]] Status check_folder_settings(const SettingsTable& table,
                                           const std::filesystem::path& folder);

}  // namespace kbench
