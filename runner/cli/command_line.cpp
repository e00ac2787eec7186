#include "runner/cli/command_line.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/cli/build_info.hpp"
#include "runner/task/suggest.hpp"

namespace kbench {
namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 good, 1 a submission failed, 2 usage, 3 kbench's own or the machine's fault,\n"
    "            4 regression, 5 nothing selected, 130 interrupted.\n"
    "Results go to standard output, everything else to standard error.";

constexpr const char* kTopHelp =
    "Examples:\n"
    "  kbench run --level 3                    time and check everything on level 3\n"
    "  kbench run --task level1/019_relu --submissions my_kernels\n"
    "  kbench tasks header level1/019_relu     what a submission includes\n"
    "  kbench tasks prompt level1/019_relu     what to hand to whoever writes it\n"
    "  kbench import KernelBench --out suite   bring in other people's tasks\n"
    "  kbench report html --output report.html\n"
    "  kbench doctor                           what is missing on this machine\n\n";

constexpr const char* kRunHelp =
    "Without --submissions, ./submissions is taken where it exists, else the shipped examples.\n"
    "A submission is DIR/AGENT/levelN/NNN_name.cpp (CPU), .cu (CUDA), or a folder NNN_name/ with\n"
    "submission.json; NNN_name@variant is a further one for the same task.\n"
    "Ctrl-C finishes and saves the evaluation at hand; --resume continues.\n\n"
    "Examples:\n"
    "  kbench run --level 1,2 --size small --device cpu\n"
    "  kbench run --task 'level2/*' --agent my_agent --format json > results.json\n"
    "  kbench run --resume                     continue the newest run\n"
    "  kbench run --level 3 --html report.html\n\n";

constexpr const char* kLintHelp =
    "Each task is judged on submissions that are wrong on purpose: nothing written, zeros, a\n"
    "constant, the mean, an input, the previous output, float16, one element wrong, one operator\n"
    "or one parameter left out. The same verifier must reject them all. A task keeps a flaw only\n"
    "by naming it: LINT_ACCEPTS = {\"identity\": \"why\"} in its .py. -v shows notes as well.\n\n"
    "Examples:\n"
    "  kbench tasks lint --level 1 --size small --device cpu\n"
    "  kbench tasks lint --task 'level2/08*' --format json\n\n";

constexpr const char* kImportHelp =
    "Any file with class Model, get_inputs() and get_init_inputs() becomes a task at its own "
    "size;\n"
    "`kbench run --suite DIR` evaluates it. Folders levelN/ and numbers of files are kept. Tables\n"
    "(.jsonl, .parquet) have the file's text in a column code. Files are executed in a sandbox.\n"
    "Importing again replaces what changed.\n\n"
    "Examples:\n"
    "  kbench import KernelBench/KernelBench --out kernelbench\n"
    "  kbench import my_module.py --out mine --mode eval\n"
    "  kbench run --suite mine --baselines-only\n\n";

constexpr const char* kReportHelp =
    "Reads stored results only: no GPU, no LibTorch, nothing is measured.\n\n"
    "Examples:\n"
    "  kbench report html --output report.html\n"
    "  kbench report json --run 3f9a --db nightly.sqlite > run.json\n\n";

constexpr const char* kDoctorHelp =
    "Each line is PASS, CAUTION (works, with a limit), SKIPPED (not applicable here) or FAIL "
    "(kbench\n"
    "cannot run), with the remedy. Exit code 3 when something FAILs.\n\n";

constexpr const char* kSelftestHelp =
    "Each line says blocked, open or not applicable, and why. Nothing is harmed where an escape "
    "works:\nbombs are small, and victims are the selftest's own. Exit code 3 when something is "
    "open.\n\n";

constexpr const char* kTimingHelp =
    "Submits kernels whose differences are known (none, 2 %, 5 %, twice, 4 ms), says what the "
    "clock "
    "made of them,\nand measures by how much equal runs of this device differ. That is its "
    "calibration: without one no row\ngets a verdict, because nobody knows whether the next run "
    "would say the same. Takes two minutes on a GPU,\nsome ten on a CPU; do it again after "
    "a new driver or a new kbench.\n\n";

const std::vector<std::string>& sandbox_layers() {
  static const std::vector<std::string> kNames = {"bubblewrap", "namespaces", "user-namespace",
                                                  "network",    "landlock",   "new-landlock",
                                                  "seccomp",    "cgroup"};
  return kNames;
}

const std::vector<std::string>& precisions() {
  static const std::vector<std::string> kNames = {"torch-default", "fp32", "tf32"};
  return kNames;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const auto guess = nearest(word, known);
  return guess ? fmt::format("did you mean \"{}\"?", *guess) : "";
}

// A value out of a short list. CLI11 prints what the function returns when it is not empty.
CLI::Validator one_of(const std::vector<std::string>& known) {
  return {[known](std::string& word) -> std::string {
            if (std::find(known.begin(), known.end(), word) != known.end()) return "";
            const auto guess = did_you_mean(word, known);
            return fmt::format("\"{}\" is not one of {}{}{}", word, fmt::join(known, ", "),
                               guess.empty() ? "" : "; ", guess);
          },
          fmt::format("{}", fmt::join(known, "|"))};
}

CLI::Validator device_name() {
  return {[](std::string& word) -> std::string {
            if (word == "cpu" || word == "cuda") return "";
            const bool digits = word.size() > 5 && word.size() <= 8 &&
                                std::all_of(word.begin() + 5, word.end(),
                                            [](char c) { return c >= '0' && c <= '9'; });
            if (word.starts_with("cuda:") && digits) return "";
            const auto guess = did_you_mean(word, {"cpu", "cuda"});
            return fmt::format("\"{}\" is not cpu, cuda or cuda:N{}{}", word,
                               guess.empty() ? "" : "; ", guess);
          },
          "cpu|cuda[:N]"};
}

// CLI11's layout, without its remarks on how options depend on each other: the help says that in
// words.
class PlainFormatter final : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    auto type = option->get_type_name();
    // "TYPE:VALIDATOR"; here an option has the one or the other.
    if (type.starts_with(":")) type.erase(0, 1);
    return type.empty() ? "" : " " + type;
  }
};

