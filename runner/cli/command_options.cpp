#include "runner/cli/command_options.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "reports/write/reporter.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/core/precision_class.hpp"
#include "runner/options/typed_words.hpp"
#include "runner/reward/reward.hpp"
#include "runner/task/family.hpp"

namespace kbench {

CLI::App& add_verb(CLI::App& app, const std::string& name, const std::string& about) {
  CLI::App& verb = *app.add_subcommand(name, about);
  verb.footer(
      help_of(std::string_view(full_name(verb)).substr(std::string_view("kbench ").size())));
  return verb;
}

CLI::App& add_group(CLI::App& app, const std::string& name, const std::string& about) {
  CLI::App& group = add_verb(app, name, about);
  group.require_subcommand(1);
  return group;
}

void add_format(CLI::App& app, OutputFormat& format, const std::string& what) {
  add_choice<OutputFormat>(app, "--format", format,
                           {{"table", OutputFormat::kTable}, {"json", OutputFormat::kJson}},
                           what + " (default: table)");
}

void add_suite(CLI::App& app, std::optional<std::filesystem::path>& suite) {
  add_path(app, "--suite", suite, "DIR",
           "Folder with levelN/NNN_name.json (default: the shipped one)");
}

void add_common(CLI::App& app, CommonOptions& common, bool with_suite) {
  if (with_suite) add_suite(app, common.suite);
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
  app.add_option(
         "--config", common.config,
         "Configuration file instead of ./kbench.toml; your user's file still applies below it")
      ->type_name("FILE");
  app.add_option("--preset", common.preset,
                 "Use [preset.NAME] of the configuration file; it overrides the other tables")
      ->type_name("NAME");
}

void add_database(CLI::App& app, std::filesystem::path& database, const std::string& help) {
  const auto set = [&database](const std::string& word) { database = word; };
  app.add_option_function<std::string>("--db", set, help)->type_name("FILE");
}

void add_call_limit(CLI::App& app, std::optional<double>& seconds, const std::string& help) {
  // CLI::Range lets through what is no number: nan is neither below nor above.
  const auto in_range = [](const std::string& word) -> std::string {
    double number = 0;
    const bool is_number = CLI::detail::lexical_cast(word, number);
    return is_number && number >= kLeastCallLimitSeconds && number <= kMostCallLimitSeconds
               ? ""
               : fmt::format("{} is not between {} and {} seconds", word, kLeastCallLimitSeconds,
                             kMostCallLimitSeconds);
  };
  app.add_option("--call-limit", seconds, help)
      ->check(CLI::Validator(in_range, ""))
      ->type_name("SECONDS");
}

void add_size(CLI::App& app, std::optional<std::string>& size, const std::string& help) {
  add_word(app, "--size", size, {"small", "full"}, help);
}

void add_precision(CLI::App& app, std::string& precision) {
  add_word(app, "--precision", precision, {kPrecisionClasses.begin(), kPrecisionClasses.end()},
           "Precision class: bf16 and fp16 have all tensors in that type (default: "
           "torch-default)");
}

void add_task_globs(CLI::App& app, std::vector<std::string>& tasks) {
  app.add_option(
         "--task", tasks,
         "Task by glob over its id (level1/0*), by number (19, level1/19) or name; may be repeated")
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

void add_tags(CLI::App& app, std::vector<std::string>& tags) {
  const auto families = all_families();
  // The first name is the one that settings have; `kbench tag`, which names runs, is another thing.
  app.add_option("--tag,--family", tags,
                 "Only tasks with operators of these families: matmul,scan (not the tag of a run)")
      ->check(one_of({families.begin(), families.end()}).description(""))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("FAMILY");
}

// Shorter to type, and what people try.
void add_json(CLI::App& app, OutputFormat& format, const std::string& what) {
  add_format(app, format, what);
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

void add_vendor(CLI::App& app, bool& vendor) {
  app.add_flag("--vendor", vendor,
               "CUDA: time one call of cuBLASLt or cuDNN as well, for tasks that are one");
}

void add_baseline(CLI::App& app, Side& baseline) {
  add_choice<Side>(
      app, "--baseline", baseline,
      {{"eager", Side::kEager}, {"compiled", Side::kCompiled}, {"vendor", Side::kVendor}},
      "What speed-ups are over: eager, compiled, or vendor where runs have it (default: eager)");
}

void add_outputs(CLI::App& app, OutputWords& words) {
  app.add_option("--out", words.out,
                 "Write a report to PATH (-: standard output); its ending may name the format; may "
                 "be repeated")
      ->allow_extra_args(false)
      ->type_name("FORMAT=PATH");
}

void add_html(CLI::App& app, OutputWords& words, std::string_view database) {
  auto* html = app.add_option(
      "--html", words.html,
      fmt::format("HTML report to write (default: beside {}, kbench.html)", database));
  html->type_name("FILE");
  app.add_flag("--no-html", words.no_html, "Write no HTML report")->excludes(html);
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Reporter& one : reporters()) names.emplace_back(one.name);
  return names;
}

void add_wide(CLI::App& app, CommonOptions& common) {
  app.add_flag("--wide", common.wide,
               "Keep every column of a table, however narrow the terminal is");
}

void add_one_task(CLI::App& app, std::string& task) {
  app.add_option("TASK", task, "Id (level1/019_relu), or a name or number if unique")
      ->required()
      ->type_name("");
}

void add_variants(CLI::App& app, VariantRule& rule) {
  add_choice<VariantRule>(
      app, "--variants", rule,
      {{"best", VariantRule::kBest}, {"first", VariantRule::kFirst}, {"mean", VariantRule::kMean}},
      "Which of an agent's variants for a task counts in scores (default: best)");
}

void add_allow_torch(CLI::App& app, std::string& policy) {
  add_word(app, "--allow-torch", policy, {"data", "all", "none"},
           "Torch operators a Python submission may call: data movement only, all, none (default: "
           "data)");
}

void add_trust(CLI::App& app, Trust& trust) {
  app.add_flag("--trust-estimates", trust.estimates,
               "Let speed-ups count on an uncalibrated device; their rows say so");
  app.add_flag(
      "--trust-unchecked", trust.unchecked,
      "Let rows count even if their chain cannot be checked here (made elsewhere, or unchained)");
}

namespace {

void be_a_reward(CLI::Option& option) {
  option
      .check(CLI::Validator(
          [](std::string& word) -> std::string {
            const auto rule = find_reward(word);
            return rule ? "" : rule.error().message + ": " + rule.error().hint;
          },
          ""))
      ->type_name("NAME");
}

}  // namespace

void add_reward(CLI::App& app, std::string& reward, const std::string& help) {
  be_a_reward(*app.add_option("--reward", reward, help));
}

void add_reward(CLI::App& app, std::optional<std::string>& reward, const std::string& help) {
  be_a_reward(*app.add_option("--reward", reward, help));
}

CLI::Option* add_pairs(CLI::App& app, int& pairs, int most, const std::string& help) {
  return app.add_option("--pairs", pairs, help)
      ->check(CLI::Range(3, most).description(""))
      ->type_name("N");
}

void add_row_choice(CLI::App& app, RowChoice& row) {
  app.add_option("RUN", row.run, "Start of an id, a tag, latest or latest~N")
      ->required()
      ->type_name("");
  add_database(app, row.database, "SQLite database that holds the run (default: kbench.sqlite)");
  app.add_option("--task", row.task, "Id of the row's task (level1/019_relu)")
      ->required()
      ->type_name("ID");
}

void add_submission_choice(CLI::App& app, RowChoice& row) {
  app.add_option("--variant", row.variant, "Its variant (default: the one without a name)")
      ->type_name("NAME");
  app.add_option("--submission", row.submission, "Its file, where agent and variant have several")
      ->type_name("NAME");
}

}  // namespace kbench
