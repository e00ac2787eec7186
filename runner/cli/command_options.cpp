#include "runner/cli/command_options.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "reports/write/reporter.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/options/typed_words.hpp"
#include "runner/plan/run_request.hpp"
#include "runner/reward/reward.hpp"
#include "runner/store/care/prune.hpp"

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

void add_common(CLI::App& app, CommonOptions& common, bool with_suite) {
  if (with_suite) add_suite(app, common.suite);
  auto* quiet = app.add_flag_function(
      "-q,--quiet", [&common](std::int64_t) { common.verbosity = -1; },
      "Print results and errors only");
  // The flag is taken by a function: CLI11 2.4 calls back for a counted variable even when the flag
  // is not given, and one of the commands that share the options would then set it to zero.
  app.add_flag_function(
         "-v,--verbose",
         [&common](std::int64_t count) { common.verbosity = static_cast<int>(count); },
         "Say more about what is being done")
      ->excludes(quiet);
  add_choice<ColorMode>(
      app, "--color", common.color,
      {{"auto", ColorMode::kAuto}, {"always", ColorMode::kAlways}, {"never", ColorMode::kNever}},
      "Colour on a terminal; NO_COLOR and FORCE_COLOR are respected (default: auto)");
  add_value(app, "--config", common.config, "FILE",
            "Read FILE, not ./kbench.toml; FILE overrides your personal file, which is read too");
  add_value(app, "--preset", common.preset, "NAME",
            "Use [preset.NAME] of the configuration file; it overrides the file's other tables");
}

void add_call_limit(CLI::App& app, std::optional<double>& seconds, const std::string& help) {
  add_number(app, "--call-limit", seconds, kLeastCallLimitSeconds, kMostCallLimitSeconds, help,
             "SECONDS");
}

WhoseSubmissions add_whose(CLI::App& app, RunRequest& request) {
  auto* submissions = add_path(app, "--submissions", request.submissions, "DIR",
                               "Folder with AGENT/levelN/NNN_name.{cpp,cu,py}");
  add_word(app, "--layout", request.layout, {"kbench", "kernelbench", "cuda-agent"},
           "Layout of that folder: kbench's, a KernelBench run's, CUDA Agent's (default: kbench)");
  return {submissions,
          add_value(app, "--agent", request.agent, "NAME", "Only this agent's submissions")};
}

void add_outputs(CLI::App& app, OutputWords& words) {
  add_many(app, "--out", words.out, "FORMAT=PATH",
           "Write a report (-: to standard output); PATH alone: its ending names FORMAT; may "
           "be repeated");
}

void add_html(CLI::App& app, OutputWords& words, std::string_view database) {
  auto* html = app.add_option(
      "--html", words.html,
      fmt::format("HTML report to write (default: kbench.html beside {})", database));
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

void add_variants(CLI::App& app, VariantRule& rule) {
  add_choice<VariantRule>(
      app, "--variants", rule,
      {{"best", VariantRule::kBest}, {"first", VariantRule::kFirst}, {"mean", VariantRule::kMean}},
      "Which counts in scores if an agent has several submissions for a task (default: best)");
}

void add_trust(CLI::App& app, Trust& trust) {
  app.add_flag("--trust-estimates", trust.estimates,
               "Let speed-ups count on an uncalibrated device; such rows get a label");
  app.add_flag(
      "--trust-unchecked", trust.unchecked,
      "Also count rows that kbench cannot prove unchanged (`kbench help database`, The chain)");
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

CLI::Option* add_keep_time(CLI::App& app, int& days, const std::string& what) {
  return add_parsed(app, "--keep", days, parse_keep_time, "TIME", what + ": 90d, or 12w for weeks");
}

void add_row_choice(CLI::App& app, RowChoice& row) {
  row.run = "latest";
  add_value(app, "RUN", row.run, "", "Start of an id, a tag, latest or latest~N (default: latest)");
  add_database(app, row.database, "SQLite database that holds the run (default: kbench.sqlite)");
  add_value(app, "--task", row.task, "TASK", "The row's task (default: the only one of the run)");
}

void add_submission_choice(CLI::App& app, RowChoice& row) {
  add_value(app, "--variant", row.variant, "NAME", "Its variant (default: the one without a name)");
  add_value(app, "--submission", row.submission, "NAME",
            "Its file, where agent and variant have several");
}

}  // namespace kbench
