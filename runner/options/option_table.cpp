#include "runner/options/option_table.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

namespace kbench {
namespace {

// "cpu|cuda[:N]" → cpu, cuda: what stands in brackets is the user's.
std::vector<std::string> choices_of(const std::string& value) {
  std::vector<std::string> words;
  if (value.find('|') == value.npos) return words;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find('|', begin), value.size());
    const std::string word = value.substr(begin, end - begin);
    words.push_back(word.substr(0, word.find('[')));
    begin = end + 1;
  }
  return words;
}

OptionEntry describe(const CLI::Option& option) {
  OptionEntry entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  if (entry.names.empty()) entry.place = option.get_name(/*positional=*/true);
  const bool flag = option.get_items_expected_max() == 0;
  if (!flag) {
    entry.value = option.get_type_name();
    // "TYPE:VALIDATOR", of which help shows the one that there is first.
    if (entry.value.starts_with(":"))
      entry.value.erase(0, 1);
    else
      entry.value = entry.value.substr(0, entry.value.find(':'));
    entry.optional_value = option.get_items_expected_min() == 0;
    entry.choices = choices_of(entry.value);
    if (entry.value.empty()) entry.value = entry.place;
  }
  entry.help = option.get_description();
  return entry;
}

CommandEntry describe(const CLI::App& app, const std::string& name) {
  CommandEntry entry;
  entry.name = name;
  entry.help = app.get_description();
  entry.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) entry.options.push_back(describe(*option));
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    entry.commands.push_back(
        describe(*sub, name.empty() ? sub->get_name() : name + " " + sub->get_name()));
  return entry;
}

}  // namespace

bool OptionEntry::takes_file() const {
  return value == "FILE" || value == "PATH" || value == "FORMAT=PATH" || place == "FILE";
}

std::string_view OptionEntry::names_of_value() const {
  const auto is_called = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (value == "FAMILY") return "families";
  if (value == "STATE") return "states";
  // That of an import is a level to be made, and a plain number.
  if (value == "LEVEL") return "levels";
  if (value == "GLOB" || place == "TASK" || (is_called("--task") && takes_value())) return "tasks";
  if (value == "RUN" || place == "RUN" || place == "BEFORE" || place == "AFTER") return "runs";
  if (is_called("--agent")) return "agents";
  return is_called("--remove") ? "tags" : "";
}

CommandEntry describe_options(const CLI::App& app) { return describe(app, ""); }

std::vector<const CommandEntry*> all_commands(const CommandEntry& top) {
  std::vector<const CommandEntry*> all{&top};
  for (const CommandEntry& command : top.commands)
    for (const CommandEntry* one : all_commands(command)) all.push_back(one);
  return all;
}

}  // namespace kbench
