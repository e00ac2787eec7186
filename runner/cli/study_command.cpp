#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/attribution/attribution_json.hpp"
#include "reports/attribution/attribution_page.hpp"
#include "reports/attribution/attribution_report.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/write/output_file.hpp"
#include "reports/write/outputs.hpp"
#include "runner/attribution/analysis.hpp"
#include "runner/cli/agent_world.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/endpoint_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/episode/endpoint_key.hpp"
#include "runner/judge/workspace_requests.hpp"
#include "runner/store/chained_store.hpp"
#include "runner/store/store.hpp"
#include "runner/study/make_plan.hpp"
#include "runner/study/stored_study.hpp"
#include "runner/study/study_run.hpp"
#include "runner/task/strict_json.hpp"

namespace kbench {
namespace {

constexpr int kPlanJsonVersion = 1;

// --- plan ---

Result<PlanRequest> plan_request(const StudyOptions& options) {
  PlanRequest request;
  StudyPlan& plan = request.plan;
  std::vector<std::string> words = options.components;
  if (words.empty()) words = {"error", "profiler"};
  for (const std::string& word : words) {
    auto component = find_component(word);
    if (!component) return component.error();
    plan.components.push_back(std::move(*component));
  }
  plan.mode = options.mode;
  for (const std::string& arm : options.arms) {
    if (arm == "paper")
      plan.arms.insert(plan.arms.end(), {"NP+NF", "NP+F", "P+NF", "P+F", "P+RF"});
    else
      plan.arms.push_back(arm);
  }
  plan.outcomes = options.outcomes;
  if (plan.outcomes.empty()) plan.outcomes = {"correct", "built", "fast:1", "better", "tokens"};
  plan.primary = plan.outcomes.front();
  plan.replicates = options.replicates;
  plan.model = options.model;
  plan.temperature = options.temperature;
  plan.max_tokens = options.max_tokens;
  plan.window = options.window;
  plan.seed = options.seed;
  plan.quick = options.quick;
  request.choice.states = static_cast<std::size_t>(options.states);
  request.choice.strata = options.strata;
  request.choice.generations = options.generations;
  request.choice.device = options.device;
  request.choice.size = options.size;
  request.run = options.run;
  request.usd = options.usd;
  if (!options.price) return request;
  auto price = parse_price(*options.price);
  if (!price) return price.error();
  request.price = *price;
  return request;
}

std::string available_words(const std::vector<std::string>& available) {
  return available.empty() ? "nothing" : fmt::format("{}", fmt::join(available, ", "));
}

// Half-widths of what so many components do together, over the states that have all of them.
struct PlannedIndex {
  std::size_t components = 0;
  std::size_t states = 0;
  std::int64_t samples = 0;
};

std::vector<PlannedIndex> planned_indices(const MadePlan& made) {
  std::map<std::size_t, PlannedIndex> indices;
  for (const AnsweringStates& census : made.census) {
    const std::size_t most = std::min<std::size_t>(census.available.size(), 3);
    for (std::size_t count = 1; count <= most; ++count) {
      PlannedIndex& index = indices[count];
      index.components = count;
      index.states += census.states;
      index.samples += static_cast<std::int64_t>(census.states << census.available.size()) *
                       made.plan.replicates;
    }
  }
  std::vector<PlannedIndex> list;
  for (const auto& [count, index] : indices) list.push_back(index);
  return list;
}

void print_plan(const MadePlan& made, const std::optional<Price>& price) {
  fmt::print("{} states, each {} time{} under every coalition; {} cells, mode {}{}{}\n",
             made.plan.states.size(), made.plan.replicates, made.plan.replicates == 1 ? "" : "s",
             made.cost.cells, made.plan.mode, made.plan.arms.empty() ? "" : ", arms ",
             fmt::join(made.plan.arms, ", "));
  for (const AnsweringStates& census : made.census)
    fmt::print("  {} state{}: {}\n", census.states, census.states == 1 ? "" : "s",
               available_words(census.available));
  fmt::print("{} requests, {:.0f} tokens of prompts, {:.0f} of replies ({})\n", made.cost.requests,
             made.cost.tokens_in, made.cost.tokens_out,
             made.rates.turns > 0
                 ? fmt::format("as {} stored turns of this model count", made.rates.turns)
                 : std::string("assumed: no turn of this model is stored"));
  if (made.answer_seconds > 0)
    fmt::print("{:.2g} hours of answers, one after the other\n",
               static_cast<double>(made.cost.requests) * made.answer_seconds / 3600);
  if (price) fmt::print("US$ {:.4g}\n", made.cost.usd(*price));
  constexpr const char* kIndices[] = {"effect of a component", "interaction of two",
                                      "interaction of three"};
  for (const PlannedIndex& index : planned_indices(made))
    if (const auto found = precision_of(index.components, index.states, index.samples))
      fmt::print("{}: half-width {:.3f}, sees {:.3f} in 80 %\n", kIndices[index.components - 1],
                 found->half_width, found->seen);
}

Json plan_json(const MadePlan& made, const std::optional<Price>& price) {
  Json census = Json::array();
  for (const AnsweringStates& one : made.census)
    census.push_back({{"available", one.available}, {"states", one.states}});
  Json indices = Json::array();
  for (const PlannedIndex& index : planned_indices(made))
    if (const auto found = precision_of(index.components, index.states, index.samples))
      indices.push_back({{"components", index.components},
                         {"states", index.states},
                         {"half_width", found->half_width},
                         {"seen", found->seen}});
  return {{"schema_version", kPlanJsonVersion},
          {"study", study_id(made.text)},
          {"states", made.plan.states.size()},
          {"replicates", made.plan.replicates},
          {"cells", made.cost.cells},
          {"requests", made.cost.requests},
          {"tokens", {{"in", made.cost.tokens_in}, {"out", made.cost.tokens_out}}},
          {"turns", made.rates.turns},
          {"usd", price ? Json(made.cost.usd(*price)) : Json()},
          {"census", std::move(census)},
          {"precision", std::move(indices)}};
}

Result<End> plan(const StudyOptions& options, const Installation& installation) {
  if (options.usd && !options.price)
    return Error{ErrorCode::kUsage, "--usd needs --price", "--price IN,OUT, US$ a million tokens"};
  if (auto fine = check_output_file(options.output, options.database); !fine) return fine.error();
  const auto request = plan_request(options);
  if (!request) return request.error();
  const auto with = shipped_injection(installation);
  if (!with) return with.error();
  const auto store = Store::open(options.database, Store::Mode::kReadOnly);
  if (!store) return store.error();
  const auto made = make_plan(*store, *request, *with);
  if (!made) return made.error();
  if (options.common.verbosity >= 0)
    for (const std::string& sentence : made->left_out)
      fmt::print(stderr, "left out: {}\n", sanitize_line(sentence));
  if (auto written = write_output_file(options.output, made->text); !written)
    return written.error();
  if (options.format == OutputFormat::kJson)
    print_json(plan_json(*made, request->price));
  else
    print_plan(*made, request->price);
  const bool less = made->plan.states.size() < made->states_found ||
                    made->plan.replicates < made->replicates_asked;
  return good(fmt::format("study {}, written to {}{}", short_id(study_id(made->text)),
                          options.output.string(),
                          less ? "; smaller than asked, to cost no more" : ""));
}

// --- run ---

Result<StudyRequest> study_request(const StudyOptions& options) {
  auto endpoint = parse_endpoint(options.endpoint);
  if (!endpoint) return endpoint.error();
  auto key = read_endpoint_key(options.key_env, options.key_file);
  if (!key) return key.error();
  auto text = read_bounded_file(options.plan, kMostPlanBytes);
  if (!text) return Error{ErrorCode::kUsage, text.error().message, text.error().hint};
  StudyRequest request;
  request.plan = std::move(*text);
  request.resume = options.resume;
  request.suite = options.common.suite;
  request.device = options.device;
  request.parallel = options.parallel;
  request.endpoint = std::move(*endpoint);
  request.key = std::move(*key);
  request.timeout = std::chrono::seconds(options.timeout_s);
  request.trust = options.common.trust;
  request.database = options.database;
  request.command_line = options.command_line;
  return request;
}

Result<End> run(const StudyOptions& options, const Installation& installation) {
  const auto request = study_request(options);
  if (!request) return request.error();
  const auto world = AgentWorld::make(options.common, installation);
  if (!world) return world.error();
  const auto outcome = run_study(*request, (*world)->around());
  if (!outcome) return outcome.error();
  const int verbosity = options.common.verbosity;
  if (outcome->run_id.empty()) return End{ExitCode::kInterrupted, "interrupted; no cell was begun"};
  for (const std::string& sentence : outcome->sampling)
    if (verbosity >= 0) fmt::print(stderr, "{}\n", sanitize_line(sentence));
  for (const std::string& sentence : outcome->dropped)
    if (verbosity >= 0) fmt::print(stderr, "not tried: {}\n", sanitize_line(sentence));
  const std::string saved = fmt::format("study {} in run {} of {}", short_id(outcome->study),
                                        short_id(outcome->run_id), options.database.string());
  const std::string cells = fmt::format(
      "{} of {} cells, {} without an outcome by a fault of the "
      "endpoint or the machine",
      outcome->complete, outcome->cells, outcome->faults);
  if (outcome->was_stopped)
    return End{ExitCode::kInterrupted,
               fmt::format("interrupted; {}; the others go on with --resume; {}", cells, saved)};
  return End{outcome->faults > 0 ? ExitCode::kInfrastructure : ExitCode::kGood,
             fmt::format("{}; {}", cells, saved)};
}

// --- report ---

Status check_outputs(const StudyOptions& options) {
  for (const auto* file : {&options.html, &options.lines})
    if (*file)
      if (auto fine = check_output_file(**file, options.database); !fine) return fine;
  return Done{};
}

Result<End> report(const StudyOptions& options, const Installation& installation) {
  if (auto fine = check_outputs(options); !fine) return fine.error();
  const auto store = open_with_key(options.database, Store::Mode::kReadOnly, installation.state);
  if (!store) return store.error();
  const auto study = read_stored_study(*store, options.study);
  if (!study) return study.error();
  const std::string name = "study " + short_id(study->id);
  if (options.lines)
    if (auto written = write_output_file(*options.lines, study->lines); !written)
      return written.error();
  const auto cells = parse_cells(study->lines, name);
  if (!cells) return cells.error();
  auto found = analyze(*cells, {study->plan.primary, study->plan.mode, options.by});
  if (!found) return found.error();
  if (study->cells < study->planned)
    found->alarms.insert(found->alarms.begin(),
                         fmt::format("the study is not complete: {} of its {} cells are there",
                                     study->cells, study->planned));
  if (options.html)
    if (auto written = write_output_file(*options.html, render_attribution_page(*found, name));
        !written)
      return written.error();
  print_found(options, *found, attribution_json, render_attribution);
  return good(fmt::format("{}, {} cells", name, study->cells));
}

void add_plan(CLI::App& plan, StudyOptions& options) {
  add_value(plan, "--model", options.model, "NAME", "The model's name, as the endpoint has it")
      ->required();
  add_value(plan, "--output,-o", options.output, "FILE", "File of the plan (default: plan.json)");
  add_many(plan, "--component", options.components, "NAME",
           "error, profiler or NAME=COMMAND; may be repeated (default: error and profiler)");
  add_word(plan, "--mode", options.mode, {"direct", "plan", "both"},
           "Who gets the reports: the coder, a planner, or both (default: direct)");
  add_many(plan, "--arm", options.arms, "NAME",
           "Further arm: sham, filler, NP+NF, NP+F, P+NF, P+F, P+RF; or paper, for the last five");
  add_many(plan, "--outcome", options.outcomes, "NAME",
           "built, correct, better, fast:X or tokens; the first is primary (default: all, correct "
           "first)");
  add_number(plan, "--states", options.states, 1, 10'000, "States at most (default: 80)");
  add_number(plan, "--replicates", options.replicates, 1, 1000,
             "Of each state under each coalition (default: 1)");
  add_many(plan, "--stratum", options.strata, "NAME",
           "\"not built\", wrong or correct; may be repeated");
  add_many(plan, "--generation", options.generations, "N", "Of the states; may be repeated");
  add_value(plan, "--run", options.run, "RUN",
            "Whose states: start of an id, a tag, latest or latest~N (default: all runs)");
  add_size(plan, options.size, "Size of the states' tasks (default: that of the first)");
  add_device(plan, options.device, "Device of the states, cpu or cuda (default: the first's)");
  add_number(plan, "--temperature", options.temperature, 0, 10, "Of sampling (default: not said)");
  add_number(plan, "--max-tokens", options.max_tokens, 1, 1e9, "Of one reply (default: not said)");
  add_number(plan, "--window", options.window, 1000, 1e9,
             "Tokens of the model's window (default: 131072)");
  add_number(plan, "--seed", options.seed, 0, 1e15,
             "Of the first replicate; each has one more (default: 0)");
  plan.add_flag("--quick", options.quick, "Time kernels in eight blocks only");
  add_value(plan, "--price", options.price, "IN,OUT",
            "US$ a million tokens of prompts, of replies");
  add_number(plan, "--usd", options.usd, 0, 1e9, "US$ that the study may cost");
  add_json(plan, options.format);
}

void add_study_run(CLI::App& run, StudyOptions& options) {
  add_value(run, "PLAN", options.plan, "", "File that plan has written")->required();
  add_endpoint(run, options);
  add_number(run, "--parallel", options.parallel, 1, 256,
             "Cells at once; one device judges them all (default: 4)");
  add_device(run, options.device, "Device, of the plan's kind (default: the plan's)");
  run.add_flag("--resume", options.resume, "Go on with what is open of this study");
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
