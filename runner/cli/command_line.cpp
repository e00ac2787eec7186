#include "runner/cli/command_line.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/fail_on.hpp"
#include "reports/reporter.hpp"
#include "reports/sanitize.hpp"
#include "reports/write/outputs.hpp"
#include "runner/cli/command_agent.hpp"
#include "runner/cli/command_db.hpp"
#include "runner/cli/command_episodes.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/command_run.hpp"
#include "runner/cli/command_serve.hpp"
#include "runner/cli/command_stored_rows.hpp"
#include "runner/cli/command_synth.hpp"
#include "runner/cli/command_workspace.hpp"
#include "runner/cli/manual_topics.hpp"
#include "runner/installation/build_info.hpp"
#include "runner/options/completions.hpp"
#include "runner/options/man_page.hpp"
#include "runner/options/option_table.hpp"

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
  ConfigOptions config;
  DbOptions db;
  DoctorOptions doctor;
  SelftestRequest selftest;
  TimingSelftestRequest timing;
  std::string shell;  // of completions
  std::string topic;  // of help
};

CLI::App* add_lint(CLI::App& tasks, LintOptions& options) {
  auto* lint = tasks.add_subcommand("lint", "Check that each task can tell right from wrong");
  lint->footer(help_of("tasks lint"));
  add_levels(*lint, options.levels);
  add_task_globs(*lint, options.tasks);
  add_size(*lint, options.size);
  add_device(*lint, options.device);
  add_json(*lint, options.format);
  add_database(*lint, options.database,
               "SQLite database that keeps the states (default: kbench.sqlite)");
  add_common(*lint, options.common, true);
  return lint;
}

struct TasksApps {
  CLI::App* list;
  CLI::App* show;
  CLI::App* header;
  CLI::App* lint;
  CLI::App* prompt;
};

TasksApps add_tasks(CLI::App& app, TasksOptions& options, LintOptions& lint) {
  auto* tasks = app.add_subcommand("tasks", "Look at the tasks");
  tasks->require_subcommand(1);
  tasks->footer(help_of("tasks"));
  const TasksApps apps = {
      tasks->add_subcommand("list", "One line for each task"),
      tasks->add_subcommand("show", "A task's tensors, sizes and files"),
      tasks->add_subcommand("header", "Print or write task.h, which a submission includes"),
      add_lint(*tasks, lint),
      tasks->add_subcommand("prompt", "Print all that whoever writes a kernel has to know"),
  };
  add_levels(*apps.list, options.levels);
  for (auto* one : {apps.show, apps.header, apps.prompt}) add_one_task(*one, options.task);
  add_size(*apps.show, options.size, "Only this size");
  add_size(*apps.header, options.size, "Shapes of this size (default: small)");
  add_size(*apps.prompt, options.size, "Shapes of this size (default: full on CUDA, small on CPU)");
  add_device(*apps.prompt, options.device);
  std::vector<std::pair<std::string, PromptLanguage>> languages;
  for (const auto language : {PromptLanguage::kCpp, PromptLanguage::kCuda, PromptLanguage::kPython,
                              PromptLanguage::kTriton})
    languages.emplace_back(to_string(language), language);
  add_choice<PromptLanguage>(*apps.prompt, "--language", options.language, languages,
                             "What it is to be written in (default: cuda on CUDA, cpp on CPU)");
  add_path(*apps.header, "--out", options.out,
           "Write task.h and kbench.h into this folder instead, for an editor or a compiler")
      ->type_name("DIR");
  for (auto* one : {apps.list, apps.show}) add_json(*one, options.format);
  for (auto* one : {apps.list, apps.show, apps.header, apps.prompt}) {
    one->footer(help_of("tasks " + one->get_name()));
    add_common(*one, options.common, true);
  }
  return apps;
}

