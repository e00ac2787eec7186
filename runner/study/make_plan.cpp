#include "runner/study/make_plan.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "runner/core/bounded_json.hpp"
#include "runner/core/text_in.hpp"
#include "runner/episode/chosen_feedback.hpp"
#include "runner/feedback/row_report.hpp"
#include "runner/store/run_name.hpp"
#include "runner/study/study_states.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostTurns = 200;
constexpr std::size_t kMostEpisodeBytes = 64u << 20;

// Sums over turns.
struct Counted {
  double prompt_bytes = 0;
  double prompt_tokens = 0;
  double reply_tokens = 0;
  double plan_tokens = 0;
  double milliseconds = 0;
  std::size_t replies = 0;
  std::size_t plans = 0;
};

// Bytes of a prompt as the JSON list that it is sent as.
std::size_t prompt_bytes(const std::vector<std::string>& hashes, const Contents& contents) {
  std::size_t bytes = 1;
  for (const std::string& hash : hashes)
    if (const auto text = contents.find(hash); text != contents.end())
      bytes += text->second.size() + 1;
  return bytes;
}

void count_episode(const Episode& episode, const Contents& contents, Counted& counted) {
  const auto sampling = parse_bounded_json(episode.sampling);
  const bool plans = sampling && sampling->is_object() && sampling->value("plan", Json()) == true;
  for (std::size_t t = 0; t < episode.turns.size(); ++t) {
    const Turn& turn = episode.turns[t];
    if (!turn.prompt_tokens || !turn.completion_tokens) continue;
    counted.prompt_bytes += static_cast<double>(prompt_bytes(prompt_of(episode, t), contents));
    counted.prompt_tokens += static_cast<double>(*turn.prompt_tokens);
    counted.milliseconds += static_cast<double>(turn.wall_ms);
    const bool is_plan = plans && is_planner_turn(episode, t);
    (is_plan ? counted.plan_tokens : counted.reply_tokens) +=
        static_cast<double>(*turn.completion_tokens);
    ++(is_plan ? counted.plans : counted.replies);
  }
}

// The stored row of a node that an episode left.
Result<std::optional<Evaluation>> row_of(const Store& store, const TrajectoryNode& node) {
  const auto outcome = parse_bounded_json(node.outcome);
  if (!outcome) return std::optional<Evaluation>();
  const std::string run = text_in(*outcome, "run");
  const std::string key = text_in(*outcome, "evaluation");
  if (run.empty() || key.empty()) return std::optional<Evaluation>();
  auto stored = store.read_key(key);
  if (!stored) return stored.error();
  for (Evaluation& row : stored->evaluations)
    if (row.run_id == run) return std::optional(std::move(row));
  return std::optional<Evaluation>();
}

Result<StateToPrice> state_to_price(const Store& store, const StudyPlan& plan,
                                    const PlannedState& planned) {
  auto state = read_study_state(store, planned);
  if (!state) return state.error();
  const auto row = row_of(store, state->node.node);
  if (!row) return row.error();
  StateToPrice known{std::move(state->context), {}};
  for (const Component& component : plan.components) {
    const bool is_known = *row && reads_row(component);
    known.reports[component.name] =
        is_known ? row_report(component, **row) : std::string(kAssumedReport, 'x');
  }
  return known;
}

std::vector<AnsweringStates> census_of(const StudyPlan& plan) {
  std::map<std::vector<std::string>, std::size_t> counts;
  for (const PlannedState& state : plan.states) ++counts[state.available];
  std::vector<AnsweringStates> census;
  for (const auto& [available, count] : counts) census.push_back({available, count});
  return census;
}

}  // namespace