// Values that CLI11 fills before they become options.
struct Raw {
  bool quiet = false;
  int verbose = 0;
  std::string color = "auto";
  std::string suite;

  RunOptions run;
  std::string run_size, device, submissions, agent, run_format = "table", resume, html;
  bool no_html = false;
  TasksOptions tasks;
  std::string tasks_size, tasks_device, tasks_format = "table";
  LintOptions lint;
  std::string lint_size, lint_device, lint_format = "table";
  ImportOptions import;
  std::string import_format = "table";
  ReportOptions report;
  std::string report_format, run_id, output;
  std::string doctor_format = "table";
  SelftestRequest selftest;
  std::string selftest_format = "table";
  std::string timing_device, timing_format = "table";
  int timing_rounds = 0;
};

void add_common(CLI::App& app, Raw& raw, bool with_suite) {
  if (with_suite) {
    app.add_option("--suite", raw.suite,
                   "Folder with levelN/NNN_name.json (default: the shipped one)")
        ->type_name("DIR");
  }
  auto* quiet = app.add_flag("-q,--quiet", raw.quiet, "Print results and errors only");
  // By a function: CLI11 2.4 calls back for a counted variable even when the flag is not given, and
  // one of the other commands would then set it to zero.
  app.add_flag_function(
         "-v,--verbose", [&raw](std::int64_t count) { raw.verbose = static_cast<int>(count); },
         "Say more about what is being done")
      ->excludes(quiet);
  app.add_option("--color", raw.color,
                 "Colour on a terminal; NO_COLOR and FORCE_COLOR are respected (default: auto)")
      ->check(one_of({"auto", "always", "never"}))
      ->type_name("");
}

CLI::Option* add_choice(CLI::App& app, const std::string& name, std::string& value,
                        const std::vector<std::string>& known, const std::string& help) {
  return app.add_option(name, value, help)->check(one_of(known))->type_name("");
}

void add_levels(CLI::App& app, std::vector<int>& levels) {
  app.add_option("--level", levels, "Level, or several: 1,2 (default: all)")
      ->check(CLI::Range(1, 99).description(""))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N");
}

