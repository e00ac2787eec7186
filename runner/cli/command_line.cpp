#include "runner/cli/command_line.hpp"

#include <algorithm>
#include <concepts>
#include <functional>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/sanitize.hpp"
#include "reports/over_time/fail_on.hpp"
#include "reports/write/outputs.hpp"
#include "reports/write/reporter.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/manual_topics.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/installation/build_info.hpp"
#include "runner/options/completions.hpp"
#include "runner/options/man_page.hpp"
#include "runner/options/option_table.hpp"
#include "runner/options/typed_words.hpp"

namespace kbench {
namespace {

// What CLI11 fills: the options of every command, of which one is taken.
struct Commands {
  RunOptions run;
  OutputWords run_words;
  TasksOptions tasks;
  LintOptions lint;
  ImportOptions import;
  SynthOptions synth;
  ReportOptions report;
  OutputWords report_words;
  SourcesOptions sources;
  ReproduceOptions reproduce;
  OutputWords reproduce_words;
  ExplainOptions explain;
  NamesOptions names;
  RunsOptions runs;
  TagOptions tag;
  CompareOptions compare;
  HistoryOptions history;
  NightlyOptions nightly;
  OutputWords nightly_words;
  WorkspaceOptions workspace;
  ServeOptions serve;
  McpOptions mcp;
  EpisodesOptions episodes;
  ExportOptions exported;
  AgentRunOptions agent;
  AttributeOptions attribute;
  StudyOptions study;
  TrajectoryOptions trajectory;
  ConfigOptions config;
  DbOptions db;
  DoctorOptions doctor;
  SelftestRequest selftest;
  TimingSelftestRequest timing;
  CalibrateRequest calibrate;
  ProfileOptions profile;
  std::string shell;  // of completions
  std::string topic;  // of help
};

struct GeneratedCommands {
  CLI::App* completions;
  CLI::App* man;
};

// What is made of the option table itself.
GeneratedCommands add_generated(CLI::App& app, std::string& shell) {
  auto* completions =
      app.add_subcommand("completions", "Print a completion script for bash, zsh or fish");
  completions->footer(help_of("completions"));
  add_word(*completions, "SHELL", shell, {"bash", "zsh", "fish"}, "Which shell")->required();
  auto* man = app.add_subcommand("man", "Print the manual page, kbench(1)");
  man->footer(help_of("man"));
  return {completions, man};
}

std::string completions_of(const CLI::App& app, const std::string& shell) {
  const CommandEntry top = describe_options(app);
  if (shell == "zsh") return zsh_completions(top);
  return shell == "fish" ? fish_completions(top) : bash_completions(top);
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

// A page of the manual. A misspelt command is put right as well, since its name may stand there.
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

CLI::App* add_help(CLI::App& app, std::string& topic) {
  auto* help = app.add_subcommand("help", "Print a page of the manual, or list its pages");
  help->footer(help_of("help"));
  help->add_option("TOPIC", topic, "Page (default: lists them)")
      ->check(topic_name(app))
      ->type_name("");
  return help;
}

// A run and its new name, or a name to take away.
Result<Request> tag_request(const TagOptions& options) {
  if (options.remove || (!options.run.empty() && !options.name.empty())) return Request(options);
  return Error{ErrorCode::kUsage, "kbench tag takes a run and a name",
               "kbench tag latest nightly-12; or kbench tag --remove nightly-12"};
}

// A page of the manual, or the list of them.
Request help_request(std::string topic) {
  if (topic.empty()) return PrintText{list_of_topics()};
  return HelpRequest{std::move(topic)};
}

// A verb of the table, and the request that it comes to once it is typed.
struct Verb {
  CLI::App* app;
  std::function<Result<Request>()> take;
};

// All verbs, filling `commands`: a line each.
struct Table {
  explicit Table(Commands& c) {
    app.footer(help_of(""));
    app.require_subcommand(1);
    app.formatter(plain_formatter());  // before the subcommands, which inherit it
    app.add_flag("--version", version, "Print version, commit and build");
    run = verb(add_run(app, c.run, c.run_words), [this, &c] { return run_request(c.run); });
    add_task_verbs(c);
    verb(add_import(app, c.import), c.import);
    verb(add_synth(app, c.synth), c.synth);
    report = verb(add_report(app, c.report, c.report_words), [&c] {
      c.report.site = std::move(c.report_words.site);
      return Request(std::move(c.report));
    });
    verb(add_sources(app, c.sources), c.sources);
    reproduce = verb(add_reproduce(app, c.reproduce, c.reproduce_words), [this, &c] {
      c.reproduce.command_line = typed;
      return Request(std::move(c.reproduce));
    });
    verb(add_explain(app, c.explain), c.explain);
    verb(add_names(app, c.names), c.names);
    verb(add_runs(app, c.runs), c.runs);
    verb(add_tag(app, c.tag), [&c] { return tag_request(c.tag); });
    verb(add_compare(app, c.compare), c.compare);
    verb(add_history(app, c.history), c.history);
    nightly = verb(add_nightly(app, c.nightly, c.nightly_words), [this, &c] {
      c.nightly.run.command_line = typed;
      return Request(std::move(c.nightly));
    });
    for (const auto& [asked, what] : add_workspace(app, c.workspace).requests())
      verb(asked, [&c, what = what] { return Request(WorkspaceRequest{what, c.workspace}); });
    verb(add_serve(app, c.serve), c.serve);
    verb(add_mcp(app, c.mcp), c.mcp);
    for (const auto& [asked, what] : add_episodes(app, c.episodes).requests())
      verb(asked, [&c, what = what] { return Request(EpisodesRequest{what, c.episodes}); });
    verb(add_export(app, c.exported), c.exported);
    verb(add_agent(app, c.agent), [this, &c] {
      c.agent.command_line = typed;
      return Request(std::move(c.agent));
    });
    CLI::App* analyze = add_attribute(app, c.attribute);
    verb(analyze, c.attribute);
    for (const auto& [asked, what] : add_study(*analyze->get_parent(), c.study).requests())
      verb(asked, [this, &c, what = what] {
        c.study.command_line = typed;
        return Request(StudyCommand{what, c.study});
      });
    for (const auto& [asked, what] : add_trajectory(app, c.trajectory).requests())
      verb(asked, [this, &c, what = what] {
        c.trajectory.command_line = typed;
        return Request(TrajectoryRequest{what, c.trajectory});
      });
    config = add_config(app, c.config);
    verb(add_db(app, c.db), c.db);
    verb(add_doctor(app, c.doctor), c.doctor);
    verb(add_calibrate(app, c.calibrate), c.calibrate);
    verb(add_profile(app, c.profile), c.profile);
    const SelftestCommands selftest = add_selftest(app, c.selftest, c.timing);
    verb(selftest.sandbox, c.selftest);
    verb(selftest.timing, c.timing);
    help = verb(add_help(app, c.topic), [&c] { return help_request(c.topic); });
    const GeneratedCommands generated = add_generated(app, c.shell);
    verb(generated.completions,
         [this, &c] { return Request(PrintText{completions_of(app, c.shell)}); });
    verb(generated.man, [this] { return Request(PrintText{manual_of(app)}); });
    refuse_empty_values(app);
  }

  void parse(const std::vector<std::string>& words) {
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    if (!reversed.empty()) reversed.pop_back();  // the program's name
    app.parse(std::move(reversed));
  }

  CLI::App app{
      "Checks submitted kernels and measures how much faster they are than PyTorch eager\n"
      "and than the compiled baseline, on this device.",
      "kbench"};
  bool version = false;
  std::string typed;  // the command line, for the store; to be set before a verb is taken
  std::vector<Verb> verbs;
  // Those that are asked for by name.
  CLI::App* run = nullptr;
  CLI::App* report = nullptr;
  CLI::App* reproduce = nullptr;
  CLI::App* nightly = nullptr;
  CLI::App* config = nullptr;
  CLI::App* help = nullptr;

 private:
  template <class Take>
    requires std::invocable<Take>
  CLI::App* verb(CLI::App* added, Take take) {
    verbs.push_back({added, std::move(take)});
    return added;
  }
  template <class Options>
  void verb(CLI::App* added, Options& options) {
    verb(added, [&options] { return Request(std::move(options)); });
  }

  void add_task_verbs(Commands& c) {
    const TasksApps tasks = add_tasks(app, c.tasks, c.lint);
    verb(tasks.list, [&c] { return Request(TasksListRequest{c.tasks}); });
    verb(tasks.show, [&c] { return Request(TasksShowRequest{c.tasks}); });
    verb(tasks.header, [&c] { return Request(TasksHeaderRequest{c.tasks}); });
    verb(tasks.lint, c.lint);
    verb(tasks.prompt, [&c] { return Request(TasksPromptRequest{c.tasks}); });
  }

  Request run_request(RunOptions& options) const {
    options.command_line = typed;
    options.given = given_options(*run);
    return Request(std::move(options));
  }
};

// "kbench help run" is "kbench run --help", and so is "kbench help tasks list"; "kbench help tasks"
// is the page.
std::vector<std::string> ask_for_help(std::vector<std::string> words) {
  if (words.size() < 3 || words[1] != "help") return words;
  const bool page = words.size() == 3 && is_manual_topic(words[2]);
  Commands commands;
  const auto known = known_words(Table(commands).app, /*options=*/false);
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

// What is set elsewhere, in front of what is typed.
Result<std::vector<std::string>> complete_words(const std::vector<std::string>& words,
                                                const SetElsewhere& around) {
  Commands commands;
  Table table(commands);
  look_at(table, words);
  const bool asks =
      table.app.get_help_ptr()->count() > 0 || reached(table.app).get_help_ptr()->count() > 0;
  // Help is there even where a file is wrong; and what is set has no say about `config` itself.
  if (asks || table.help->parsed() || table.config->parsed() ||
      reached(table.app).get_parent() == nullptr)
    return words;
  const auto settings = effective_settings(table.app, around);
  if (!settings) return settings.error();
  tell_of_folder_settings(*settings, around);
  warn_of_variables(table.app, *settings, around);
  return with_settings(table.app, words, *settings);
}

// GitHub Actions takes commands from the standard output of a step, and a summary of it. A run
// there writes both where nothing else is asked for. What is no output at all, run_outputs says.
void suit_github(OutputWords& words, const SetElsewhere& around) {
  const auto takes_standard_output = [](const std::string& word) {
    const auto output = parse_output(word);
    return output && !output->file;
  };
  if (words.format || around.environment("GITHUB_ACTIONS") != "true") return;
  if (std::none_of(words.out.begin(), words.out.end(), takes_standard_output) && words.html != "-")
    words.format = "github";
}

// Where the reports of the command that was chosen go. Errors: kUsage.
Status take_outputs(const Table& table, Commands& commands) {
  const auto into = [](Result<std::vector<OutputRequest>> outputs,
                       std::vector<OutputRequest>& taken) -> Status {
    if (!outputs) return outputs.error();
    taken = std::move(*outputs);
    return Done{};
  };
  if (table.run->parsed())
    return into(run_outputs(commands.run_words, commands.run.database), commands.run.outputs);
  if (table.report->parsed())
    return into(report_outputs(commands.report_words), commands.report.outputs);
  if (table.reproduce->parsed()) {
    // The page beside the database is of the run that is reproduced.
    commands.reproduce_words.no_html = !commands.reproduce_words.html;
    return into(run_outputs(commands.reproduce_words, commands.reproduce.into),
                commands.reproduce.outputs);
  }
  if (table.nightly->parsed())
    return into(nightly_outputs(commands.nightly_words), commands.nightly.run.outputs);
  return Done{};
}

// What the command would say of its options. That something has to be typed as well is no fault
// here.
Status check_words(const std::vector<std::string>& words) {
  Commands commands;
  Table table(commands);
  try {
    table.parse(words);
  } catch (const CLI::RequiredError&) {
    return Done{};
  } catch (const CLI::ParseError& problem) {
    return explain(table.app, problem);
  }
  if (table.report->parsed()) return Done{};  // its FORMAT may be missing
  return take_outputs(table, commands);
}

// `kbench config COMMAND`: that command line, looked at and not obeyed.
Result<Request> config_request(ConfigOptions options, const CLI::App& config,
                               const SetElsewhere& around) {
  std::vector<std::string> words = config.remaining();
  for (const char* help : {"--help", "-h"})
    if (std::find(words.begin(), words.end(), help) != words.end())
      return Request(PrintText{config.help()});
  if (words.empty()) words = {"run"};
  words.insert(words.begin(), "kbench");
  for (const auto& [name, value] : {std::pair{"--config", &options.common.config},
                                    std::pair{"--preset", &options.common.preset}})
    if (!value->empty()) words.insert(words.end(), {name, *value});
  Commands commands;
  Table table(commands);
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
  Commands commands;
  Table table(commands);
  const CLI::App& app = table.app;
  try {
    table.parse(words);
  } catch (const CLI::CallForHelp& asked) {
    if (names_no_command(app)) return explain(app, asked);
    return Request(PrintText{app.help()});
  } catch (const CLI::ParseError& problem) {
    if (table.version) return Request(PrintText{version_text(build_info()) + "\n"});
    return explain(app, problem);
  }
  if (table.version) return Request(PrintText{version_text(build_info()) + "\n"});
  if (table.run->parsed()) suit_github(commands.run_words, around);
  if (auto taken = take_outputs(table, commands); !taken) return taken.error();
  table.typed = command_line_text(words);
  if (table.config->parsed())
    return config_request(std::move(commands.config), *table.config, around);
  for (const Verb& verb : table.verbs)
    if (verb.app->parsed()) return verb.take();
  return Error{ErrorCode::kUsage, "no command given", "`kbench --help` shows all of them"};
}

}  // namespace kbench