CLI::App* add_import(CLI::App& app, ImportOptions& options) {
  auto* import = app.add_subcommand("import", "Turn files in KernelBench's format into a suite");
  import->footer(help_of("import"));
  import->add_option("PATH", options.paths, "Python files, folders of them, or tables")
      ->required()
      ->type_name("");
  import->add_option("--out", options.out, "Folder of the suite")->required()->type_name("DIR");
  add_word(*import, "--mode", options.mode, {"train", "eval"},
           "Batch norm by the batch's statistics, or by the running ones (default: train)");
  const auto number = [&](const char* name, int& value, int least, int most, const char* help) {
    import->add_option(name, value, help)
        ->check(CLI::Range(least, most).description(""))
        ->type_name("N");
  };
  number("--level", options.level, 1, 99, "Level of files that lie in no levelN/ (default: 1)");
  number("--jobs", options.jobs, 1, 256,
         "Files read in parallel (default: number of processors, fewer for few files)");
  number("--timeout", options.timeout_s, 1, 86400,
         "Seconds of processor time that one file may take, see below (default: 120)");
  number("--memory", options.memory_gib, 4, 4096,
         "GiB of address space that one file may take (default: 12)");
  add_json(*import, options.format, "Format of the results on standard output");
  add_common(*import, options.common, false);
  return import;
}

CLI::App* add_report(CLI::App& app, ReportOptions& options, OutputWords& words) {
  auto* report = app.add_subcommand("report", "Show stored results");
  report->footer(help_of("report"));
  add_word(*report, "FORMAT", words.format, format_names(), "How, see below (default: table)");
  add_outputs(*report, words);
  add_path(*report, "--site", words.site,
           "Write html as many files, an index and one for each task, into this folder")
      ->type_name("DIR");
  report->add_option("--title", options.title, "Headline of the page and title of its window")
      ->type_name("TEXT");
  add_path(*report, "--about", options.about,
           "Markdown file that says what the page is about; its text stands below the headline")
      ->type_name("FILE.md");
  add_levels(*report, options.levels);
  add_variants(*report, options.variants);
  add_trust(*report, options.common.trust);
  add_database(*report, options.database);
  report
      ->add_option("--run", options.runs,
                   "Start of an id, a tag, latest or latest~N (default: newest); html "
                   "and table1 take several")
      ->allow_extra_args(false)
      ->type_name("RUN");
  add_reward(*report, options.reward, "Reward of each row, in json and jsonl; see below");
  report
      ->add_option("--output,-o", words.format_file, "Where FORMAT goes (default: standard output)")
      ->type_name("FILE");
  add_wide(*report, options.common);
  add_common(*report, options.common, false);
  return report;
}

CLI::App* add_compare(CLI::App& app, CompareOptions& options) {
  auto* compare = app.add_subcommand("compare", "Compare two stored runs");
  compare->footer(help_of("compare"));
  compare->add_option("BEFORE", options.before, "Run (default: the one before AFTER)")
      ->type_name("");
  compare->add_option("AFTER", options.after, "Run (default: latest)")->type_name("");
  add_database(*compare, options.database);
  add_baseline(*compare, options.over_compiled);
  compare->add_option("--fail-on", options.fail_on, "slower:N%, fails, or both with a comma")
      ->check(CLI::Validator(
          [](std::string& word) -> std::string {
            const auto parsed = parse_fail_on(word);
            return parsed ? "" : parsed.error().message + ": " + parsed.error().hint;
          },
          ""))
      ->type_name("WHAT");
  compare->add_flag("--exit-zero", options.exit_zero,
                    "Exit code 0 in place of 4: what --fail-on finds is in the last line alone");
  compare->add_flag("--all", options.all, "List what is the same, too");
  compare->add_flag("--force", options.force, "Compare runs that differ in how they measured");
  compare->add_flag("--remeasure", options.remeasure,
                    "Measure both sides again, in turns, and compare that");
  add_pairs(*compare, options.pairs, 99, "Pairs that --remeasure measures (default: 3)");
  for (auto [name, folder] : {std::pair{"--submissions-before", &options.submissions_before},
                              std::pair{"--submissions-after", &options.submissions_after}})
    add_path(*compare, name, *folder, "Where the sources of that run are (default: found)")
        ->type_name("DIR");
  add_json(*compare, options.format);
  add_wide(*compare, options.common);
  add_common(*compare, options.common, false);
  return compare;
}