CLI::App* add_run(CLI::App& app, Raw& raw) {
  auto* run = app.add_subcommand(
      "run", "Time the baselines, build and evaluate submissions, store everything");
  run->footer(std::string(kRunHelp) + kExitCodes);
  add_levels(*run, raw.run.levels);
  run->add_option("--task", raw.run.tasks,
                  "Task by glob over its id (level1/0*), or by number or name; may be repeated")
      ->allow_extra_args(false)
      ->type_name("GLOB");
  add_choice(*run, "--size", raw.run_size, {"small", "full"},
             "Size of the tasks (default: full on CUDA, small on CPU)");
  run->add_option("--device", raw.device, "Device (default: cuda where there is a GPU, else cpu)")
      ->check(device_name())
      ->type_name("");
  add_choice(*run, "--precision", raw.run.precision, precisions(),
             "Precision class of the baselines (default: torch-default)");
  add_choice(*run, "--profile", raw.run.profile, {"kbench", "kernelbench", "cuda-agent"},
             "Whose inputs and tolerance: kbench's own, or another benchmark's (default: kbench)");
  run->add_option("--submissions", raw.submissions, "Folder with AGENT/levelN/NNN_name.{cpp,cu}")
      ->type_name("DIR");
  run->add_option("--agent", raw.agent, "Only this agent's submissions")->type_name("NAME");
  run->add_flag("--baselines-only", raw.run.baselines_only, "Evaluate no submissions");
  run->add_option("--jobs", raw.run.jobs,
                  "Submissions and baselines compiled at once (default: by the number of cores)")
      ->check(CLI::Range(1, 256).description(""))
      ->type_name("N");
  run->add_option("--budget", raw.run.budget_seconds,
                  "Seconds that one submission may keep the run waiting (default: 180)")
      ->check(CLI::Range(1, 86400).description(""))
      ->type_name("SECONDS");
  run->add_flag(
      "--quick", raw.run.quick,
      "Check in full, but time in three blocks only: a first impression, without a verdict");
  add_choice(*run, "--format", raw.run_format, {"table", "json"},
             "Format of the results on standard output (default: table)");
  run->add_option("--db", raw.run.database, "SQLite database (default: kbench.sqlite)")
      ->type_name("FILE");
  run->add_option(
         "--resume", raw.resume,
         "Continue a run, by the start of its id (default: the newest) and skip what it has")
      ->expected(0, 1)
      ->type_name("[RUN]");
  auto* html = run->add_option("--html", raw.html,
                               "HTML report to write (default: beside the database, kbench.html)")
                   ->type_name("FILE");
  run->add_flag("--no-html", raw.no_html, "Write no HTML report")->excludes(html);
  add_common(*run, raw, true);
  return run;
}

CLI::App* add_lint(CLI::App& tasks, Raw& raw) {
  auto* lint = tasks.add_subcommand("lint", "Check that each task can tell right from wrong");
  lint->footer(std::string(kLintHelp) + kExitCodes);
  add_levels(*lint, raw.lint.levels);
  lint->add_option("--task", raw.lint.tasks,
                   "Task by glob over its id (level1/0*), or by number or name; may be repeated")
      ->allow_extra_args(false)
      ->type_name("GLOB");
  add_choice(*lint, "--size", raw.lint_size, {"small", "full"},
             "Size of the tasks (default: full on CUDA, small on CPU)");
  lint->add_option("--device", raw.lint_device,
                   "Device (default: cuda where there is a GPU, else cpu)")
      ->check(device_name())
      ->type_name("");
  add_choice(*lint, "--format", raw.lint_format, {"table", "json"}, "Format (default: table)");
  lint->add_option("--db", raw.lint.database,
                   "SQLite database that keeps the states (default: kbench.sqlite)")
      ->type_name("FILE");
  add_common(*lint, raw, true);
  return lint;
}

struct TasksApps {
  CLI::App* list;
  CLI::App* show;
  CLI::App* header;
  CLI::App* lint;
  CLI::App* prompt;
};

