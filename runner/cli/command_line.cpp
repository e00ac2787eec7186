#include "runner/cli/command_line.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/fail_on.hpp"
#include "reports/reporter.hpp"
#include "runner/cli/build_info.hpp"
#include "runner/cli/outputs.hpp"
#include "runner/core/suggest.hpp"
#include "runner/reward/reward.hpp"

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
    "  kbench workspace open level1/019_relu work\n"
    "                                          a folder for an agent; compile, verify, submit\n"
    "  kbench import KernelBench --out suite   bring in other people's tasks\n"
    "  kbench report html --output report.html\n"
    "  kbench report --out run.csv --out junit=run.xml\n"
    "  kbench compare --fail-on slower:5%      the newest run against the one before it\n"
    "  kbench doctor                           what is missing on this machine\n\n";

constexpr const char* kRunHelp =
    "Without --submissions, ./submissions is taken where it exists, else the shipped examples.\n"
    "A submission is DIR/AGENT/levelN/NNN_name.cpp (CPU), .cu (CUDA), or a folder NNN_name/ with\n"
    "submission.json; NNN_name@variant is a further one for the same task.\n"
    "Ctrl-C finishes and saves the evaluation at hand; --resume continues.\n\n"
    "Examples:\n"
    "  kbench run my_relu.cpp --task level1/019_relu\n"
    "  kbench run --level 1,2 --size small --device cpu\n"
    "  kbench run --task 'level2/*' --agent my_agent --format json > results.json\n"
    "  kbench run --resume                     continue the newest run\n"
    "  kbench run --level 3 --html report.html\n"
    "  kbench run --out junit=kbench.xml --out github=-\n\n"
    "`kbench report --help` lists the formats.\n\n";

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
    "  kbench report json --run 3f9a --db nightly.sqlite > run.json\n"
    "  kbench report md                        paste it into a pull request\n"
    "  kbench report jsonl --reward log        what each row is worth to whoever trains on it\n"
    "  kbench report table1 --run a --run b    as CUDA Agent's paper has it, of two runs\n"
    "  kbench report --out run.csv --out junit=run.xml --out github=-\n\n";

constexpr const char* kRunsHelp =
    "Newest first. Wherever a command takes a run it may be named by the start of its id, by a "
    "tag\n"
    "(`kbench tag`), as latest, or as latest~2: two before it.\n\n"
    "Examples:\n"
    "  kbench runs --device h200\n"
    "  kbench runs --db nightly.sqlite --json\n\n";

constexpr const char* kTagHelp =
    "A tag is one to 64 letters, digits, dots, dashes or underscores; nothing that reads as the\n"
    "start of an id. It names one run, which it leaves as it is.\n\n"
    "Examples:\n"
    "  kbench tag latest release-1.2\n"
    "  kbench compare release-1.2 latest\n"
    "  kbench tag --remove release-1.2\n\n";

constexpr const char* kCompareHelp =
    "Each submission is judged by the ratio of its two speed-ups over the same baseline, so that "
    "a\n"
    "slower machine cancels. FASTER, SLOWER: no change at all would show like this in fewer than\n"
    "one of 20 comparisons, all rows together (Holm). SAME: the whole interval lies within 3 % "
    "(CPU)\n"
    "or 1 % (CUDA) of no change. UNDECIDED: neither. NEW, GONE: a row in one run only. NOW FAILS,\n"
    "NOW PASSES: correct in one run only. What changed around the kernels comes first. Other\n"
    "devices, sizes, precision classes, profiles, protocols, and quick against full are "
    "refused.\n\n"
    "Without runs, the newest is compared with the one before it on the same device. latest~N for\n"
    "BEFORE counts that device's runs.\n\n"
    "--fail-on slower:5%  exit code 4 if a row is SLOWER and takes more than 5 % longer\n"
    "--fail-on fails      exit code 4 if a row NOW FAILS or is GONE\n\n"
    "Examples:\n"
    "  kbench compare\n"
    "  kbench compare release-1.2 latest --baseline compiled\n"
    "  kbench compare --db nightly.sqlite --fail-on slower:5%,fails\n\n";