CLI::App* add_history(CLI::App& app, HistoryOptions& options) {
  auto* history = app.add_subcommand("history", "Show a task over all stored runs of a device");
  history->footer(help_of("history"));
  history
      ->add_option("TASK", options.task,
                   "Id (level1/019_relu), or a name, number or glob that means one")
      ->required()
      ->type_name("");
  history->add_option("--agent", options.agent, "Only this agent (default: all)")
      ->type_name("NAME");
  add_database(*history, options.database);
  add_part_of_device(*history, options.device, "the newest run's");
  add_baseline(*history, options.over_compiled);
  add_json(*history, options.format);
  add_wide(*history, options.common);
  add_common(*history, options.common, false);
  return history;
}

CLI::App* add_config(CLI::App& app, ConfigOptions& options) {
  auto* config =
      app.add_subcommand("config", "Show a command's options and where each value comes from");
  config->footer(help_of("config"));
  config->prefix_command();  // the rest is another command line
  add_json(*config, options.format);
  add_common(*config, options.common, false);
  return config;
}

CLI::App* add_doctor(CLI::App& app, DoctorOptions& options) {
  auto* doctor = app.add_subcommand("doctor", "Check this machine and the installation");
  doctor->footer(help_of("doctor"));
  add_json(*doctor, options.format);
  add_common(*doctor, options.common, true);
  return doctor;
}

struct SelftestCommands {
  CLI::App* sandbox;
  CLI::App* timing;
};

CLI::App* add_timing(CLI::App& selftest, TimingSelftestRequest& options) {
  auto* timing = selftest.add_subcommand(
      "timing", "Check the clock on known differences, and calibrate this device");
  timing->footer(help_of("selftest timing"));
  timing->add_option("--device", options.device, "cpu, cuda or cuda:N (default: what there is)")
      ->check(device_name())
      ->type_name("");
  timing
      ->add_option("--rounds", options.rounds,
                   "Runs to make; one calibrates nothing (default: 5 on CUDA, 3 on a CPU)")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  add_json(*timing, options.format);
  add_common(*timing, options.common, false);
  return timing;
}

SelftestCommands add_selftest(CLI::App& app, SelftestRequest& options,
                              TimingSelftestRequest& timing) {
  auto* selftest = app.add_subcommand("selftest", "Check kbench's own defences");
  selftest->require_subcommand(1);
  selftest->footer(help_of("selftest"));
  auto* sandbox = selftest->add_subcommand("sandbox", "Try to escape from this machine's sandbox");
  sandbox->footer(help_of("selftest sandbox"));
  add_device(*sandbox, options.device, "Whose sandbox (default: cpu)");
  sandbox
      ->add_option("--without", options.without,
                   "Layer to leave out; may be repeated (new-landlock: what Debian 12 lacks)")
      ->check(one_of({"bubblewrap", "namespaces", "user-namespace", "network", "landlock",
                      "new-landlock", "seccomp", "cgroup"}))
      ->allow_extra_args(false)
      ->type_name("");
  sandbox->add_option("--only", options.only, "Only this escape; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME");
  add_json(*sandbox, options.format);
  add_common(*sandbox, options.common, false);
  return {sandbox, add_timing(*selftest, timing)};
}

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

// The innermost subcommand that the words reached.
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

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : full_name(*app.get_parent()) + " " + app.get_name();
}

// A word stands where a command is expected, and is none.
bool names_no_command(const CLI::App& app) {
  const auto extras = app.remaining(/*recurse=*/true);
  return !extras.empty() && !extras.front().starts_with("-") &&
         !known_words(reached(app), false).empty();
}