TasksApps add_tasks(CLI::App& app, Raw& raw) {
  auto* tasks = app.add_subcommand("tasks", "Look at the tasks");
  tasks->require_subcommand(1);
  tasks->footer(kExitCodes);
  const TasksApps apps = {
      tasks->add_subcommand("list", "One line for each task"),
      tasks->add_subcommand("show", "A task's tensors, sizes and files"),
      tasks->add_subcommand("header", "Print task.h, which a submission includes"),
      add_lint(*tasks, raw),
      tasks->add_subcommand("prompt", "Print all that whoever writes a kernel has to know"),
  };
  add_levels(*apps.list, raw.tasks.levels);
  for (auto* one : {apps.show, apps.header, apps.prompt}) {
    one->add_option("TASK", raw.tasks.task, "Id (level1/019_relu), or a name or number if unique")
        ->required()
        ->type_name("");
  }
  add_choice(*apps.show, "--size", raw.tasks_size, {"small", "full"}, "Only this size");
  add_choice(*apps.header, "--size", raw.tasks_size, {"small", "full"},
             "Shapes of this size (default: small)");
  add_choice(*apps.prompt, "--size", raw.tasks_size, {"small", "full"},
             "Shapes of this size (default: full on CUDA, small on CPU)");
  apps.prompt
      ->add_option("--device", raw.tasks_device,
                   "Device (default: cuda where there is a GPU, else cpu)")
      ->check(device_name())
      ->type_name("");
  for (auto* one : {apps.list, apps.show}) {
    add_choice(*one, "--format", raw.tasks_format, {"table", "json"}, "Format (default: table)");
  }
  for (auto* one : {apps.list, apps.show, apps.header, apps.prompt}) {
    one->footer(kExitCodes);
    add_common(*one, raw, true);
  }
  return apps;
}

CLI::App* add_import(CLI::App& app, Raw& raw) {
  auto* import = app.add_subcommand("import", "Turn files in KernelBench's format into a suite");
  import->footer(std::string(kImportHelp) + kExitCodes);
  import->add_option("PATH", raw.import.paths, "Python files, folders of them, or tables")
      ->required()
      ->type_name("");
  import->add_option("--out", raw.import.out, "Folder of the suite")->required()->type_name("DIR");
  add_choice(*import, "--mode", raw.import.mode, {"train", "eval"},
             "Batch norm by the batch's statistics, or by the running ones (default: train)");
  const auto number = [&](const char* name, int& value, int least, int most, const char* help) {
    import->add_option(name, value, help)
        ->check(CLI::Range(least, most).description(""))
        ->type_name("N");
  };
  number("--level", raw.import.level, 1, 99, "Level of files that lie in no levelN/ (default: 1)");
  number("--jobs", raw.import.jobs, 1, 256, "Files read at a time (default: one a processor)");
  number("--timeout", raw.import.timeout_s, 1, 86400,
         "Seconds of processor time that one file may take (default: 120)");
  number("--memory", raw.import.memory_gib, 4, 4096,
         "GiB of address space that one file may take (default: 12)");
  add_choice(*import, "--format", raw.import_format, {"table", "json"},
             "Format of the results on standard output (default: table)");
  add_common(*import, raw, false);
  return import;
}

CLI::App* add_report(CLI::App& app, Raw& raw) {
  auto* report = app.add_subcommand("report", "Show stored results");
  report->footer(std::string(kReportHelp) + kExitCodes);
  report->add_option("FORMAT", raw.report_format, "How: html (one file), json or table")
      ->required()
      ->check(one_of({"html", "json", "table"}))
      ->type_name("");
  report->add_option("--db", raw.report.database, "SQLite database (default: kbench.sqlite)")
      ->type_name("FILE");
  report->add_option("--run", raw.run_id, "Start of a run's id (default: the newest run)")
      ->type_name("ID");
  report->add_option("--output,-o", raw.output, "Write to this file (default: standard output)")
      ->type_name("FILE");
  add_common(*report, raw, false);
  return report;
}

CLI::App* add_doctor(CLI::App& app, Raw& raw) {
  auto* doctor = app.add_subcommand("doctor", "Check this machine and the installation");
  doctor->footer(std::string(kDoctorHelp) + kExitCodes);
  add_choice(*doctor, "--format", raw.doctor_format, {"table", "json"}, "Format (default: table)");
  add_common(*doctor, raw, true);
  return doctor;
}

