#include "runner/cli/names_command.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "runner/again/known_names.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/verbs.hpp"

namespace kbench {
namespace {

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

bool is_plain_word(std::string_view word) {
  constexpr std::string_view kPlain = "_./@+-~";
  return !word.empty() && word.front() != '-' && word.size() <= 200 &&
         std::all_of(word.begin(), word.end(), [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  kPlain.find(c) != kPlain.npos;
         });
}

CLI::App* add_names(CLI::App& app, NamesOptions& options) {
  auto& names = add_verb(app, "names", "Print the names that shell completion offers, one a line");
  add_word(names, "KIND", options.kind, {"tasks", "families", "runs", "tags", "agents"},
           "Of what; families are what --family takes")
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
