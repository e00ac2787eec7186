// kbench.toml, read and flattened: what it sets, where, and under which preset. Knows TOML and
// nothing of options; settings.hpp holds the names against the command line's.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

struct SettingValue {
  // Values as words of a command line; "true" or "false" for a truth value.
  std::vector<std::string> values;
  bool has_truth = false;  // one of them was true or false, and no text
  std::string where;       // "kbench.toml:12"
};

// Settings by path: "db", or "tasks.lint.device" of [tasks.lint].
using SettingsTable = std::map<std::string, SettingValue>;

struct SettingsFile {
  SettingsTable settings;
  std::map<std::string, SettingsTable> presets;  // [preset.NAME], [preset.NAME.run] …
};

// Reads the file; never waits for what is no regular file. Errors: kUsage, with file and line:
// unreadable, no TOML, a value that no option can have, an empty one.
[[nodiscard]] Result<SettingsFile> read_settings(const std::filesystem::path& file);

}  // namespace kbench