struct SelftestCommands {
  CLI::App* sandbox;
  CLI::App* timing;
};

SelftestCommands add_selftest(CLI::App& app, Raw& raw) {
  auto* selftest = app.add_subcommand("selftest", "Check kbench's own defences");
  selftest->require_subcommand(1);
  selftest->footer(kExitCodes);
  auto* sandbox = selftest->add_subcommand("sandbox", "Try to escape from this machine's sandbox");
  sandbox->footer(std::string(kSelftestHelp) + kExitCodes);
  sandbox->add_option("--device", raw.selftest.device, "Whose sandbox (default: cpu)")
      ->check(device_name())
      ->type_name("");
  sandbox
      ->add_option("--without", raw.selftest.without,
                   "Layer to leave out; may be repeated (new-landlock: what Debian 12 lacks)")
      ->check(one_of(sandbox_layers()))
      ->allow_extra_args(false)
      ->type_name("");
  sandbox->add_option("--only", raw.selftest.only, "Only this escape; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME");
  add_choice(*sandbox, "--format", raw.selftest_format, {"table", "json"},
             "Format (default: table)");
  add_common(*sandbox, raw, false);
  auto* timing = selftest->add_subcommand(
      "timing", "Check the clock on known differences, and calibrate this device");
  timing->footer(std::string(kTimingHelp) + kExitCodes);
  timing->add_option("--device", raw.timing_device, "cpu, cuda or cuda:N (default: what there is)")
      ->check(device_name())
      ->type_name("");
  timing
      ->add_option("--rounds", raw.timing_rounds,
                   "Runs to make; one calibrates nothing (default: 5 on CUDA, 3 on a CPU)")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  add_choice(*timing, "--format", raw.timing_format, {"table", "json"}, "Format (default: table)");
  add_common(*timing, raw, false);
  return {sandbox, timing};
}

template <class T>
std::optional<T> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<T>(text);
}

CommonOptions common_options(const Raw& raw) {
  static const std::map<std::string, ColorMode> kModes = {
      {"auto", ColorMode::kAuto}, {"always", ColorMode::kAlways}, {"never", ColorMode::kNever}};
  CommonOptions common;
  common.verbosity = raw.quiet ? -1 : raw.verbose;
  common.color = kModes.at(raw.color);
  common.suite = unless_empty<std::filesystem::path>(raw.suite);
  return common;
}

OutputFormat output_format(const std::string& text) {
  return text == "json" ? OutputFormat::kJson : OutputFormat::kTable;
}

// How a shell would have to be told; good enough to read and to repeat.
std::string command_line_text(const std::vector<std::string>& words) {
  std::string text = "kbench";
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool plain =
        !words[i].empty() && words[i].find_first_not_of(
                                 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 "-_./:,=@+") == std::string::npos;
    if (plain) {
      text += " " + words[i];
      continue;
    }
    text += " '";
    for (const char c : words[i]) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += "'";
  }
  return text;
}

RunOptions run_options(Raw raw, bool resume_given, const std::vector<std::string>& words) {
  auto options = std::move(raw.run);
  options.common = common_options(raw);
  options.size = unless_empty<std::string>(raw.run_size);
  options.device = unless_empty<std::string>(raw.device);
  options.submissions = unless_empty<std::filesystem::path>(raw.submissions);
  options.agent = unless_empty<std::string>(raw.agent);
  options.format = output_format(raw.run_format);
  if (resume_given) options.resume = raw.resume.empty() ? "latest" : raw.resume;
  options.html = unless_empty<std::filesystem::path>(raw.html);
  if (!options.html && !raw.no_html)
    options.html = std::filesystem::path(options.database).replace_extension(".html");
  options.command_line = command_line_text(words);
  return options;
}

LintOptions lint_options(Raw raw) {
  auto options = std::move(raw.lint);
  options.common = common_options(raw);
  options.size = unless_empty<std::string>(raw.lint_size);
  options.device = unless_empty<std::string>(raw.lint_device);
  options.format = output_format(raw.lint_format);
  return options;
}

