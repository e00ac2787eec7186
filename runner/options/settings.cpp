#include "runner/options/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/run_choices.hpp"
#include "runner/core/suggest.hpp"
#include "runner/options/folder_settings.hpp"
#include "runner/options/settings_file.hpp"
#include "runner/options/terminal.hpp"
#include "runner/os/clean_text.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to us

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsualFile = "kbench.toml";
// Options that mean the same in every command: they are set without naming one.
constexpr std::array<std::string_view, 3> kShared{"color", "db", "suite"};
// Options that say where settings come from, or end the program.
constexpr std::array<std::string_view, 5> kUnsettable{"config", "help", "preset", "resume",
                                                      "version"};
// Variables that are no options (installation.hpp, torch_search.hpp, setup, tests).
constexpr std::array<std::string_view, 11> kOtherVariables{
    "KBENCH_CACHE",         "KBENCH_CONFIG",       "KBENCH_DEPS",   "KBENCH_IMPORT_ALL",
    "KBENCH_LOCKS",         "KBENCH_PRESET",       "KBENCH_ROOT",   "KBENCH_TORCH",
    "KBENCH_UPDATE_GOLDEN", "KBENCH_WHEEL_PYTHON", "KBENCH_WITHOUT"};
constexpr std::string_view kOurs = "KBENCH_";

template <class List>
bool contains(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

Error usage(std::string message, std::string hint) {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

// The long name without its dashes; empty of what cannot be set.
std::string settable_name(const CLI::Option& option) {
  if (option.get_lnames().empty()) return "";
  const std::string& name = option.get_lnames().front();
  return contains(kUnsettable, name) ? "" : name;
}

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

template <class App>  // const or not
App& reached(App& app) {
  CLI::App* last = nullptr;
  for (auto chosen = app.get_subcommands(); !chosen.empty(); chosen = last->get_subcommands())
    last = chosen.front();
  return last == nullptr ? app : *last;
}

// "tasks.lint"; empty of the program itself.
std::string path_of(const CLI::App& app) {
  if (app.get_parent() == nullptr) return "";
  const std::string above = path_of(*app.get_parent());
  return above.empty() ? app.get_name() : above + "." + app.get_name();
}

// "tasks lint"
std::string words_of(std::string path) {
  std::replace(path.begin(), path.end(), '.', ' ');
  return path;
}

std::string variable_of(const std::string& path) {
  std::string name = std::string(kOurs) + path;
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c == '.' || c == '-' ? '_' : (c >= 'a' && c <= 'z') ? static_cast<char>(c - 32) : c;
  });
  return name;
}

// Every path that can be set: "db", "run.level", "tasks.lint.device".
void collect_paths(const CLI::App& app, std::set<std::string>& paths) {
  const std::string prefix = path_of(app);
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = settable_name(*option);
    if (name.empty()) continue;
    if (contains(kShared, name)) paths.insert(name);
    if (!prefix.empty()) paths.insert(prefix + "." + name);
  }
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    collect_paths(*sub, paths);
}

const CLI::App& root_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? app : root_of(*app.get_parent());
}

std::set<std::string> known_paths(const CLI::App& app) {
  std::set<std::string> paths;
  collect_paths(root_of(app), paths);
  return paths;
}

Error unknown_setting(const std::string& path, const SettingValue& value,
                      const std::set<std::string>& known) {
  const auto dot = path.rfind('.');
  const std::string table = dot == std::string::npos ? "" : path.substr(0, dot + 1);
  const std::string key = dot == std::string::npos ? path : path.substr(dot + 1);
  std::vector<std::string> siblings;
  std::vector<std::string> all(known.begin(), known.end());
  for (const std::string& one : all)
    if (one.starts_with(table) && one.find('.', table.size()) == std::string::npos)
      siblings.push_back(one.substr(table.size()));
  const bool no_such_table = siblings.empty() || (table.empty() && siblings.empty());
  auto guess = no_such_table ? nearest(path, all) : nearest(key, siblings);
  std::string hint = "`kbench config run` shows what can be set of `run`";
  if (guess) hint = fmt::format("did you mean \"{}\"?", *guess);
  if (!guess && table.empty() && known.contains("run." + key))
    hint = "an option of `kbench run` stands below [run]";
  return usage(
      fmt::format("{}: no command has a setting \"{}\"", value.where, clean_name(path, 100)), hint);
}

Status check_names(const SettingsTable& table, const std::set<std::string>& known) {
  for (const auto& [path, value] : table)
    if (!known.contains(path)) return unknown_setting(path, value, known);
  return Done{};
}

