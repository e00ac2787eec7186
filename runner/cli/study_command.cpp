#include <utility>

#include <fmt/format.h>

#include "reports/attribution/attribution_json.hpp"
#include "reports/attribution/attribution_report.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/write/outputs.hpp"
#include "runner/cli/agent_world.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/requests.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/judge/workspace_requests.hpp"
#include "runner/study/make_plan.hpp"
#include "runner/study/plan_report.hpp"
#include "runner/study/study_files.hpp"
#include "runner/study/study_run.hpp"

namespace kbench {

Result<StudyRequest> request_of(const StudyOptions& options) {
  StudyRequest request = options.study_run;
  if (auto fine = take_endpoint(options.endpoint, request); !fine) return fine.error();
  if (!options.strong.address.empty())
    if (auto fine = take_endpoint(options.strong, request.strong.emplace()); !fine)
      return fine.error();
  auto text = read_bounded_file(options.plan, kMostPlanBytes);
  if (!text) return Error{ErrorCode::kUsage, text.error().message, text.error().hint};
  request.plan = std::move(*text);
  request.suite = options.common.suite;
  request.device = options.device;
  request.trust = options.common.trust;
  request.database = options.database;
  request.command_line = options.command_line;
  return request;
}

namespace {

// --- plan ---

Result<End> plan(const StudyOptions& options, const Installation& installation) {
  if (options.planned.usd && !options.planned.price)
    return Error{ErrorCode::kUsage, "--usd needs --price", "--price IN,OUT, US$ a million tokens"};
  const auto request = with_parts(options.planned, options.parts);
  if (!request) return request.error();
  const auto with = shipped_injection(installation);
  if (!with) return with.error();
  const auto made = plan_study(*request, *with, options.database, options.output);
  if (!made) return made.error();
  for (const std::string& sentence : made->left_out)
    say(options.common, "left out: " + sanitize_line(sentence));
  if (options.format == OutputFormat::kJson)
    print_json(plan_json(*made, request->price));
  else
    fmt::print("{}", plan_text(*made, request->price));
  return good(fmt::format("study {}, written to {}{}", short_id(study_id(made->text)),
                          options.output.string(),
                          made->is_reduced() ? "; smaller than asked, to cost no more" : ""));
}

// --- run ---

Result<End> run(const StudyOptions& options, const Installation& installation) {
  const auto request = request_of(options);
  if (!request) return request.error();
  const auto world = AgentWorld::make(options.common, installation);
  if (!world) return world.error();
  const auto outcome = run_study(*request, (*world)->around());
  if (!outcome) return outcome.error();
  if (outcome->run_id.empty()) return End{ExitCode::kInterrupted, "interrupted; no cell was begun"};
  for (const std::string& sentence : outcome->sampling)
    say(options.common, sanitize_line(sentence));
  for (const std::string& sentence : outcome->dropped)
    say(options.common, "not tried: " + sanitize_line(sentence));
  const ExitCode code = outcome->was_stopped  ? ExitCode::kInterrupted
                        : outcome->faults > 0 ? ExitCode::kInfrastructure
                                              : ExitCode::kGood;
  return End{code, words(*outcome, options.database)};
}

// --- report ---

Result<End> report(const StudyOptions& options, const Installation& installation) {
  const auto made =
      report_study({options.database, options.study, options.by, options.html, options.lines},
                   installation.state);
  if (!made) return made.error();
  print_found(options, made->found, attribution_json, render_attribution);
  return good(fmt::format("{}, {} cells", made->name, made->cells));
}

void add_plan(CLI::App& plan, StudyOptions& options) {
  add_value(plan, "--model", options.planned.plan.model, "NAME",
            "The model's name, as the endpoint has it")
      ->required();
  add_value(plan, "--strong", options.planned.plan.strong, "NAME",
            "Stronger model; also measures how much its plans help the model");
  add_value(plan, "--output,-o", options.output, "FILE", "File of the plan (default: plan.json)");
  add_many(
      plan, "--component", options.parts.components, "NAME",
      "error, debugger, analyzer, profiler or NAME=COMMAND; several (default: error, profiler)");
  add_word(plan, "--mode", options.planned.plan.mode, {"direct", "plan", "both"},
           "Who gets the reports: the coder, a planner, or both (default: direct)");
  add_many(plan, "--arm", options.parts.arms, "NAME",
           "Further arm: sham, filler, NP+NF, NP+F, P+NF, P+F, P+RF, or paper (the last five)");
  add_many(plan, "--outcome", options.planned.plan.outcomes, "NAME",
           "built, correct, better, fast:X or tokens; the first is primary (default: all, correct "
           "first)");
  add_number(plan, "--states", options.planned.choice.states, 1, 10'000,
             "States at most (default: 80)");
  add_number(plan, "--replicates", options.planned.plan.replicates, 1, 1000,
             "Tries of each state under each coalition (default: 1)");
  add_many(plan, "--stratum", options.planned.choice.strata, "NAME",
           "\"not built\", wrong or correct; may be repeated");
  add_many(plan, "--generation", options.planned.choice.generations, "N",
           "Only states of this generation; may be repeated");
  add_value(plan, "--run", options.planned.run, "RUN",
            "Whose states: start of an id, a tag, latest or latest~N (default: all runs)");
  add_size(plan, options.planned.choice.size,
           "Size of the states' tasks (default: that of the first)");
  add_device(plan, options.planned.choice.device,
             "Device of the states, cpu or cuda (default: the first's)");
  add_number(plan, "--temperature", options.planned.plan.temperature, 0, 10,
             "Temperature of sampling (default: not sent)");
  add_number(plan, "--max-tokens", options.planned.plan.max_tokens, 1, 1e9,
             "Most tokens of one reply (default: not sent)");
  add_number(plan, "--window", options.planned.plan.window, 1000, 1e9,
             "Tokens of the model's window (default: 131072)");
  add_number(plan, "--seed", options.planned.plan.seed, 0, 1e15,
             "Seed of the first replicate; the next adds 1 (default: 0)");
  plan.add_flag("--quick", options.planned.plan.quick,
                "Time kernels in eight blocks only; without better and fast:X none is timed");
  add_parsed(plan, "--price", options.planned.price, parse_price, "IN,OUT",
             "US$ a million tokens of prompts, of replies");
  add_number(plan, "--usd", options.planned.usd, 0, 1e9, "US$ that the study may cost");
  add_json(plan, options.format);
}

void add_study_run(CLI::App& run, StudyOptions& options) {
  add_value(run, "PLAN", options.plan, "", "File that plan has written")->required();
  add_endpoint(run, options.endpoint);
  add_value(run, "--strong", options.strong.address, "URL", "Endpoint of the stronger model");
  add_value(run, "--strong-key-env", options.strong.key_env, "VARIABLE", "Variable with its key");
  add_number(run, "--parallel", options.study_run.parallel, 1, 256,
             "Cells at once; one device judges them all (default: 4)");
  add_device(run, options.device, "Device, of the plan's kind (default: the plan's)");
  run.add_flag("--resume", options.study_run.resume, "Go on with what is open of this study");
  add_trust(run, options.common.trust);
}

void add_study_report(CLI::App& report, StudyOptions& options) {
  add_value(report, "STUDY", options.study, "", "Start of its id (default: the newest)");
  add_many(report, "--by", options.by, "NAME",
           "Compare groups: stratum, generation, task, model or origin; may be repeated");
  add_value(report, "--html", options.html, "FILE", "Page to write as well");
  add_value(report, "--lines", options.lines, "FILE",
            "Cells to write as well, for `kbench attribute analyze`");
  add_json(report, options.format);
  add_wide(report, options.common);
}

}  // namespace

CLI::App* add_study(CLI::App& app, StudyOptions& options) {
  using What = StudyOptions::What;
  auto& attribute =
      add_group(app, "attribute", "Find which feedback helps an agent, and by how much");
  auto& plan = add_form(attribute, "plan", options.what, What::kPlan,
                        "Choose states and coalitions, and say what it costs");
  auto& run = add_form(attribute, "run", options.what, What::kRun, "Try every cell of a plan");
  auto& report = add_form(attribute, "report", options.what, What::kReport,
                          "Analyse the cells of a stored study");
  add_plan(plan, options);
  add_study_run(run, options);
  add_study_report(report, options);
  for (auto* one : {&plan, &run, &report}) {
    add_database(*one, options.database);
    add_common(*one, options.common, one == &run);
  }
  return &attribute;
}

Result<End> call(const StudyOptions& options, const Installation& installation) {
  switch (options.what) {
    case StudyOptions::What::kPlan: return plan(options, installation);
    case StudyOptions::What::kRun: return run(options, installation);
    case StudyOptions::What::kReport: return report(options, installation);
  }
  return End{};
}

}  // namespace kbench