Result<CountedTurns> count_turns(const Store& store, const std::string& model) {
  const auto episodes = store.episodes();
  if (!episodes) return episodes.error();
  Counted counted;
  for (const EpisodeSummary& one : *episodes) {
    if (counted.replies + counted.plans >= kMostTurns) break;
    if (one.head.model != model) continue;
    const auto episode = store.read_episode(one.head.id);
    if (!episode) return episode.error();
    const auto texts = texts_of(*episode);
    const std::vector<std::string> hashes(texts.begin(), texts.end());
    const auto contents = store.contents(hashes, kMostEpisodeBytes);
    if (!contents) return contents.error();
    count_episode(*episode, *contents, counted);
  }
  CountedTurns found;
  found.rates.turns = counted.replies + counted.plans;
  if (counted.prompt_bytes > 0)
    found.rates.prompt_per_byte = counted.prompt_tokens / counted.prompt_bytes;
  if (counted.replies > 0)
    found.rates.reply = counted.reply_tokens / static_cast<double>(counted.replies);
  if (counted.plans > 0)
    found.rates.plan = counted.plan_tokens / static_cast<double>(counted.plans);
  if (found.rates.turns > 0)
    found.answer_seconds = counted.milliseconds / 1000 / static_cast<double>(found.rates.turns);
  return found;
}

Result<PlanRequest> with_parts(PlanRequest request, const PlanParts& parts) {
  StudyPlan& plan = request.plan;
  std::vector<std::string> words = parts.components;
  if (words.empty()) words = {"error", "profiler"};
  for (const std::string& word : words) {
    auto component = find_component(word);
    if (!component) return component.error();
    plan.components.push_back(std::move(*component));
  }
  for (const std::string& arm : parts.arms) {
    if (arm == "paper")
      plan.arms.insert(plan.arms.end(), {"NP+NF", "NP+F", "P+NF", "P+F", "P+RF"});
    else
      plan.arms.push_back(arm);
  }
  if (!plan.strong.empty())
    plan.arms.insert(plan.arms.end(), kTransferArms.begin(), kTransferArms.end());
  if (plan.outcomes.empty()) plan.outcomes = {"correct", "built", "fast:1", "better", "tokens"};
  plan.primary = plan.outcomes.front();
  plan.checks_only = !has_timed_outcome(plan);
  return request;
}

Result<MadePlan> make_plan(const Store& store, const PlanRequest& request,
                           const InjectionTemplate& with) {
  MadePlan made;
  made.plan = request.plan;
  made.plan.injection = with.id;
  made.replicates_asked = request.plan.replicates;
  std::optional<std::string> run_id;
  if (request.run) {
    const auto run = find_run_named(store, *request.run);
    if (!run) return run.error();
    run_id = run->id;
  }
  const auto nodes = store.nodes(run_id);
  if (!nodes) return nodes.error();
  ChosenStates chosen = choose_states(*nodes, made.plan.components, request.choice, made.plan.seed);
  made.left_out = std::move(chosen.left_out);
  if (chosen.states.empty())
    return Error{ErrorCode::kNotFound, "no state is there that a study can take",
                 "`kbench trajectory freeze` and `import` make some; `list` shows them"};
  made.plan.device = chosen.device;
  made.plan.size = chosen.size;
  made.plan.states = std::move(chosen.states);
  made.states_found = made.plan.states.size();
  if (auto sound = read_study_plan(study_plan_text(made.plan)); !sound)
    return Error{ErrorCode::kUsage, sound.error().message, sound.error().hint};
  auto counted = count_turns(store, made.plan.model);
  if (!counted) return counted.error();
  made.rates = counted->rates;
  made.answer_seconds = counted->answer_seconds;
  std::vector<Cost> costs;
  for (const PlannedState& state : made.plan.states) {
    const auto known = state_to_price(store, made.plan, state);
    if (!known) return known.error();
    const auto cost = cost_of(made.plan, state, *known, with, made.rates);
    if (!cost) return cost.error();
    costs.push_back(*cost);
  }
  if (request.usd) {
    const auto fits = afford(costs, made.plan.replicates, *request.price, *request.usd);
    if (!fits) return fits.error();
    made.plan.states.resize(fits->states);
    costs.resize(fits->states);
    made.plan.replicates = fits->replicates;
  }
  made.cost = total_cost(costs, made.plan.replicates);
  made.census = census_of(made.plan);
  made.text = study_plan_text(made.plan);
  return made;
}

}  // namespace kbench