constexpr const char* kWorkspaceHelp =
    "A folder in which an agent solves one task, and its requests. The answer is what lies in\n"
    "DIR/kernels, .cu or .cpp files: each request copies it once (no links, at most 64 files, 1 "
    "MiB)\n"
    "and judges the copy. It prints one line of JSON, at most 16 KiB: state, message, hint, the "
    "copy's\n"
    "hash as tree. No judge lies in the folder; only a submission is stored and rewarded.\n\n"
    "Examples:\n"
    "  kbench workspace open level1/019_relu work\n"
    "  kbench workspace compile work           messages; registers and spills on CUDA\n"
    "  kbench workspace verify work            on fresh inputs, without timing\n"
    "  kbench workspace submit work --agent me --db results.sqlite\n\n";

constexpr const char* kHistoryHelp =
    "A line for each run of the device, oldest first, with the agent's best variant; another "
    "size,\n"
    "precision class, profile or timing is left out and counted. A change is dated to the run "
    "that\n"
    "brought it: the series is cut where the means before and after differ most, if that holds at\n"
    "95 %, corrected for the number of places (Holm), and then each part in the same way.\n\n"
    "Examples:\n"
    "  kbench history level1/019_relu\n"
    "  kbench history 39 --agent me --db nightly.sqlite --json\n\n";

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
    "clock\n"
    "made of them, and measures by how much equal runs of this device differ. That is its\n"
    "calibration: without one no row gets a verdict, because nobody knows whether the next run\n"
    "would say the same. Takes two minutes on a GPU, some ten on a CPU; do it again after a new\n"
    "driver or a new kbench.\n\n";

constexpr const char* kSizeHelp = "Size of the tasks (default: full on CUDA, small on CPU)";

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
            // Further from "cuda" than from "cpu" by its letters.
            const bool is_gpu = word.starts_with("gpu") || word.starts_with("nvidia");
            const auto guess = did_you_mean(is_gpu ? "cuda" : word, {"cpu", "cuda"});
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

// What CLI11 fills: the options of every command, of which one is taken.
struct Commands {
  RunOptions run;
  OutputWords run_words;
  TasksOptions tasks;
  LintOptions lint;
  ImportOptions import;
  ReportOptions report;
  OutputWords report_words;
  RunsOptions runs;
  TagOptions tag;
  CompareOptions compare;
  HistoryOptions history;
  WorkspaceOptions workspace;
  DoctorOptions doctor;
  SelftestRequest selftest;
  TimingSelftestRequest timing;
};

// One of a few words, as a value of their own or as it is.
template <class T>
CLI::Option* add_choice(CLI::App& app, const std::string& name, T& value,
                        const std::vector<std::pair<std::string, T>>& known,
                        const std::string& help) {
  std::vector<std::string> words;
  for (const auto& [word, meaning] : known) words.push_back(word);
  const auto set = [&value, known](const std::string& chosen) {
    for (const auto& [word, meaning] : known)
      if (word == chosen) value = meaning;
  };
  return app.add_option_function<std::string>(name, set, help)->check(one_of(words))->type_name("");
}

template <class Text>  // a string, or an optional one
CLI::Option* add_word(CLI::App& app, const std::string& name, Text& value,
                      const std::vector<std::string>& known, const std::string& help) {
  return app.add_option(name, value, help)->check(one_of(known))->type_name("");
}

// An empty word is none: "$VARIABLE" of a script may be that.
CLI::Option* add_path(CLI::App& app, const std::string& name,
                      std::optional<std::filesystem::path>& value, const std::string& help) {
  const auto set = [&value](const std::string& word) {
    if (!word.empty()) value = word;
  };
  return app.add_option_function<std::string>(name, set, help);
}

void add_format(CLI::App& app, OutputFormat& format, const std::string& what = "Format") {
  add_choice<OutputFormat>(app, "--format", format,
                           {{"table", OutputFormat::kTable}, {"json", OutputFormat::kJson}},
                           what + " (default: table)");
}

void add_common(CLI::App& app, CommonOptions& common, bool with_suite) {
  if (with_suite) {
    add_path(app, "--suite", common.suite,
             "Folder with levelN/NNN_name.json (default: the shipped one)")
        ->type_name("DIR");
  }
  auto* quiet = app.add_flag_function(
      "-q,--quiet", [&common](std::int64_t) { common.verbosity = -1; },
      "Print results and errors only");
  // By a function: CLI11 2.4 calls back for a counted variable even when the flag is not given, and
  // one of the commands that share the options would then set it to zero.
  app.add_flag_function(
         "-v,--verbose",
         [&common](std::int64_t count) { common.verbosity = static_cast<int>(count); },
         "Say more about what is being done")
      ->excludes(quiet);
  add_choice<ColorMode>(
      app, "--color", common.color,
      {{"auto", ColorMode::kAuto}, {"always", ColorMode::kAlways}, {"never", ColorMode::kNever}},
      "Colour on a terminal; NO_COLOR and FORCE_COLOR are respected (default: auto)");
}

