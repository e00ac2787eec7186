#include "runner/cli/names_command.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/plan/task_choice.hpp"
#include "runner/store/known_agents.hpp"
#include "runner/store/store.hpp"
#include "runner/task/family.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// The value of an option on the line that is completed: "--db x", "--db=x", or the three words that
// bash makes of that.
std::optional<std::string> value_on_line(const std::vector<std::string>& line,
                                         const std::string& option) {
  for (std::size_t i = line.size(); i-- > 0;) {
    if (line[i].starts_with(option + "=") && line[i].size() > option.size() + 1)
      return line[i].substr(option.size() + 1);
    if (line[i] != option) continue;
    std::size_t value = i + 1;
    if (value < line.size() && line[value] == "=") ++value;
    if (value < line.size() && !line[value].empty()) return line[value];
  }
  return std::nullopt;
}

std::vector<std::string> tasks(const NamesOptions& options, const Installation& installation) {
  std::optional<fs::path> suite = options.common.suite;
  if (const auto typed = value_on_line(options.line, "--suite")) suite = *typed;
  std::vector<std::string> ids;
  if (const auto entries = tasks_of_suite(suite, installation))
    for (const TaskEntry& entry : *entries) ids.push_back(entry.id);
  return ids;
}

std::vector<std::string> runs_and_tags(const fs::path& database, bool with_runs) {
  std::vector<std::string> names;
  const auto store = Store::open(database, Store::Mode::kReadOnly);
  if (!store) return names;
  if (const auto tags = store->tags())
    for (const Tag& tag : *tags) names.push_back(tag.name);
  if (!with_runs) return names;
  names.emplace_back("latest");
  if (const auto runs = store->runs())
    for (const Run& run : *runs) names.push_back(short_id(run));
  return names;
}

// Of the database, and of a folder of submissions as `kbench run` finds it.
std::vector<std::string> agents(const NamesOptions& options, const fs::path& database) {
  std::vector<std::string> names;
  std::error_code failed;
  if (fs::exists(database, failed))
    if (auto stored = known_agents(database)) names = std::move(*stored);
  const fs::path folder = value_on_line(options.line, "--submissions").value_or("submissions");
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed))
    if (it->is_directory(failed)) names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> names_of(const NamesOptions& options, const Installation& installation) {
  const fs::path database = value_on_line(options.line, "--db").value_or(options.database.string());
  std::error_code failed;
  const bool has_database = fs::exists(database, failed);
  if (options.kind == "tasks") return tasks(options, installation);
  if (options.kind == "families") return {all_families().begin(), all_families().end()};
  if (options.kind == "agents") return agents(options, database);
  if (!has_database) return {};
  return runs_and_tags(database, options.kind == "runs");
}

}  // namespace

bool is_plain_word(std::string_view word) {
  constexpr std::string_view kPlain = "_./@+-~";
  return !word.empty() && word.front() != '-' && word.size() <= 200 &&
         std::all_of(word.begin(), word.end(), [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  kPlain.find(c) != kPlain.npos;
         });
}

CLI::App* add_names(CLI::App& app, NamesOptions& options) {
  auto* names = app.add_subcommand("names", "Print the names that a shell completes, a line each");
  names->footer(help_of("names"));
  add_word(*names, "KIND", options.kind, {"tasks", "families", "runs", "tags", "agents"},
           "Of what; families are what --tag takes")
      ->required();
  names
      ->add_option("LINE", options.line,
                   "Words of the line that is completed: --db, --suite and --submissions count")
      ->type_name("");
  add_database(*names, options.database);
  add_common(*names, options.common, true);
  return names;
}

int call(const NamesOptions& options, const Installation& installation) {
  for (const std::string& name : names_of(options, installation))
    if (is_plain_word(name)) fmt::print("{}\n", name);
  return finish(ExitCode::kGood, "", /*verbosity=*/-1);
}

}  // namespace kbench
