// Values of options that were not typed: KBENCH_… of the environment, then kbench.toml of the
// working directory (or the file of --config), then the user's own kbench.toml in the XDG folder,
// then the option's default. A setting is a word that need not be typed: it is put into the command
// line in front of the typed ones, so that options have one parser, one check of values and one
// help. `kbench config` shows the origins.
//
//   [run] level = [1, 2]        KBENCH_RUN_LEVEL=1,2         kbench run --level 1,2
//   [tasks.lint] device = "…"   KBENCH_TASKS_LINT_DEVICE     kbench tasks lint --device …
//   db = "nightly.sqlite"       KBENCH_DB                    any command that knows --db
//
// An empty value is an error, in a file, a variable and on the command line alike: its meaning is
// unknown. A list with nothing in it says that there is none, as a preset may want to. `kbench
// nightly` takes what is set of `run` where nothing is set of itself.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/os/environment.hpp"

namespace CLI {
class App;
}

namespace kbench {

// The value of one option of a command, and where it is set.
struct EffectiveSetting {
  std::string name;                 // "level"
  std::vector<std::string> values;  // empty: not set
  std::string origin;      // "command line", "KBENCH_RUN_LEVEL", "kbench.toml:12"; or empty
  std::string by_default;  // the help's words
  bool flag = false;
  bool typed = false;
};
// Reads one variable, and lists the names of all; replaced by tests.
struct SetElsewhere {
  Environment environment = [](const std::string&) { return std::optional<std::string>(); };
  std::vector<std::string> variables;  // names that begin with KBENCH_
  std::filesystem::path folder;        // folder of a kbench.toml; empty: none is looked for
  std::filesystem::path user_folder;   // folder of the user's own one, which may say anything
  std::function<void(const std::string& line)> tell = [](const std::string&) {};
  // Receives each variable that was probably meant for an option: one line for a person.
  std::function<void(const std::string& line)> warn = [](const std::string&) {};
};
// $XDG_CONFIG_HOME/kbench, else ~/.config/kbench; empty without a home.
[[nodiscard]] std::filesystem::path user_settings_folder(const Environment& environment);

// `folder`: where a kbench.toml is looked for; empty: nowhere.
[[nodiscard]] SetElsewhere process_surroundings(std::filesystem::path folder);

// The options of the command that the words chose which `app` has parsed, whether or not that
// succeeded, in the order of its help. What is set elsewhere is tried on `app`, of which nothing is
// to be taken afterwards. Errors: kUsage for a file that cannot be read, for settings that no
// command has, each with the nearest one that there is, and for values, each with who set it and
// what the parser says.
[[nodiscard]] Result<std::vector<EffectiveSetting>> effective_settings(CLI::App& app,
                                                                       const SetElsewhere& around);

// The words that `app` has parsed, with what is set elsewhere behind the command's name.
[[nodiscard]] std::vector<std::string> with_settings(const CLI::App& app,
                                                     std::vector<std::string> words,
                                                     const std::vector<EffectiveSetting>& settings);

// Says in a line what a kbench.toml sets of this command, unless the settings say that kbench be
// quiet: the user may not have asked for it.
void tell_of_folder_settings(const std::vector<EffectiveSetting>& settings,
                             const SetElsewhere& around);

// Warns of unknown_variables, unless the settings say that kbench be quiet.
void warn_of_variables(const CLI::App& app, const std::vector<EffectiveSetting>& settings,
                       const SetElsewhere& around);

// Variables that look as if they were meant for an option and are not.
[[nodiscard]] std::vector<std::string> unknown_variables(const CLI::App& app,
                                                         const SetElsewhere& around);

}  // namespace kbench