// CLI11's words where they are good, ours where a name is misspelt.
Error explain(const CLI::App& app, const CLI::ParseError& problem) {
  const auto& at = reached(app);
  const auto help = fmt::format("`{} --help` shows what is possible", full_name(at));
  const auto extras = app.remaining(/*recurse=*/true);
  if (extras.empty()) return {ErrorCode::kUsage, problem.what(), help};
  const auto& word = extras.front();
  const bool option = word.starts_with("-");
  const auto known = known_words(at, option);
  const auto guess = did_you_mean(word.substr(0, word.find('=')), known);
  if (option || known.empty()) {
    return {ErrorCode::kUsage,
            option ? fmt::format("{} does not know the option \"{}\"", full_name(at), word)
                   : fmt::format("{}: unexpected argument \"{}\"", full_name(at), word),
            guess.empty() ? help : guess};
  }
  return {ErrorCode::kUsage, fmt::format("{} has no command \"{}\"", full_name(at), word),
          guess.empty() ? fmt::format("commands are {}", fmt::join(known, ", ")) : guess};
}

// CLI11 would take the next word for the value, whatever that is.
std::optional<Error> value_missing(const std::vector<std::string>& words) {
  const auto missing = [](const std::string& text) {
    return Error{ErrorCode::kUsage, text, "say one, or leave the option out"};
  };
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word == "--") break;
    // Its value may be left out, and CLI11 takes an empty one for that.
    if (word == "--resume" && at + 1 < words.size() && words[at + 1].empty())
      return missing("--resume is given an empty value");
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      return missing(fmt::format("{} gives no value", word));
  }
  return std::nullopt;
}