TasksOptions tasks_options(Raw raw) {
  auto options = std::move(raw.tasks);
  options.common = common_options(raw);
  options.size = unless_empty<std::string>(raw.tasks_size);
  options.device = unless_empty<std::string>(raw.tasks_device);
  options.format = output_format(raw.tasks_format);
  return options;
}

ImportOptions import_options(Raw raw) {
  auto options = std::move(raw.import);
  options.common = common_options(raw);
  options.format = output_format(raw.import_format);
  return options;
}

ReportOptions report_options(Raw raw) {
  auto options = std::move(raw.report);
  options.common = common_options(raw);
  options.format = raw.report_format == "html"   ? ReportFormat::kHtml
                   : raw.report_format == "json" ? ReportFormat::kJson
                                                 : ReportFormat::kTable;
  options.run = unless_empty<std::string>(raw.run_id);
  options.output = unless_empty<std::filesystem::path>(raw.output);
  return options;
}

SelftestRequest selftest_request(Raw raw) {
  auto request = std::move(raw.selftest);
  request.common = common_options(raw);
  request.format = output_format(raw.selftest_format);
  return request;
}

TimingSelftestRequest timing_request(const Raw& raw) {
  TimingSelftestRequest request;
  request.common = common_options(raw);
  request.device = unless_empty<std::string>(raw.timing_device);
  if (raw.timing_rounds > 0) request.rounds = raw.timing_rounds;
  request.format = output_format(raw.timing_format);
  return request;
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

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : full_name(*app.get_parent()) + " " + app.get_name();
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
            fmt::format("{} does not know {} \"{}\"", full_name(at),
                        option ? "the option" : "what to do with", word),
            guess.empty() ? help : guess};
  }
  return {ErrorCode::kUsage, fmt::format("{} has no command \"{}\"", full_name(at), word),
          guess.empty() ? fmt::format("commands are {}", fmt::join(known, ", ")) : guess};
}

}  // namespace

Result<Request> parse_command_line(const std::vector<std::string>& words) {
  Raw raw;
  CLI::App app(
      "Checks submitted kernels and measures how much faster they are than LibTorch eager\n"
      "and than the compiled baseline, on this device.",
      "kbench");
  app.footer(std::string(kTopHelp) + kExitCodes);
  app.require_subcommand(1);
  const auto formatter = std::make_shared<PlainFormatter>();
  formatter->column_width(28);
  app.formatter(formatter);  // before the subcommands, which inherit it
  bool version = false;
  app.add_flag("--version", version, "Print version, commit and build");
  const auto* run = add_run(app, raw);
  const auto tasks = add_tasks(app, raw);
  const auto* import = add_import(app, raw);
  const auto* report = add_report(app, raw);
  const auto* doctor = add_doctor(app, raw);
  const auto selftest = add_selftest(app, raw);

  std::vector<std::string> reversed(words.rbegin(), words.rend());
  if (!reversed.empty()) reversed.pop_back();  // the program's name
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return Request(PrintText{app.help()});
  } catch (const CLI::ParseError& problem) {
    if (version) return Request(PrintText{version_text(build_info()) + "\n"});
    return explain(app, problem);
  }
  if (version) return Request(PrintText{version_text(build_info()) + "\n"});
  if (run->parsed()) return Request(run_options(raw, run->count("--resume") > 0, words));
  if (tasks.list->parsed()) return Request(TasksListRequest{tasks_options(raw)});
  if (tasks.show->parsed()) return Request(TasksShowRequest{tasks_options(raw)});
  if (tasks.header->parsed()) return Request(TasksHeaderRequest{tasks_options(raw)});
  if (tasks.lint->parsed()) return Request(lint_options(raw));
  if (tasks.prompt->parsed()) return Request(TasksPromptRequest{tasks_options(raw)});
  if (import->parsed()) return Request(import_options(raw));
  if (report->parsed()) return Request(report_options(raw));
  if (selftest.sandbox->parsed()) return Request(selftest_request(raw));
  if (selftest.timing->parsed()) return Request(timing_request(raw));
  if (doctor->parsed()) {
    return Request(DoctorOptions{common_options(raw), output_format(raw.doctor_format)});
  }
  return Error{ErrorCode::kUsage, "no command given", "`kbench --help` shows all of them"};
}

}  // namespace kbench