// A variable's value. Errors: kUsage where it is empty.
Result<std::optional<std::string>> value_of(const std::string& variable,
                                            const SetElsewhere& around) {
  auto value = around.environment(variable);
  if (value && value->empty()) return usage(variable + " is empty", "say one, or unset it");
  return value;
}

// The source that --config or --preset names; else that of the variable; empty where neither does.
// Errors: as above.
Result<std::string> source_option(const CLI::App& app, const std::string& name,
                                  const SetElsewhere& around) {
  const CLI::Option* option = app.get_option_no_throw("--" + name);
  if (option != nullptr && !option->results().empty()) return option->results().back();
  const auto value = value_of(variable_of(name), around);
  if (!value) return value.error();
  return value->value_or("");
}

// One table, strongest last.
struct Layer {
  SettingsTable table;
  std::string suffix;  // suffix of an origin
};

// A file of settings that counts.
struct Source {
  fs::path file;
  bool of_folder = false;  // lies in the working directory, so it says only what it may
};

bool is_there(const fs::path& file) {
  std::error_code none;
  // A folder or a broken link of that name, too: its maker gets an error, not silence.
  return fs::exists(fs::symlink_status(file, none));
}

// Sources, weakest first: the user's own file, then the one that is named or else lies in the
// working directory. A file that is both is the user's own.
std::vector<Source> sources_of(const std::string& named, const SetElsewhere& around) {
  std::vector<Source> sources;
  const fs::path own = around.user_folder.empty() ? fs::path() : around.user_folder / kUsualFile;
  std::error_code none;
  const auto is_own = [&](const fs::path& file) {
    return !own.empty() && fs::equivalent(own, file, none);
  };
  if (!own.empty() && is_there(own)) sources.push_back({own});
  const bool found =
      named.empty() && !around.folder.empty() && is_there(around.folder / kUsualFile);
  if (!named.empty() && !is_own(named)) sources.push_back({named});
  if (found && !is_own(around.folder / kUsualFile)) sources.push_back({kUsualFile, true});
  return sources;
}

Result<SettingsFile> read_source(const Source& source, const std::set<std::string>& known,
                                 const SetElsewhere& around) {
  auto settings = read_settings(source.file);
  if (!settings) return settings;
  const auto check = [&](const SettingsTable& table) {
    const auto fine = check_names(table, known);
    return fine && source.of_folder ? check_folder_settings(table, around.folder) : fine;
  };
  if (auto fine = check(settings->settings); !fine) return fine.error();
  for (const auto& [name, table] : settings->presets)
    if (auto fine = check(table); !fine) return fine.error();
  return settings;
}

Error no_such_preset(const std::string& preset, const std::vector<Source>& sources,
                     const std::vector<std::string>& names) {
  if (sources.empty())
    return usage(fmt::format("there is no {} here that could have a preset {}", kUsualFile,
                             clean_name(preset, 64)),
                 "name it with --config FILE");
  std::vector<std::string> files;
  for (const Source& source : sources) files.push_back(clean_name(source.file.string()));
  const auto guess = nearest(preset, names);
  return usage(fmt::format("{} {} no preset \"{}\"", fmt::join(files, " and "),
                           files.size() == 1 ? "has" : "have", clean_name(preset, 64)),
               guess           ? fmt::format("did you mean \"{}\"?", *guess)
               : names.empty() ? "a preset is a table: [preset.NAME.run]"
                               : fmt::format("presets are {}", fmt::join(names, ", ")));
}

// A preset overrides the tables of all files.
Result<std::vector<Layer>> layers_of(const CLI::App& app, const SetElsewhere& around) {
  const auto named = source_option(app, "config", around);
  if (!named) return named.error();
  const auto preset = source_option(app, "preset", around);
  if (!preset) return preset.error();
  const std::vector<Source> sources = sources_of(*named, around);
  const auto known = known_paths(app);
  std::vector<Layer> layers, chosen;
  std::vector<std::string> names;
  for (const Source& source : sources) {
    auto settings = read_source(source, known, around);
    if (!settings) return settings.error();
    layers.push_back({std::move(settings->settings), ""});
    for (auto& [name, table] : settings->presets) {
      names.push_back(name);
      if (name == *preset)
        chosen.push_back({std::move(table), fmt::format(" (preset {})", *preset)});
    }
  }
  if (!preset->empty() && chosen.empty()) return no_such_preset(*preset, sources, names);
  std::move(chosen.begin(), chosen.end(), std::back_inserter(layers));
  return layers;
}