void add_database(CLI::App& app, std::filesystem::path& database,
                  const std::string& help = "SQLite database (default: kbench.sqlite)") {
  // SQLite would take an empty name for a database that it forgets at the end.
  const auto set = [&database](const std::string& word) {
    if (word.empty())
      throw CLI::ValidationError("--db", "names no file; leave it out for kbench.sqlite");
    database = word;
  };
  app.add_option_function<std::string>("--db", set, help)->type_name("FILE");
}

template <class Text>
void add_device(CLI::App& app, Text& device,
                const std::string& help = "Device (default: cuda where there is a GPU, else cpu)") {
  app.add_option("--device", device, help)->check(device_name())->type_name("");
}

void add_size(CLI::App& app, std::optional<std::string>& size, const std::string& help) {
  add_word(app, "--size", size, {"small", "full"}, help);
}

void add_task_globs(CLI::App& app, std::vector<std::string>& tasks) {
  app.add_option("--task", tasks,
                 "Task by glob over its id (level1/0*), or by number or name; may be repeated")
      ->allow_extra_args(false)
      ->type_name("GLOB");
}

void add_levels(CLI::App& app, std::vector<int>& levels) {
  app.add_option("--level", levels, "Level, or several: 1,2 (default: all)")
      ->check(CLI::Range(1, 99).description(""))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N");
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Reporter& one : reporters()) names.emplace_back(one.name);
  return names;
}

void add_outputs(CLI::App& app, OutputWords& words) {
  app.add_option("--out", words.out,
                 "Write a report to PATH (-: standard output), by its ending; may be repeated")
      ->allow_extra_args(false)
      ->type_name("FORMAT=PATH");
}

CLI::App* add_run(CLI::App& app, RunOptions& options, OutputWords& words) {
  auto* run = app.add_subcommand(
      "run", "Time the baselines, build and evaluate submissions, store everything");
  run->footer(std::string(kRunHelp) + kExitCodes);
  auto* file = add_path(*run, "FILE", options.file,
                        "One submission, .cpp or .cu, without any folders; --task says which task")
                   ->type_name("");
  add_levels(*run, options.levels);
  add_task_globs(*run, options.tasks);
  add_size(*run, options.size, kSizeHelp);
  add_device(*run, options.device);
  add_word(*run, "--precision", options.precision, {"torch-default", "fp32", "tf32"},
           "Precision class of the baselines (default: torch-default)");
  add_word(*run, "--profile", options.profile, {"kbench", "kernelbench", "cuda-agent"},
           "Whose inputs and tolerance: kbench's own, or another benchmark's (default: kbench)");
  add_path(*run, "--submissions", options.submissions, "Folder with AGENT/levelN/NNN_name.{cpp,cu}")
      ->type_name("DIR")
      ->excludes(file);
  run->add_option("--agent", options.agent, "Only this agent's submissions")
      ->type_name("NAME")
      ->excludes(file);
  run->add_flag("--baselines-only", options.baselines_only, "Evaluate no submissions")
      ->excludes(file);
  run->add_option("--jobs", options.jobs,
                  "Submissions and baselines compiled at once (default: by the number of cores)")
      ->check(CLI::Range(1, 256).description(""))
      ->type_name("N");
  run->add_option("--budget", options.budget_seconds,
                  "Seconds that one submission may keep the run waiting (default: 180)")
      ->check(CLI::Range(1, 86400).description(""))
      ->type_name("SECONDS");
  run->add_flag("--quick", options.quick,
                "Check in full, but time in eight blocks of one session only: a wide interval");
  add_word(*run, "--format", words.format, format_names(),
           "Format of the results on standard output (default: table)");
  add_outputs(*run, words);
  add_database(*run, options.database);
  run->add_option_function<std::string>(
         "--resume",
         [&options](const std::string& run_id) {
           options.resume = run_id.empty() ? "latest" : run_id;
         },
         "Continue a run, by its tag or the start of its id (default: the newest), skip what it "
         "has")
      ->expected(0, 1)
      ->type_name("[RUN]");
  auto* html = run->add_option("--html", words.html,
                               "HTML report to write (default: beside the database, kbench.html)")
                   ->type_name("FILE");
  run->add_flag("--no-html", words.no_html, "Write no HTML report")->excludes(html);
  add_common(*run, options.common, true);
  return run;
}

