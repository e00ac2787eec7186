#include <fmt/format.h>

#include "runner/again/known_names.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/options/completions.hpp"

namespace kbench {
namespace {

// Words of the line come before options of this command.
NameSearch search_of(const NamesOptions& options) {
  NameSearch search{
      .kind = options.kind, .suite = options.common.suite, .database = options.database};
  if (const auto typed = value_on_line(options.line, "--suite")) search.suite = *typed;
  if (const auto typed = value_on_line(options.line, "--db")) search.database = *typed;
  if (const auto typed = value_on_line(options.line, "--submissions")) search.submissions = *typed;
  return search;
}

}  // namespace

CLI::App* add_names(CLI::App& app, NamesOptions& options) {
  auto& names =
      add_verb(app, "names", "List the names that options take (tasks, agents, ...), one per line");
  add_word(names, "KIND", options.kind,
           {"tasks", "families", "levels", "states", "runs", "tags", "agents"},
           "Of what; families are what --family takes, states what --rerun takes")
      ->required();
  add_value(names, "LINE", options.line, "",
            "Words of the line that is completed: --db, --suite and --submissions count");
  add_database(names, options.database);
  add_common(names, options.common, true);
  return &names;
}

Result<End> call(const NamesOptions& options, const Installation& installation) {
  for (const std::string& name : known_names(search_of(options), installation))
    if (is_plain_word(name)) fmt::print("{}\n", name);
  return good();
}

}  // namespace kbench