// All commands, filling `commands`.
struct Table {
  explicit Table(Commands& commands) {
    app.footer(help_of(""));
    app.require_subcommand(1);
    app.formatter(plain_formatter());  // before the subcommands, which inherit it
    app.add_flag("--version", version, "Print version, commit and build");
    run = add_run(app, commands.run, commands.run_words);
    tasks = add_tasks(app, commands.tasks, commands.lint);
    import = add_import(app, commands.import);
    synth = add_synth(app, commands.synth);
    report = add_report(app, commands.report, commands.report_words);
    sources = add_sources(app, commands.sources);
    reproduce = add_reproduce(app, commands.reproduce, commands.reproduce_words);
    runs = add_runs(app, commands.runs);
    tag = add_tag(app, commands.tag);
    compare = add_compare(app, commands.compare);
    history = add_history(app, commands.history);
    nightly = add_nightly(app, commands.nightly, commands.nightly_words);
    workspace = add_workspace(app, commands.workspace);
    serve = add_serve(app, commands.serve);
    mcp = add_mcp(app, commands.mcp);
    episodes = add_episodes(app, commands.episodes);
    exported = add_export(app, commands.exported);
    agent_run = add_agent(app, commands.agent);
    attribute = add_attribute(app, commands.attribute);
    config = add_config(app, commands.config);
    db = add_db(app, commands.db);
    doctor = add_doctor(app, commands.doctor);
    selftest = add_selftest(app, commands.selftest, commands.timing);
    help = add_help(app, commands.topic);
    generated = add_generated(app, commands.shell);
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
  CLI::App* run = nullptr;
  TasksApps tasks{};
  CLI::App* import = nullptr;
  CLI::App* synth = nullptr;
  CLI::App* report = nullptr;
  CLI::App* sources = nullptr;
  CLI::App* reproduce = nullptr;
  CLI::App* runs = nullptr;
  CLI::App* tag = nullptr;
  CLI::App* compare = nullptr;
  CLI::App* history = nullptr;
  CLI::App* nightly = nullptr;
  WorkspaceApps workspace{};
  CLI::App* serve = nullptr;
  CLI::App* mcp = nullptr;
  EpisodesApps episodes{};
  CLI::App* exported = nullptr;
  CLI::App* agent_run = nullptr;
  CLI::App* attribute = nullptr;
  CLI::App* config = nullptr;
  CLI::App* db = nullptr;
  CLI::App* doctor = nullptr;
  SelftestCommands selftest{};
  CLI::App* help = nullptr;
  GeneratedCommands generated{};
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

// Long names of the options of a command that stand among its words.
std::set<std::string> given_options(const CLI::App& command) {
  std::set<std::string> given;
  for (const CLI::Option* option : command.get_options())
    if (option->count() > 0 && !option->get_lnames().empty())
      given.insert(option->get_lnames().front());
  return given;
}

// A run and its new name, or a name to take away.
Result<Request> tag_request(const TagOptions& options) {
  if (options.remove || (!options.run.empty() && !options.name.empty())) return Request(options);
  return Error{ErrorCode::kUsage, "kbench tag takes a run and a name",
               "kbench tag latest nightly-12; or kbench tag --remove nightly-12"};
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
  if (table.run->parsed()) {
    commands.run.command_line = command_line_text(words);
    commands.run.given = given_options(*table.run);
    return Request(std::move(commands.run));
  }
  if (table.tasks.list->parsed()) return Request(TasksListRequest{commands.tasks});
  if (table.tasks.show->parsed()) return Request(TasksShowRequest{commands.tasks});
  if (table.tasks.header->parsed()) return Request(TasksHeaderRequest{commands.tasks});
  if (table.tasks.lint->parsed()) return Request(commands.lint);
  if (table.tasks.prompt->parsed()) return Request(TasksPromptRequest{commands.tasks});
  if (table.import->parsed()) return Request(commands.import);
  if (table.synth->parsed()) return Request(commands.synth);
  if (table.report->parsed()) {
    commands.report.site = std::move(commands.report_words.site);
    return Request(std::move(commands.report));
  }
  if (table.help->parsed()) {
    if (commands.topic.empty()) return Request(PrintText{list_of_topics()});
    return Request(HelpRequest{std::move(commands.topic)});
  }
  if (table.generated.completions->parsed())
    return Request(PrintText{completions_of(app, commands.shell)});
  if (table.generated.man->parsed()) return Request(PrintText{manual_of(app)});
  if (table.sources->parsed()) return Request(commands.sources);
  if (table.reproduce->parsed()) {
    commands.reproduce.command_line = command_line_text(words);
    return Request(std::move(commands.reproduce));
  }
  if (table.runs->parsed()) return Request(commands.runs);
  if (table.tag->parsed()) return tag_request(commands.tag);
  if (table.compare->parsed()) return Request(commands.compare);
  if (table.history->parsed()) return Request(commands.history);
  if (table.nightly->parsed()) {
    commands.nightly.run.command_line = command_line_text(words);
    return Request(std::move(commands.nightly));
  }
  for (const auto& [asked, what] : table.workspace.requests())
    if (asked->parsed()) return Request(WorkspaceRequest{what, commands.workspace});
  if (table.serve->parsed()) return Request(commands.serve);
  if (table.mcp->parsed()) return Request(commands.mcp);
  for (const auto& [asked, what] : table.episodes.requests())
    if (asked->parsed()) return Request(EpisodesRequest{what, commands.episodes});
  if (table.exported->parsed()) return Request(commands.exported);
  if (table.agent_run->parsed()) {
    commands.agent.command_line = command_line_text(words);
    return Request(std::move(commands.agent));
  }
  if (table.attribute->parsed()) return Request(commands.attribute);
  if (table.config->parsed())
    return config_request(std::move(commands.config), *table.config, around);
  if (table.db->parsed()) return Request(commands.db);
  if (table.selftest.sandbox->parsed()) return Request(commands.selftest);
  if (table.selftest.timing->parsed()) return Request(commands.timing);
  if (table.doctor->parsed()) return Request(commands.doctor);
  return Error{ErrorCode::kUsage, "no command given", "`kbench --help` shows all of them"};
}

}  // namespace kbench