CLI::App* add_lint(CLI::App& tasks, LintOptions& options) {
  auto* lint = tasks.add_subcommand("lint", "Check that each task can tell right from wrong");
  lint->footer(std::string(kLintHelp) + kExitCodes);
  add_levels(*lint, options.levels);
  add_task_globs(*lint, options.tasks);
  add_size(*lint, options.size, kSizeHelp);
  add_device(*lint, options.device);
  add_format(*lint, options.format);
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
  tasks->footer(kExitCodes);
  const TasksApps apps = {
      tasks->add_subcommand("list", "One line for each task"),
      tasks->add_subcommand("show", "A task's tensors, sizes and files"),
      tasks->add_subcommand("header", "Print or write task.h, which a submission includes"),
      add_lint(*tasks, lint),
      tasks->add_subcommand("prompt", "Print all that whoever writes a kernel has to know"),
  };
  add_levels(*apps.list, options.levels);
  for (auto* one : {apps.show, apps.header, apps.prompt}) {
    one->add_option("TASK", options.task, "Id (level1/019_relu), or a name or number if unique")
        ->required()
        ->type_name("");
  }
  add_size(*apps.show, options.size, "Only this size");
  add_size(*apps.header, options.size, "Shapes of this size (default: small)");
  add_size(*apps.prompt, options.size, "Shapes of this size (default: full on CUDA, small on CPU)");
  add_device(*apps.prompt, options.device);
  add_path(*apps.header, "--out", options.out,
           "Write task.h and kbench.h into this folder instead, for an editor or a compiler")
      ->type_name("DIR");
  for (auto* one : {apps.list, apps.show}) add_format(*one, options.format);
  for (auto* one : {apps.list, apps.show, apps.header, apps.prompt}) {
    one->footer(kExitCodes);
    add_common(*one, options.common, true);
  }
  return apps;
}

CLI::App* add_import(CLI::App& app, ImportOptions& options) {
  auto* import = app.add_subcommand("import", "Turn files in KernelBench's format into a suite");
  import->footer(std::string(kImportHelp) + kExitCodes);
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
  number("--jobs", options.jobs, 1, 256, "Files read at a time (default: one a processor)");
  number("--timeout", options.timeout_s, 1, 86400,
         "Seconds of processor time that one file may take (default: 120)");
  number("--memory", options.memory_gib, 4, 4096,
         "GiB of address space that one file may take (default: 12)");
  add_format(*import, options.format, "Format of the results on standard output");
  add_common(*import, options.common, false);
  return import;
}

template <class Text>  // a string, or an optional one
void add_reward(CLI::App& app, Text& reward, const std::string& help) {
  app.add_option("--reward", reward, help)
      ->check(CLI::Validator(
          [](std::string& word) -> std::string {
            const auto rule = find_reward(word);
            return rule ? "" : rule.error().message + ": " + rule.error().hint;
          },
          ""))
      ->type_name("NAME");
}

// The table of formats, as the help shows it.
std::string formats_help() {
  std::string text = "Formats:\n";
  for (const Reporter& one : reporters())
    text += fmt::format("  {:16}  {:7} {}\n", one.name, one.suffix, one.help);
  return text + "\n";
}

// E and C are what a kernel's speed-ups over both baselines are called there.
std::string rewards_help() {
  std::string text =
      "Rewards of correct and of failed rows; E and C are the speed-ups over eager and compiled:\n";
  for (const RewardKind& kind : reward_kinds())
    text += fmt::format("  {:17}  {:54}  {}\n", kind.name, kind.correct, kind.fails);
  return text + "\n";
}

CLI::App* add_report(CLI::App& app, ReportOptions& options, OutputWords& words) {
  auto* report = app.add_subcommand("report", "Show stored results");
  report->footer(formats_help() + rewards_help() + kReportHelp + kExitCodes);
  add_word(*report, "FORMAT", words.format, format_names(), "How, see below");
  add_outputs(*report, words);
  add_database(*report, options.database);
  report
      ->add_option("--run", options.runs,
                   "Start of an id, a tag, latest or latest~N (default: the newest run); table1 "
                   "takes several")
      ->allow_extra_args(false)
      ->type_name("RUN");
  add_reward(*report, options.reward, "Reward of each row, in json and jsonl; see below");
  report
      ->add_option("--output,-o", words.format_file, "Where FORMAT goes (default: standard output)")
      ->type_name("FILE");
  add_common(*report, options.common, false);
  return report;
}

