#include "runner/options/typed_words.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/options/manual_topics.hpp"
#include "runner/options/option_kinds.hpp"

namespace kbench {
namespace {

// "show" for "tasks show" and "episodes show"; empty where no command has one of that name.
std::string commands_called(const CLI::App& app, const std::string& word) {
  std::vector<std::string> found;
  for (const CLI::App* command : app.get_subcommands({}))
    for (const CLI::App* one : command->get_subcommands({}))
      if (one->get_name() == word)
        found.push_back(fmt::format("\"{} {}\"", command->get_name(), word));
  return found.empty() ? "" : fmt::format("did you mean {}?", fmt::join(found, " or "));
}

// The option that is meant by another form of it: "kbench version", or "db check results.sqlite".
std::string meant_option(const CLI::App& at, const std::string& word) {
  if (at.get_parent() == nullptr && (word == "-V" || word == "version"))
    return "did you mean \"--version\"?";
  const bool takes_database = at.get_option_no_throw("--db") != nullptr;
  if (takes_database && (word.ends_with(".sqlite") || word.ends_with(".db")))
    return fmt::format("did you mean \"--db {}\"?", word);
  const bool is_source = word.ends_with(".cpp") || word.ends_with(".cu") || word.ends_with(".py");
  if (is_source && at.get_option_no_throw("--submissions") != nullptr)
    return "a run takes one FILE, or a folder of several: --submissions DIR";
  if (word.starts_with("--format") && at.get_option_no_throw("FORMAT") != nullptr)
    return fmt::format("it is a word of its own, such as `{} csv`", full_name(at));
  const CLI::Option* out = at.get_option_no_throw("--out");
  const bool has_reports = out != nullptr && out->get_type_name() == "FORMAT=PATH";
  if (has_reports && word == "--json") return "did you mean \"--out json=-\"?";
  if (has_reports && word.starts_with("--format")) return "did you mean \"--out FORMAT=-\"?";
  if (at.get_parent() == nullptr) return commands_called(at, word);
  return "";
}

// An option that has more values than it takes; null: none has.
const CLI::Option* given_too_often(const CLI::App& at) {
  for (const CLI::Option* option : at.get_options())
    if (static_cast<int>(option->results().size()) > option->get_items_expected_max())
      return option;
  return nullptr;
}

// The name by which the option stands among the words, the last where there are several; its first
// name where none does.
std::string name_in(const CLI::Option& option, const std::vector<std::string>& words) {
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    for (const std::string& name : option.get_lnames())
      if (word->substr(0, word->find('=')) == "--" + name) return "--" + name;
    for (const std::string& name : option.get_snames())
      if (!word->starts_with("--") && word->starts_with("-" + name)) return "-" + name;
  }
  return option.get_name();
}

Error too_often(const CLI::Option& option, const std::vector<std::string>& words) {
  return {ErrorCode::kUsage,
          fmt::format("{} is given {} times and takes one value: {}", name_in(option, words),
                      option.results().size(), fmt::join(option.results(), ", ")),
          "give it once, or run the command once for each of them"};
}

// A group without one of its commands, with a line for each.
Error no_command_named(const CLI::App& group, std::string help) {
  std::size_t width = 0;
  const auto commands = group.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* one : commands) width = std::max(width, one->get_name().size());
  std::string lines;
  for (const CLI::App* one : commands)
    lines += fmt::format("\n  {:{}}  {}", one->get_name(), width, one->get_description());
  return {ErrorCode::kUsage, fmt::format("{}: which command?{}", full_name(group), lines),
          std::move(help)};
}

// CLI11 says "--shard requires --group" and "FILE excludes --shard", and neither what the other is
// nor what to do.
std::optional<Error> of_two_options(const CLI::App& at, const CLI::ParseError& problem,
                                    const std::vector<std::string>& words) {
  constexpr std::string_view kExcludes = " excludes ";
  constexpr std::string_view kRequires = " requires ";
  if (problem.get_name() != "ExcludesError" && problem.get_name() != "RequiresError")
    return std::nullopt;
  const std::string_view said = problem.what();
  const auto typed = [&](std::string_view first_name) {
    const std::string name(first_name);
    const CLI::Option* option = at.get_option_no_throw(name);
    return option == nullptr ? name : name_in(*option, words);
  };
  if (const auto middle = said.find(kExcludes); middle != said.npos)
    return Error{ErrorCode::kUsage,
                 fmt::format("{} and {} do not go together", typed(said.substr(0, middle)),
                             typed(said.substr(middle + kExcludes.size()))),
                 "leave one of them out"};
  const auto middle = said.find(kRequires);
  if (middle == said.npos) return std::nullopt;
  const std::string other(said.substr(middle + kRequires.size()));
  const CLI::Option* needed = at.get_option_no_throw(other);
  if (needed == nullptr) return std::nullopt;
  return Error{ErrorCode::kUsage,
               fmt::format("{} needs {} as well", typed(said.substr(0, middle)), other),
               fmt::format("{} {}: {}", other, needed->get_type_name(), needed->get_description())};
}

// A message of CLI11 begins with an option's first name, also where another one was typed.
std::string as_typed(std::string message, const CLI::App& at,
                     const std::vector<std::string>& words) {
  for (const CLI::Option* option : at.get_options()) {
    const std::string first = option->get_name();
    if (message.starts_with(first + ":"))
      return name_in(*option, words) + message.substr(first.size());
  }
  return message;
}

