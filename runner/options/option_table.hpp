// The option table as plain values: every command with its options, what they take and what the
// help says. Read off CLI11 by describe_options(), and the one source of what is generated from it:
// the completions of shells and the manual page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace kbench {

struct OptionEntry {
  std::vector<std::string> names;    // "-q", "--quiet"; none: it goes by its place
  std::string place;                 // "TASK"; empty where it has names
  std::string value;                 // word of the help: "FILE", "cpu|cuda[:N]"; empty: a flag
  std::vector<std::string> choices;  // the words it takes; empty where they are not few
  bool optional_value = false;       // may stand without its value: --resume
  std::string help;

  [[nodiscard]] bool takes_value() const { return !value.empty(); }
  [[nodiscard]] bool takes_folder() const { return value == "DIR"; }
  [[nodiscard]] bool takes_file() const;
  // Kind of the names that its value is one of, for `kbench names`: "tasks"; empty of another
  // value.
  [[nodiscard]] std::string_view names_of_value() const;
};

struct CommandEntry {
  std::string name;                    // "tasks list"; empty for the program itself
  std::string help;                    // one line or more
  std::string footer;                  // text below the options
  std::vector<OptionEntry> options;    // order: the help's
  std::vector<CommandEntry> commands;  // its subcommands
};

[[nodiscard]] CommandEntry describe_options(const CLI::App& app);

// The command itself and everything below it, each before its own.
[[nodiscard]] std::vector<const CommandEntry*> all_commands(const CommandEntry& top);

}  // namespace kbench