// Shorter to type, and what people try.
void add_json(CLI::App& app, OutputFormat& format) {
  add_format(app, format);
  app.add_flag_function(
      "--json", [&format](std::int64_t) { format = OutputFormat::kJson; },
      "The same as --format json");
}

void add_part_of_device(CLI::App& app, std::optional<std::string>& device,
                        const std::string& otherwise) {
  app.add_option("--device", device,
                 fmt::format("cpu, cuda, or a part of the device's name (default: {})", otherwise))
      ->type_name("DEVICE");
}

void add_baseline(CLI::App& app, bool& over_compiled) {
  add_choice<bool>(app, "--baseline", over_compiled, {{"eager", false}, {"compiled", true}},
                   "What speed-ups are over (default: eager)");
}

CLI::App* add_runs(CLI::App& app, RunsOptions& options) {
  auto* runs = app.add_subcommand("runs", "List the stored runs");
  runs->footer(std::string(kRunsHelp) + kExitCodes);
  add_database(*runs, options.database);
  add_part_of_device(*runs, options.device, "all");
  add_json(*runs, options.format);
  add_common(*runs, options.common, false);
  return runs;
}

CLI::App* add_tag(CLI::App& app, TagOptions& options) {
  auto* tag = app.add_subcommand("tag", "Give a stored run a name");
  tag->footer(std::string(kTagHelp) + kExitCodes);
  auto* run = tag->add_option("RUN", options.run, "Start of an id, a tag, latest or latest~N")
                  ->type_name("");
  tag->add_option("NAME", options.name, "The new tag")->type_name("");
  tag->add_option("--remove", options.remove, "Take this tag away instead")
      ->type_name("NAME")
      ->excludes(run);
  add_database(*tag, options.database);
  add_common(*tag, options.common, false);
  return tag;
}

CLI::App* add_compare(CLI::App& app, CompareOptions& options) {
  auto* compare = app.add_subcommand("compare", "Compare two stored runs");
  compare->footer(std::string(kCompareHelp) + kExitCodes);
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
  compare->add_flag("--all", options.all, "List what is the same, too");
  compare->add_flag("--force", options.force, "Compare runs that differ in how they measured");
  add_json(*compare, options.format);
  add_common(*compare, options.common, false);
  return compare;
}

CLI::App* add_history(CLI::App& app, HistoryOptions& options) {
  auto* history = app.add_subcommand("history", "Show a task over all stored runs of a device");
  history->footer(std::string(kHistoryHelp) + kExitCodes);
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
  add_common(*history, options.common, false);
  return history;
}

struct WorkspaceApps {
  CLI::App* open;
  CLI::App* compile;
  CLI::App* verify;
  CLI::App* submit;
};

WorkspaceApps add_workspace(CLI::App& app, WorkspaceOptions& options) {
  auto* workspace = app.add_subcommand("workspace", "Let an agent work on a task in a folder");
  workspace->require_subcommand(1);
  workspace->footer(std::string(kWorkspaceHelp) + kExitCodes);
  const WorkspaceApps apps = {
      workspace->add_subcommand("open", "Make the folder of a task"),
      workspace->add_subcommand("compile", "Compile its kernels"),
      workspace->add_subcommand("verify", "Check them on fresh inputs"),
      workspace->add_subcommand("submit", "Check and time them, store and reward the row"),
  };
  apps.open->add_option("TASK", options.task, "Id (level1/019_relu), or a name or number if unique")
      ->required()
      ->type_name("");
  for (auto* one : {apps.open, apps.compile, apps.verify, apps.submit}) {
    one->footer(std::string(kWorkspaceHelp) + kExitCodes);
    one->add_option("DIR", options.folder, one == apps.open ? "New folder" : "Folder of the task")
        ->required()
        ->type_name("");
    add_common(*one, options.common, true);
  }
  add_size(*apps.open, options.size, kSizeHelp);
  add_device(*apps.open, options.device);
  apps.submit->add_option("--agent", options.agent, "Who submits (default: the folder's name)")
      ->type_name("NAME");
  add_reward(*apps.submit, options.reward, "Reward of the row (default: milestone_sure)");
  add_database(*apps.submit, options.database);
  return apps;
}