// Paths at which a setting of a command may stand, weakest first.
std::vector<std::string> paths_for(const std::string& command, const std::string& name) {
  std::vector<std::string> paths;
  if (contains(kShared, name)) paths.push_back(name);
  if (command == "nightly") paths.push_back("run." + name);
  if (!command.empty()) paths.push_back(command + "." + name);
  return paths;
}

std::optional<bool> truth_of(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  if (text == "1" || text == "true" || text == "yes" || text == "on") return true;
  if (text == "0" || text == "false" || text == "no" || text == "off") return false;
  return std::nullopt;
}

Status check_flag(const EffectiveSetting& setting) {
  if (setting.values.size() == 1 && truth_of(setting.values.front())) return Done{};
  return usage(fmt::format("{}: {} is true or false", setting.origin, setting.name),
               fmt::format("{} = true is the same as --{}", setting.name, setting.name));
}

// Lets the parser check a value, and says in an error who set it. Leaves the option as if nobody
// had typed it.
Status check_value(const EffectiveSetting& setting, CLI::Option& option) {
  if (setting.typed || setting.origin.empty() || setting.values.empty()) return Done{};
  if (setting.flag) return check_flag(setting);
  Status fine = Done{};
  try {
    option.add_result(setting.values);
    option.run_callback();
  } catch (const CLI::Error& problem) {
    fine = usage(fmt::format("{}: {}", setting.origin, problem.what()), "");
  }
  option.clear();
  return fine;
}

// All errors at once: the author of a file mends it once.
Status all_of(const std::vector<Error>& errors, const CLI::App& command) {
  if (errors.empty()) return Done{};
  Error all = errors.front();
  for (std::size_t i = 1; i < errors.size(); ++i) all.message += "\n" + errors[i].message;
  if (all.hint.empty())
    all.hint = fmt::format("`kbench {} --help` shows what is possible", words_of(path_of(command)));
  return all;
}

std::string default_of(const CLI::Option& option) {
  constexpr std::string_view kMark = "(default: ";
  const std::string text = option.get_description();
  const auto at = text.rfind(kMark);
  if (at == std::string::npos) return is_flag(option) ? "off" : "";
  const auto end = text.find_last_of(')');
  return text.substr(at + kMark.size(), end - at - kMark.size());
}

// Looks up a setting that was not typed: the strongest layer has it, or none. Errors: kUsage, true
// or false of what is neither, an empty variable.
Status look_up(EffectiveSetting& setting, const std::string& command,
               const std::vector<Layer>& layers, const SetElsewhere& around) {
  const auto paths = paths_for(command, setting.name);
  for (const Layer& layer : layers) {
    for (const std::string& path : paths) {
      const auto found = layer.table.find(path);
      if (found == layer.table.end()) continue;
      if (found->second.has_truth && !setting.flag)
        return usage(fmt::format("{}: {} is neither true nor false", found->second.where, path),
                     fmt::format("what --{} takes stands there", setting.name));
      setting.values = found->second.values;
      setting.origin = found->second.where + layer.suffix;
    }
  }
  for (const std::string& path : paths) {
    const auto value = value_of(variable_of(path), around);
    if (!value) return value.error();
    if (!*value) continue;
    setting.values = {**value};
    setting.origin = variable_of(path);
  }
  return Done{};
}

std::set<std::string> known_variables(const CLI::App& app) {
  std::set<std::string> known(kOtherVariables.begin(), kOtherVariables.end());
  for (const std::string& path : known_paths(app)) known.insert(variable_of(path));
  return known;
}

bool is_quiet(const std::vector<EffectiveSetting>& settings) {
  return std::any_of(settings.begin(), settings.end(), [](const EffectiveSetting& setting) {
    return setting.name == "quiet" && !setting.values.empty() &&
           (setting.typed || truth_of(setting.values.front()) == true);
  });
}

// A typed option wins, and overrules all that it excludes or replaces.
bool is_overruled(const CLI::App& app, const CLI::Option& option, const std::string& name) {
  const CLI::Option* resume = app.get_option_no_throw("--resume");
  if (resume != nullptr && resume->count() > 0 && is_choice_of_run(name)) return true;
  const auto& excluded = option.get_excludes();
  return std::any_of(excluded.begin(), excluded.end(),
                     [](const CLI::Option* other) { return other->count() > 0; });
}

}  // namespace

fs::path user_settings_folder(const Environment& environment) {
  // The XDG specification: a relative path is to be ignored.
  const fs::path xdg = environment("XDG_CONFIG_HOME").value_or("");
  if (xdg.is_absolute()) return xdg / "kbench";
  const fs::path home = environment("HOME").value_or("");
  return home.is_absolute() ? home / ".config" / "kbench" : fs::path();
}

