#include "runner/cli/command_line.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/sanitize.hpp"
#include "reports/write/outputs.hpp"
#include "reports/write/reporter.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/installation/build_info.hpp"
#include "runner/options/completions.hpp"
#include "runner/options/man_page.hpp"
#include "runner/options/manual_topics.hpp"
#include "runner/options/option_table.hpp"
#include "runner/options/typed_words.hpp"

namespace kbench {
namespace {

// `kbench completions` and `kbench man`: made of the option table itself.
struct CompletionsOptions {
  std::string shell;
};
struct ManOptions {};

CLI::App* add_completions(CLI::App& app, CompletionsOptions& options) {
  auto& completions =
      add_verb(app, "completions", "Print a completion script for bash, zsh or fish");
  add_word(completions, "SHELL", options.shell, {"bash", "zsh", "fish"}, "Your shell")->required();
  return &completions;
}

CLI::App* add_man(CLI::App& app, ManOptions& /*options*/) {
  return &add_verb(app, "man", "Print the manual page, kbench(1)");
}

std::string manual_of(const CLI::App& app) {
  const BuildInfo info = build_info();
  return man_page(describe_options(app), {info.version, info.date, exit_codes()});
}

// How a shell would have to be told; good enough to read and to repeat.
std::string command_line_text(const std::vector<std::string>& words) {
  std::string text = "kbench";
  for (std::size_t i = 1; i < words.size(); ++i) text += " " + shell_word(words[i]);
  return text;
}

CLI::App* add_help(CLI::App& app, HelpRequest& request) {
  auto& help = add_verb(app, "help", "Print a page of the manual, or list its pages");
  add_value(help, "TOPIC", request.topic, "", "Page (default: lists them)")->check(topic_name(app));
  return &help;
}

// Takes the outputs of a verb's reports, if it writes any. Errors: kUsage.
Status take(Result<std::vector<OutputRequest>> outputs, std::vector<OutputRequest>& taken) {
  if (!outputs) return outputs.error();
  taken = std::move(*outputs);
  return Done{};
}
Status take_outputs(RunOptions& options) {
  return take(run_outputs(options.words, options.database), options.outputs);
}
Status take_outputs(ReportOptions& options) {
  return take(report_outputs(options.words), options.outputs);
}
Status take_outputs(ReproduceOptions& options) {
  // The page beside the database is of the run that is reproduced.
  options.words.no_html = !options.words.html;
  return take(run_outputs(options.words, options.into), options.outputs);
}
Status take_outputs(NightlyOptions& options) {
  return take(nightly_outputs(options.words), options.outputs);
}
template <class Options>
Status take_outputs(Options& /*options*/) {
  return Done{};
}

// The request that a verb's options make once all are typed. Errors: kUsage.
template <class Options>
Result<Request> request_of(Options& options, const CLI::App& /*verb*/) {
  return Request(std::move(options));
}
Result<Request> request_of(RunOptions& options, const CLI::App& verb) {
  options.given = given_options(verb);
  return Request(std::move(options));
}
// A run and its new name, or a name to take away.
Result<Request> request_of(TagOptions& options, const CLI::App& /*verb*/) {
  if (options.remove || (!options.run.empty() && !options.name.empty())) return Request(options);
  return Error{ErrorCode::kUsage, "kbench tag takes a run and a name",
               "kbench tag latest nightly-12; or kbench tag --remove nightly-12"};
}
Result<Request> request_of(HelpRequest& request, const CLI::App& /*verb*/) {
  if (request.topic.empty()) return Request(PrintText{list_of_topics()});
  return Request(std::move(request));
}
Result<Request> request_of(CompletionsOptions& options, const CLI::App& verb) {
  return Request(PrintText{completions_of(describe_options(*verb.get_parent()), options.shell)});
}
Result<Request> request_of(ManOptions& /*options*/, const CLI::App& verb) {
  return Request(PrintText{manual_of(*verb.get_parent())});
}

// A verb of the table.
struct Verb {
  CLI::App* app;
  std::function<Status()> take_outputs;
  std::function<Result<Request>(const std::string& typed)> take;  // `typed`: the command line
};

// All verbs: a line each.
class Table {
 public:
  Table() {
    app.footer(help_of(""));
    app.require_subcommand(1);
    app.formatter(plain_formatter());  // before the subcommands, which inherit it
    app.add_flag("--version", version, "Print version, commit and build");
    verb(add_run, app, run);
    verb(add_build);
    verb(add_lint, *verb(add_tasks));
    verb(add_import);
    verb(add_synth);
    verb(add_report);
    verb(add_sources);
    verb(add_reproduce);
    verb(add_explain);
    verb(add_names);
    verb(add_runs);
    verb(add_tag);
    verb(add_compare);
    verb(add_history);
    verb(add_nightly);
    verb(add_workspace);
    verb(add_serve);
    verb(add_mcp);
    verb(add_episodes);
    verb(add_export);
    verb(add_agent);
    verb(add_attribute, *verb(add_study));
    verb(add_trajectory);
    verb(add_config, app, config);
    verb(add_db);
    verb(add_exchange);
    verb(add_doctor);
    verb(add_calibrate);
    verb(add_profile);
    verb(add_debug);
    verb(add_timing, *verb(add_selftest));
    verb(add_help);
    verb(add_completions);
    verb(add_man);
    refuse_empty_values(app);
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  void parse(const std::vector<std::string>& words) {
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    if (!reversed.empty()) reversed.pop_back();  // the program's name
    app.parse(std::move(reversed));
  }

  // The verb that was typed; null without one.
  [[nodiscard]] const Verb* typed() const {
    for (const CLI::App* at = &reached(app); at != nullptr; at = at->get_parent())
      for (const Verb& one : verbs_)
        if (one.app == at) return &one;
    return nullptr;
  }

  CLI::App app{
      "Checks submitted kernels and measures how much faster they are than PyTorch eager\n"
      "and than the compiled baseline, on this device.",
      "kbench"};
  bool version = false;
  std::shared_ptr<RunOptions> run = std::make_shared<RunOptions>();
  std::shared_ptr<ConfigOptions> config = std::make_shared<ConfigOptions>();

 private:
  template <class Options>
  CLI::App* verb(CLI::App* (*add)(CLI::App&, Options&), CLI::App& above,
                 std::shared_ptr<Options> options = std::make_shared<Options>()) {
    CLI::App* added = add(above, *options);
    verbs_.push_back({added, [options] { return take_outputs(*options); },
                      [options, added](const std::string& typed) {
                        if constexpr (requires { options->command_line; })
                          options->command_line = typed;
                        return request_of(*options, *added);
                      }});
    return added;
  }
  template <class Options>
  CLI::App* verb(CLI::App* (*add)(CLI::App&, Options&)) {
    return verb(add, app);
  }

  std::vector<Verb> verbs_;
};

// "kbench help run" is "kbench run --help", and so is "kbench help tasks list"; "kbench help tasks"
// is the page.
std::vector<std::string> ask_for_help(std::vector<std::string> words) {
  if (words.size() < 3 || words[1] != "help") return words;
  const bool page = words.size() == 3 && is_manual_topic(words[2]);
  const auto known = known_words(Table().app, /*options=*/false);
  if (page || std::find(known.begin(), known.end(), words[2]) == known.end()) return words;
  words.erase(words.begin() + 1);
  words.emplace_back("--help");
  return words;
}

// The words as they are, to see what was typed. What is wrong with them is said later.
void look_at(Table& table, const std::vector<std::string>& words) {
  try {
    table.parse(words);
  } catch (const CLI::Error&) {
    return;
  }
}

// Words of settings that are set elsewhere, in front of the typed words.
Result<std::vector<std::string>> complete_words(const std::vector<std::string>& words,
                                                const SetElsewhere& around) {
  Table table;
  look_at(table, words);
  const bool asks =
      table.app.get_help_ptr()->count() > 0 || reached(table.app).get_help_ptr()->count() > 0;
  // Help is there even where a file is wrong; and what is set has no say about `config` itself.
  if (asks || table.app.got_subcommand("help") || table.app.got_subcommand("config") ||
      reached(table.app).get_parent() == nullptr)
    return words;
  const auto settings = effective_settings(table.app, around);
  if (!settings) return settings.error();
  tell_of_folder_settings(*settings, around);
  warn_of_variables(table.app, *settings, around);
  return with_settings(table.app, words, *settings);
}

// The command's own check of its options. That something has to be typed as well is no fault here.
Status check_words(const std::vector<std::string>& words) {
  Table table;
  try {
    table.parse(words);
  } catch (const CLI::RequiredError&) {
    return Done{};
  } catch (const CLI::ParseError& problem) {
    return explain(table.app, problem, words);
  }
  const Verb* verb = table.typed();
  const bool may_lack_words = table.app.got_subcommand("report");  // its FORMAT
  return verb == nullptr || may_lack_words ? Status(Done{}) : verb->take_outputs();
}

// `kbench config COMMAND`: that command line, looked at and not obeyed.
Result<Request> config_request(ConfigOptions options, const CLI::App& config,
                               const SetElsewhere& around) {
  std::vector<std::string> words = config.remaining();
  if (asks_for_json(words)) options.format = OutputFormat::kJson;
  for (const char* help : {"--help", "-h"})
    if (std::find(words.begin(), words.end(), help) != words.end())
      return Request(PrintText{config.help()});
  if (words.empty()) words = {"run"};
  words.insert(words.begin(), "kbench");
  for (const auto& [name, value] : {std::pair{"--config", &options.common.config},
                                    std::pair{"--preset", &options.common.preset}})
    if (!value->empty()) words.insert(words.end(), {name, *value});
  Table table;
  look_at(table, words);
  const CLI::App& command = reached(table.app);
  const auto further = known_words(command, /*options=*/false);
  if (command.get_parent() == nullptr || !further.empty()) {
    const auto guess = did_you_mean(words[1], further);
    return Error{ErrorCode::kUsage,
                 command.get_parent() == nullptr
                     ? fmt::format("unknown command \"{}\"", words[1])
                     : fmt::format("\"{}\" has no options of its own", words[1]),
                 guess.empty() ? fmt::format("commands are {}", fmt::join(further, ", ")) : guess};
  }
  auto settings = effective_settings(table.app, around);
  if (!settings) return settings.error();
  if (auto fine = check_words(with_settings(table.app, words, *settings)); !fine)
    return fine.error();
  if (options.common.verbosity >= 0) warn_of_variables(table.app, *settings, around);
  options.command = full_name(command).substr(std::string_view("kbench ").size());
  options.settings = std::move(*settings);
  options.unknown_variables = unknown_variables(table.app, around);
  return Request(std::move(options));
}

}  // namespace

Result<Request> parse_command_line(const std::vector<std::string>& as_typed,
                                   const SetElsewhere& around) {
  const auto typed = ask_for_help(as_typed);
  if (auto missing = value_missing(typed)) return *std::move(missing);
  const auto completed = complete_words(typed, around);
  if (!completed) return completed.error();
  const std::vector<std::string>& words = *completed;
  Table table;
  const CLI::App& app = table.app;
  try {
    table.parse(words);
  } catch (const CLI::CallForHelp& asked) {
    if (names_no_command(app)) return explain(app, asked, words);
    return Request(PrintText{app.help()});
  } catch (const CLI::ParseError& problem) {
    if (table.version) return Request(PrintText{version_text(build_info()) + "\n"});
    return explain(app, problem, words);
  }
  if (table.version) return Request(PrintText{version_text(build_info()) + "\n"});
  // GitHub Actions takes commands from the standard output of a step, and a summary of it.
  if (around.environment("GITHUB_ACTIONS") == "true") table.run->words.otherwise = "github";
  if (app.got_subcommand("config"))
    return config_request(std::move(*table.config), *app.get_subcommand("config"), around);
  const Verb* verb = table.typed();
  if (verb == nullptr)
    return Error{ErrorCode::kUsage, "no command given", "`kbench --help` shows all of them"};
  if (auto taken = verb->take_outputs(); !taken) return taken.error();
  return verb->take(command_line_text(words));
}

}  // namespace kbench