CLI::App* add_doctor(CLI::App& app, DoctorOptions& options) {
  auto* doctor = app.add_subcommand("doctor", "Check this machine and the installation");
  doctor->footer(std::string(kDoctorHelp) + kExitCodes);
  add_format(*doctor, options.format);
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
  timing->footer(std::string(kTimingHelp) + kExitCodes);
  timing->add_option("--device", options.device, "cpu, cuda or cuda:N (default: what there is)")
      ->check(device_name())
      ->type_name("");
  timing
      ->add_option("--rounds", options.rounds,
                   "Runs to make; one calibrates nothing (default: 5 on CUDA, 3 on a CPU)")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  add_format(*timing, options.format);
  add_common(*timing, options.common, false);
  return timing;
}

SelftestCommands add_selftest(CLI::App& app, SelftestRequest& options,
                              TimingSelftestRequest& timing) {
  auto* selftest = app.add_subcommand("selftest", "Check kbench's own defences");
  selftest->require_subcommand(1);
  selftest->footer(kExitCodes);
  auto* sandbox = selftest->add_subcommand("sandbox", "Try to escape from this machine's sandbox");
  sandbox->footer(std::string(kSelftestHelp) + kExitCodes);
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
  add_format(*sandbox, options.format);
  add_common(*sandbox, options.common, false);
  return {sandbox, add_timing(*selftest, timing)};
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

// A run and its new name, or a name to take away.
Result<Request> tag_request(const TagOptions& options) {
  if (options.remove || (!options.run.empty() && !options.name.empty())) return Request(options);
  return Error{ErrorCode::kUsage, "kbench tag takes a run and a name",
               "kbench tag latest nightly-12; or kbench tag --remove nightly-12"};
}

}  // namespace

Result<Request> parse_command_line(const std::vector<std::string>& words) {
  Commands commands;
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
  const auto* run = add_run(app, commands.run, commands.run_words);
  const auto tasks = add_tasks(app, commands.tasks, commands.lint);
  const auto* import = add_import(app, commands.import);
  const auto* report = add_report(app, commands.report, commands.report_words);
  const auto* runs = add_runs(app, commands.runs);
  const auto* tag = add_tag(app, commands.tag);
  const auto* compare = add_compare(app, commands.compare);
  const auto* history = add_history(app, commands.history);
  const auto workspace = add_workspace(app, commands.workspace);
  const auto* doctor = add_doctor(app, commands.doctor);
  const auto selftest = add_selftest(app, commands.selftest, commands.timing);

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
  if (run->parsed()) {
    auto& options = commands.run;
    auto outputs = run_outputs(commands.run_words, options.database);
    if (!outputs) return outputs.error();
    options.outputs = std::move(*outputs);
    options.command_line = command_line_text(words);
    return Request(std::move(options));
  }
  if (tasks.list->parsed()) return Request(TasksListRequest{commands.tasks});
  if (tasks.show->parsed()) return Request(TasksShowRequest{commands.tasks});
  if (tasks.header->parsed()) return Request(TasksHeaderRequest{commands.tasks});
  if (tasks.lint->parsed()) return Request(commands.lint);
  if (tasks.prompt->parsed()) return Request(TasksPromptRequest{commands.tasks});
  if (import->parsed()) return Request(commands.import);
  if (report->parsed()) {
    auto outputs = report_outputs(commands.report_words);
    if (!outputs) return outputs.error();
    commands.report.outputs = std::move(*outputs);
    return Request(std::move(commands.report));
  }
  if (runs->parsed()) return Request(commands.runs);
  if (tag->parsed()) return tag_request(commands.tag);
  if (compare->parsed()) return Request(commands.compare);
  if (history->parsed()) return Request(commands.history);
  for (const auto& [asked, what] : {std::pair(workspace.open, WorkspaceRequest::What::kOpen),
                                    std::pair(workspace.compile, WorkspaceRequest::What::kCompile),
                                    std::pair(workspace.verify, WorkspaceRequest::What::kVerify),
                                    std::pair(workspace.submit, WorkspaceRequest::What::kSubmit)})
    if (asked->parsed()) return Request(WorkspaceRequest{what, commands.workspace});
  if (selftest.sandbox->parsed()) return Request(commands.selftest);
  if (selftest.timing->parsed()) return Request(commands.timing);
  if (doctor->parsed()) return Request(commands.doctor);
  return Error{ErrorCode::kUsage, "no command given", "`kbench --help` shows all of them"};
}

}  // namespace kbench