SetElsewhere process_surroundings(fs::path folder) {
  SetElsewhere around;
  around.environment = process_environment();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (text.starts_with(kOurs)) around.variables.emplace_back(text.substr(0, text.find('=')));
  }
  around.folder = std::move(folder);
  around.user_folder = user_settings_folder(around.environment);
  around.tell = [](const std::string& line) { fmt::print(stderr, "{}\n", printable(line)); };
  around.warn = [](const std::string& line) {
    const Terminal terminal = inspect_terminal(STDERR_FILENO, ColorMode::kAuto);
    fmt::print(stderr, "{} {}\n", terminal.paint(Color::kYellow, "warning:"), printable(line));
  };
  return around;
}

Result<std::vector<EffectiveSetting>> effective_settings(CLI::App& app,
                                                         const SetElsewhere& around) {
  CLI::App& command = reached(app);
  const auto layers = layers_of(command, around);
  if (!layers) return layers.error();
  std::vector<EffectiveSetting> settings;
  std::vector<Error> errors;
  const auto hear = [&](const Status& status) {
    if (!status) errors.push_back(status.error());
    return status.ok();
  };
  for (CLI::Option* option : command.get_options()) {
    EffectiveSetting setting;
    setting.name = settable_name(*option);
    if (setting.name.empty()) continue;
    setting.flag = is_flag(*option);
    setting.by_default = default_of(*option);
    setting.typed = option->count() > 0;
    if (setting.typed) {
      setting.values = option->results();
      setting.origin = "command line";
    } else if (!is_overruled(command, *option, setting.name)) {
      if (hear(look_up(setting, path_of(command), *layers, around)))
        hear(check_value(setting, *option));
    }
    settings.push_back(std::move(setting));
  }
  if (auto fine = all_of(errors, command); !fine) return fine.error();
  return settings;
}

std::vector<std::string> with_settings(const CLI::App& app, std::vector<std::string> words,
                                       const std::vector<EffectiveSetting>& settings) {
  std::vector<std::string> added;
  for (const EffectiveSetting& setting : settings) {
    if (setting.typed || setting.origin.empty()) continue;
    if (setting.flag) {
      if (truth_of(setting.values.front()) == true) added.push_back("--" + setting.name);
      continue;
    }
    for (const std::string& value : setting.values)
      added.push_back(fmt::format("--{}={}", setting.name, value));
  }
  // The settings stand behind the names of the commands, which stand first.
  auto at = words.begin() + std::min<std::ptrdiff_t>(1, std::ssize(words));
  const CLI::App* here = &app;
  while (at != words.end()) {
    const auto chosen = here->get_subcommands();
    if (chosen.empty() || chosen.front()->get_name() != *at) break;
    here = chosen.front();
    ++at;
  }
  if (here == &reached(app)) words.insert(at, added.begin(), added.end());
  return words;
}

void tell_of_folder_settings(const std::vector<EffectiveSetting>& settings,
                             const SetElsewhere& around) {
  std::vector<std::string> names;
  for (const EffectiveSetting& setting : settings)
    if (!setting.typed && setting.origin.starts_with(fmt::format("{}:", kUsualFile)))
      names.push_back(setting.name);
  if (!names.empty() && !is_quiet(settings))
    around.tell(fmt::format("{} sets {}", kUsualFile, fmt::join(names, ", ")));
}

std::vector<std::string> unknown_variables(const CLI::App& app, const SetElsewhere& around) {
  const std::set<std::string> known = known_variables(app);
  std::vector<std::string> unknown;
  for (const std::string& name : around.variables)
    if (!known.contains(name)) unknown.push_back(name);
  std::sort(unknown.begin(), unknown.end());
  return unknown;
}

void warn_of_variables(const CLI::App& app, const std::vector<EffectiveSetting>& settings,
                       const SetElsewhere& around) {
  if (settings.empty() || is_quiet(settings)) return;
  std::vector<std::string> known;  // names without the prefix, which would make all near
  for (const std::string& name : known_variables(app)) known.push_back(name.substr(kOurs.size()));
  for (const std::string& name : unknown_variables(app, around)) {
    const auto guess = nearest(name.substr(kOurs.size()), known);
    around.warn(name + " sets no option" +
                (guess ? fmt::format("; did you mean {}{}?", kOurs, *guess) : ""));
  }
}

}  // namespace kbench