bool names_output_file(const std::string& word) {
  return word.starts_with("-o") || word.starts_with("--output");
}

}  // namespace

const CLI::App& reached(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : reached(*chosen.front());
}

std::vector<std::string> known_words(const CLI::App& app, bool options) {
  std::vector<std::string> known;
  if (options) {
    for (const auto* option : app.get_options()) {
      for (const auto& name : option->get_lnames()) known.push_back("--" + name);
    }
  } else {
    for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
      known.push_back(sub->get_name());
    }
  }
  return known;
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : full_name(*app.get_parent()) + " " + app.get_name();
}

bool names_no_command(const CLI::App& app) {
  const auto extras = app.remaining(/*recurse=*/true);
  return !extras.empty() && !extras.front().starts_with("-") &&
         !known_words(reached(app), false).empty();
}

Error explain(const CLI::App& app, const CLI::ParseError& problem,
              const std::vector<std::string>& words) {
  const auto& at = reached(app);
  const auto help = fmt::format("`{} --help` shows what is possible", full_name(at));
  if (problem.get_name() == "ArgumentMismatch")
    if (const auto* twice = given_too_often(at)) return too_often(*twice, words);
  const auto extras = app.remaining(/*recurse=*/true);
  if (extras.empty()) {
    if (problem.get_name() == "RequiredError" && at.get_parent() != nullptr &&
        at.get_require_subcommand_min() > 0)
      return no_command_named(at, help);
    // A database where a format stands: `kbench report old.sqlite`. What is said of an option is no
    // fault of the words beside it.
    if (problem.get_name() == "ValidationError")
      for (const CLI::Option* option : at.get_options())
        if (option->get_positional() && !option->results().empty() &&
            std::string_view(problem.what()).starts_with(option->get_name() + ":"))
          if (auto meant = meant_option(at, option->results().front()); !meant.empty())
            return {ErrorCode::kUsage, problem.what(), std::move(meant)};
    if (auto error = of_two_options(at, problem, words)) return std::move(*error);
    return {ErrorCode::kUsage, as_typed(problem.what(), at, words), help};
  }
  const auto& word = extras.front();
  const bool option = word.starts_with("-");
  const auto known = known_words(at, option);
  const auto place = [&words](const std::string& of) {
    return std::find(words.begin(), words.end(), of);
  };
  const bool is_known =
      std::find(known.begin(), known.end(), word.substr(0, word.find('='))) != known.end();
  if (option && is_known && place(word) < place(at.get_name()))
    return {ErrorCode::kUsage, fmt::format("{} stands before its command", word),
            fmt::format("put it behind: `{} {} …`", full_name(at), word)};
  auto guess = meant_option(at, word);
  if (guess.empty()) guess = did_you_mean(word.substr(0, word.find('=')), known);
  if (option || known.empty()) {
    return {ErrorCode::kUsage,
            option ? fmt::format("{} does not know the option \"{}\"", full_name(at), word)
                   : fmt::format("{}: unexpected argument \"{}\"", full_name(at), word),
            guess.empty() ? help : guess};
  }
  return {ErrorCode::kUsage, fmt::format("{} has no command \"{}\"", full_name(at), word),
          guess.empty() ? fmt::format("commands are {}", fmt::join(known, ", ")) : guess};
}

bool asks_for_json(const std::vector<std::string>& words) {
  const auto behind_dashes = std::ranges::find(words, "--");
  const bool is_report = words.size() > 2 && words[1] == "report";
  if (is_report && (words[2] == "json" || words[2] == "jsonl"))
    return std::ranges::none_of(words, names_output_file);
  const auto stands = [&](const char* word, auto from) {
    return std::find(from, behind_dashes, word);
  };
  const auto format = stands("--format", words.begin());
  return stands("--json", words.begin()) != behind_dashes ||
         stands("--format=json", words.begin()) != behind_dashes ||
         (format != behind_dashes && std::next(format) != behind_dashes &&
          *std::next(format) == "json");
}

std::optional<Error> value_missing(const std::vector<std::string>& words) {
  const auto missing = [](const std::string& text) {
    return Error{ErrorCode::kUsage, text, "say one, or leave the option out"};
  };
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word == "--") break;
    // The value of --resume may be left out, and CLI11 takes an empty one for that.
    if (word == "--resume" && at + 1 < words.size() && words[at + 1].empty())
      return missing("--resume is given an empty value");
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      return missing(fmt::format("{} gives no value", word));
  }
  return std::nullopt;
}

std::set<std::string> given_options(const CLI::App& command) {
  std::set<std::string> given;
  for (const CLI::Option* option : command.get_options())
    if (option->count() > 0 && !option->get_lnames().empty())
      given.insert(option->get_lnames().front());
  return given;
}

CLI::Validator topic_name(const CLI::App& app) {
  const auto check = [&app](std::string& word) -> std::string {
    if (is_manual_topic(word)) return "";
    auto known = manual_topic_names();
    for (auto& command : known_words(app, /*options=*/false)) known.push_back(std::move(command));
    const auto guess = did_you_mean(word, known);
    return fmt::format("\"{}\" is no page of the manual; {}", word,
                       guess.empty() ? "`kbench help` lists them" : guess);
  };
  return {check, fmt::format("{}", fmt::join(manual_topic_names(), "|"))};
}

}  // namespace kbench
